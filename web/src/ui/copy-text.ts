import { texts } from './texts.ts';
import { toast } from './toast.ts';

/** Writes a text to the clipboard. Returns false where the browser has none or refuses, e.g. without https. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** As {@link writeClipboard}, for a text in a field: says `copied`, or asks to copy it by hand. */
export async function copyText(text: string, copied: string): Promise<boolean> {
  const isCopied = await writeClipboard(text);
  if (isCopied) toast.success(copied);
  else toast.info(texts.notCopied);
  return isCopied;
}
