/** A sealed chunk of a segment. */
export interface SealedChunk {
  readonly nonce: Uint8Array<ArrayBuffer>;
  /** AES-GCM. */
  readonly sealed: ArrayBuffer;
}

/** Where the chunks of segments are. A chunk is on the disk when `put` resolves; one that is put twice is replaced. */
export interface ChunkPlace {
  put(segment: string, index: number, chunk: SealedChunk): Promise<void>;
  /** Undefined when the place does not have it. */
  get(segment: string, index: number): Promise<SealedChunk | undefined>;
  /** Removes all chunks of a segment. */
  remove(segment: string): Promise<void>;
}

const folderName = 'recordings';
/** The length of the nonce, which is at the start of a file, bytes. */
const nonceBytes = 12;

/**
 * Chunks in the browser's private file system (OPFS), one file for each: a file is committed when it is closed, so that a killed
 * browser loses what was recorded since the last one.
 */
export class ChunkFiles implements ChunkPlace {
  readonly #folder: FileSystemDirectoryHandle;

  private constructor(folder: FileSystemDirectoryHandle) {
    this.#folder = folder;
  }

  /** Opens the files; undefined where the browser has none or refuses them, such as in private windows. */
  static async open(): Promise<ChunkFiles | undefined> {
    // Before version 26, Safari writes them in workers only.
    const canWrite = typeof FileSystemFileHandle !== 'undefined' && 'createWritable' in FileSystemFileHandle.prototype;
    if (!canWrite || typeof navigator.storage?.getDirectory !== 'function') return undefined;
    try {
      const root = await navigator.storage.getDirectory();
      return new ChunkFiles(await root.getDirectoryHandle(folderName, { create: true }));
    } catch {
      return undefined;
    }
  }

  async put(segment: string, index: number, { nonce, sealed }: SealedChunk): Promise<void> {
    const folder = await this.#folder.getDirectoryHandle(segment, { create: true });
    const file = await folder.getFileHandle(String(index), { create: true });
    const writable = await file.createWritable();
    try {
      await writable.write(new Blob([nonce, sealed]));
      await writable.close();
    } catch (error) {
      await writable.abort().catch(() => undefined);
      throw error;
    }
  }

  async get(segment: string, index: number): Promise<SealedChunk | undefined> {
    try {
      const folder = await this.#folder.getDirectoryHandle(segment);
      const file = await (await folder.getFileHandle(String(index))).getFile();
      // Created, but never written.
      if (file.size <= nonceBytes) return undefined;
      const content = await file.arrayBuffer();
      return { nonce: new Uint8Array(content.slice(0, nonceBytes)), sealed: content.slice(nonceBytes) };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async remove(segment: string): Promise<void> {
    try {
      await this.#folder.removeEntry(segment, { recursive: true });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** The segments that have files. */
  async segments(): Promise<string[]> {
    const names: string[] = [];
    for await (const name of this.#folder.keys()) names.push(name);
    return names;
  }
}

const isMissing = (error: unknown): boolean => (error as Error | null)?.name === 'NotFoundError';
