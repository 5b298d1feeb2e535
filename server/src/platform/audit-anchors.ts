import fs from 'node:fs/promises';
import path from 'node:path';
import type { AuditHead } from './audit-chain.ts';

/**
 * Heads of the audit log's chain in an append-only file outside of the database, one line each. An attacker who can change
 * the database can cut off the end of its chain, but not these lines.
 */
export interface AuditAnchors {
  /** Adds a head durably. */
  append(head: AuditHead, at: string): Promise<void>;
  /** Records that the database was restored on purpose, with this head. Later anchors no longer count. */
  acceptRestore(head: AuditHead, at: string): Promise<void>;
  /** Records how far this server has checked the chain. */
  note(check: CheckKind, head: AuditHead, at: string): Promise<void>;
  read(): Promise<Anchored>;
}

/** `verified`: the first check of each seal, `rechecked`: the repeated one, which begins again at the end. */
type CheckKind = 'verified' | 'rechecked';

export interface Anchored {
  /** The hashes by the seals' numbers. */
  readonly heads: ReadonlyMap<number, string>;
  /** The last seal of each check. */
  readonly checked: { readonly [K in CheckKind]?: AuditHead };
}

/** The path of the anchor file in a data folder. */
export const anchorFile = ({ DATA_DIR }: { readonly DATA_DIR: string }): string =>
  path.join(path.resolve(DATA_DIR), 'audit-anchors.log');

/** A line: time, kind, the seal's number, its hash. A line that a crash cut off is ignored. */
const linePattern = /^\S+ (head|restored|verified|rechecked) (\d+) ([0-9a-f]{64})$/;

export function openAnchors(file: string): AuditAnchors {
  async function write(line: string): Promise<void> {
    await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const handle = await fs.open(file, 'a', 0o600);
    try {
      // Starts a new line after one that a crash cut off.
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
    note: (check, head, at) => write(`${at} ${check} ${head.sealNo} ${head.hash}`),
    async read() {
      const content = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      const anchors = new Map<number, string>();
      let checked: Anchored['checked'] = {};
      for (const line of content.split('\n')) {
        const [, kind, no, hash] = linePattern.exec(line) ?? [];
        if (hash === undefined) continue;
        const sealNo = Number(no);
        if (kind === 'restored') {
          for (const known of anchors.keys()) if (known >= sealNo) anchors.delete(known);
          if (sealNo > 0) anchors.set(sealNo, hash);
          checked = {};
        } else if (kind === 'verified' || kind === 'rechecked') {
          checked = { ...checked, [kind]: { sealNo, hash } };
        } else if (!anchors.has(sealNo)) {
          // The first anchor of a seal counts: a different second one shows that the chain was rewritten.
          anchors.set(sealNo, hash);
        }
      }
      return { heads: anchors, checked };
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
