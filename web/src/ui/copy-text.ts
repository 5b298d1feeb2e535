import { texts } from './texts.ts';
import { toast } from './toast.ts';

/** Copies a text to the clipboard and says so; false where the browser has none or refuses, e.g. without https: it asks to copy by hand. */
export async function copyText(text: string, copied: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    toast.info(texts.notCopied);
    return false;
  }
  toast.success(copied);
  return true;
}
