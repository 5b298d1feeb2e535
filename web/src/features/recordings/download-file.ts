import { saveFile } from '../../api/send.ts';

/** A part of a file, and where it is, bytes. */
interface FilePart {
  readonly type: 'write';
  readonly data: Uint8Array<ArrayBuffer>;
  readonly position: number;
}

/** A file that is written on the disk before the user has it. */
export interface DownloadFile {
  /** Takes parts at any position. */
  readonly parts: WritableStream<FilePart>;
  /** Gives the whole file to the user. */
  finish(): Promise<void>;
  /** Leaves nothing of it. */
  discard(): Promise<void>;
}

interface Wish {
  readonly name: string;
  /** Media type. */
  readonly type: string;
}

type SaveDialog = (options: {
  suggestedName: string;
  types: { accept: Record<string, string[]> }[];
}) => Promise<FileSystemFileHandle>;

/** Where files are written that the browser then downloads. */
const folderName = 'downloads';
/** The longest time that a browser needs to copy such a file, ms. */
const copyMs = 600_000;

/**
 * Opens a file for a download: where the browser has a dialog the file that the user chooses, otherwise one in its private file system,
 * or in the memory. Call it in the handler of a click. Returns undefined when the user has closed the dialog.
 */
export async function openDownload(wish: Wish): Promise<DownloadFile | undefined> {
  const { showSaveFilePicker: ask } = globalThis as { showSaveFilePicker?: SaveDialog };
  if (ask) {
    try {
      const extension = `.${wish.name.split('.').at(-1) ?? ''}`;
      return await chosenFile(
        await ask({ suggestedName: wish.name, types: [{ accept: { [wish.type]: [extension] } }] }),
      );
    } catch (error) {
      if ((error as Error).name === 'AbortError') return undefined;
      // A page in a frame, or a policy, may not open the dialog.
    }
  }
  return (await privateFile(wish).catch(() => undefined)) ?? fileInMemory(wish);
}

/** Removes files of earlier downloads. */
export async function removeDownloads(): Promise<void> {
  try {
    await (await navigator.storage.getDirectory()).removeEntry(folderName, { recursive: true });
  } catch {
    // There is none, or a download still reads it.
  }
}

async function chosenFile(handle: FileSystemFileHandle): Promise<DownloadFile> {
  const { writable, parts } = await writeTo(handle);
  return {
    parts,
    finish: () => writable.close(),
    async discard() {
      await writable.abort().catch(() => undefined);
      // The dialog has created it empty.
      await (handle as { remove?: () => Promise<void> }).remove?.().catch(() => undefined);
    },
  };
}

async function privateFile({ name, type }: Wish): Promise<DownloadFile> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(folderName, { create: true });
  const temporary = crypto.randomUUID();
  const handle = await folder.getFileHandle(temporary, { create: true });
  const { writable, parts } = await writeTo(handle);
  const remove = () => folder.removeEntry(temporary).catch(() => undefined);
  return {
    parts,
    async finish() {
      await writable.close();
      saveFile({ blob: new Blob([await handle.getFile()], { type }), name });
      setTimeout(() => void remove(), copyMs);
    },
    async discard() {
      await writable.abort().catch(() => undefined);
      await remove();
    },
  };
}

/** The stream of a file, without its end: only `finish` makes the file visible. */
async function writeTo(handle: FileSystemFileHandle) {
  const writable = await handle.createWritable();
  return { writable, parts: new WritableStream<FilePart>({ write: (part) => writable.write(part) }) };
}

function fileInMemory({ name, type }: Wish): DownloadFile {
  let content = new Uint8Array(1024 * 1024);
  let size = 0;
  const parts = new WritableStream<FilePart>({
    write({ data, position }) {
      const end = position + data.length;
      if (end > content.length) {
        const larger = new Uint8Array(Math.max(end, content.length * 2));
        larger.set(content);
        content = larger;
      }
      content.set(data, position);
      size = Math.max(size, end);
    },
  });
  return {
    parts,
    finish: async () => saveFile({ blob: new Blob([content.subarray(0, size)], { type }), name }),
    discard: async () => {
      content = new Uint8Array();
    },
  };
}
