import { toast } from '../ui/toast.ts';
import { wordsFor } from './errors.ts';
import { saveFile, type sendForFile } from './send.ts';

/** Saves the file that a call returns, or says why there is none. */
export async function saveAsFile(file: ReturnType<typeof sendForFile>): Promise<void> {
  try {
    saveFile(await file);
  } catch (error) {
    toast.error(wordsFor(error));
  }
}
