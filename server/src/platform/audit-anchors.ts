import fs from 'node:fs/promises';
import path from 'node:path';
import type { AuditHead } from './audit-chain.ts';

/**
 * Heads of the audit log's chain, kept outside of the database: a file that only grows, a line for each. Who changes the
 * database can make its chain end earlier, but not these lines.
 */
export interface AuditAnchors {
  /** Adds a head durably. */
  append(head: AuditHead, at: string): Promise<void>;
  /** Notes that the database was restored on purpose, with this head: what was anchored after it counts no more. */
  acceptRestore(head: AuditHead, at: string): Promise<void>;
  /** The hashes by the seals' numbers. */
  read(): Promise<ReadonlyMap<number, string>>;
}

/** In a data folder. */
export const anchorFile = ({ DATA_DIR }: { readonly DATA_DIR: string }): string =>
  path.join(path.resolve(DATA_DIR), 'audit-anchors.log');

/** A line: time, what it is, the seal's number, its hash. One that was cut off by a crash is passed over. */
const linePattern = /^\S+ (head|restored) (\d+) ([0-9a-f]{64})$/;

export function openAnchors(file: string): AuditAnchors {
  async function write(line: string): Promise<void> {
    await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const handle = await fs.open(file, 'a', 0o600);
    try {
      // A line that a crash cut off must not swallow this one.
      const { size } = await handle.stat();
      await handle.appendFile(`${size > 0 && !(await endsWithLine(file, size)) ? '\n' : ''}${line}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  return {
    append: (head, at) => write(`${at} head ${head.sealNo} ${head.hash}`),
    acceptRestore: (head, at) => write(`${at} restored ${head.sealNo} ${head.hash}`),
    async read() {
      const content = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      const anchors = new Map<number, string>();
      for (const line of content.split('\n')) {
        const [, kind, no, hash] = linePattern.exec(line) ?? [];
        if (hash === undefined) continue;
        const sealNo = Number(no);
        if (kind === 'restored') {
          for (const known of anchors.keys()) if (known >= sealNo) anchors.delete(known);
          if (sealNo > 0) anchors.set(sealNo, hash);
        } else if (!anchors.has(sealNo)) {
          // The first word counts: a second one for the same seal is the sign of a chain that was made again.
          anchors.set(sealNo, hash);
        }
      }
      return anchors;
    },
  };
}

async function endsWithLine(file: string, size: number): Promise<boolean> {
  const handle = await fs.open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] === 0x0a;
  } finally {
    await handle.close();
  }
}
