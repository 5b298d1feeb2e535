import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';

type Parts = Pick<Context, 'db' | 'keys'>;

/** The last seal of the chain. */
export interface AuditHead {
  readonly sealNo: number;
  /** 32 bytes, hexadecimal. */
  readonly hash: string;
}

/** The head before the first seal. */
const emptyHead: AuditHead = { sealNo: 0, hash: '00'.repeat(32) };

/** Rows under one seal, and rows per step of the check. */
const batchSize = 5_000;
/** Seals per step of the check. */
const sealsPerStep = 1_000;

/** HMAC-SHA256 over the previous hash, the seal's number and row count, and each row with its length. */
function hashOf(key: Uint8Array, before: string, sealNo: number, contents: readonly string[]): string {
  const head = Buffer.alloc(44);
  head.write(before, 0, 'hex');
  head.writeBigUInt64BE(BigInt(sealNo), 32);
  head.writeUInt32BE(contents.length, 40);
  const hmac = createHmac('sha256', key).update(head);
  const length = Buffer.alloc(4);
  for (const content of contents) {
    length.writeUInt32BE(Buffer.byteLength(content));
    hmac.update(length).update(content);
  }
  return hmac.digest('hex');
}

/**
 * Seals the committed rows that are not sealed yet. Returns their number; 0 while another process seals. With `restored` it
 * also looks for unsealed rows of a restored database, which takes longer.
 */
export async function sealAudit({ db, keys }: Parts, { restored = false } = {}): Promise<number> {
  for (let sealed = 0; ; ) {
    const count = await db.open({ kind: 'installation' }, (tx) => sealBatch(tx, keys.audit, restored));
    sealed += count;
    if (count < batchSize) return sealed;
  }
}

interface Unsealed {
  audit_id: number;
  occurred_at: string;
  content: string;
  resume: string;
  last_no: number | null;
  last_hash: Buffer | null;
}

async function sealBatch(tx: Tx, key: Uint8Array, restored: boolean): Promise<number> {
  // With `restored` it reads all rows, which may take minutes.
  await sql`select set_config('statement_timeout', '600000', true)`.execute(tx);
  const { rows } = await sql<Unsealed>`select * from unsealed_audit(${batchSize}, ${restored})`.execute(tx);
  const [first] = rows;
  if (!first) return 0;
  const resume = rows.length === batchSize ? (rows.at(-1)?.resume ?? null) : null;
  // Rows within a seal are ordered by id.
  rows.sort((one, other) => one.audit_id - other.audit_id);
  const sealNo = (first.last_no ?? 0) + 1;
  const before = first.last_hash?.toString('hex') ?? emptyHead.hash;
  const contents = rows.map((row) => row.content);
  const hash = Buffer.from(hashOf(key, before, sealNo, contents), 'hex');
  const ids = rows.map((row) => row.audit_id);
  const times = rows.map((row) => row.occurred_at);
  await sql`select add_audit_seal(${sealNo}, ${ids}::bigint[], ${times}::text[], ${hash}, ${resume}::xid8)`.execute(tx);
  return rows.length;
}

/** Returns the last seal of the chain; null when there is none. */
export function readAuditHead({ db }: Parts): Promise<AuditHead | null> {
  return db.open({ kind: 'installation' }, async (tx) => {
    const { rows } = await sql<{ seal_no: number; hash: Buffer }>`select * from audit_head()`.execute(tx);
    const [head] = rows;
    return head ? { sealNo: head.seal_no, hash: head.hash.toString('hex') } : null;
  });
}

export interface AuditCheck {
  /** The first seal that is not valid; null = the chain is valid. */
  readonly broken: { readonly sealNo: number; readonly why: 'changed' | 'missing' | 'not-anchored' } | null;
  /** The last valid seal. */
  readonly head: AuditHead;
  readonly seals: number;
  readonly rows: number;
  /** The check has reached the end of the chain, not only the end of what was asked for. */
  readonly isEnd: boolean;
}

export interface CheckOptions {
  /** The check begins after this seal, whose hash it takes as given. Default: with the first seal. */
  readonly after?: AuditHead;
  /** The number of the last seal to check. Default: the last one. */
  readonly upTo?: number;
  /** The check ends with the seal that makes it so many rows. Default: no limit. */
  readonly maxRows?: number;
  /** Anchors of the seals after `after`. */
  readonly anchors?: ReadonlyMap<number, string>;
  readonly signal?: AbortSignal;
}

interface Seal {
  seal_no: number;
  row_count: number;
  hash: Buffer;
}

/**
 * Checks the chain, or a part of it, and compares it with anchored heads. The time grows with the rows of the part, not with
 * those of the log. Rows that are not sealed yet are not checked.
 *
 * @throws the signal's reason once it is aborted
 */
export async function checkAudit(
  { db, keys }: Parts,
  {
    after = emptyHead,
    upTo = Number.MAX_SAFE_INTEGER,
    maxRows = Number.POSITIVE_INFINITY,
    anchors = new Map(),
    signal,
  }: CheckOptions = {},
): Promise<AuditCheck> {
  let head = after;
  let [seals, rows] = [0, 0];
  const broken = (why: 'changed' | 'missing' | 'not-anchored') => ({
    broken: { sealNo: head.sealNo + 1, why },
    head,
    seals,
    rows,
    isEnd: false,
  });
  // The chain may have been cut off and continued differently since the last check.
  const [last] = after.sealNo === 0 ? [] : await listSeals({ db }, after.sealNo - 1, 1);
  if (after.sealNo > 0 && last?.hash.toString('hex') !== after.hash) {
    return { broken: { sealNo: after.sealNo, why: last ? 'changed' : 'missing' }, head, seals, rows, isEnd: false };
  }
  for (;;) {
    const listed = await listSeals({ db }, head.sealNo, Math.min(sealsPerStep, upTo - head.sealNo));
    for (const group of groupByRows(listed)) {
      signal?.throwIfAborted();
      const contents = await readContents({ db }, group[0]?.seal_no ?? 0, group.at(-1)?.seal_no ?? 0);
      for (const seal of group) {
        if (seal.seal_no !== head.sealNo + 1) return broken('missing');
        const sealedRows = contents.get(seal.seal_no) ?? [];
        if (sealedRows.length !== seal.row_count || sealedRows.includes(null)) return broken('missing');
        const hash = hashOf(keys.audit, head.hash, seal.seal_no, sealedRows as string[]);
        if (hash !== seal.hash.toString('hex')) return broken('changed');
        if ((anchors.get(seal.seal_no) ?? hash) !== hash) return broken('not-anchored');
        head = { sealNo: seal.seal_no, hash };
        seals += 1;
        rows += sealedRows.length;
        if (seal.seal_no === upTo || rows >= maxRows) return { broken: null, head, seals, rows, isEnd: false };
      }
    }
    if (listed.length < sealsPerStep) break;
  }
  // A chain that ends before an anchored seal, or before the end of the part, was cut off.
  for (const sealNo of anchors.keys()) if (sealNo > head.sealNo && sealNo <= upTo) return broken('missing');
  if (upTo !== Number.MAX_SAFE_INTEGER) return broken('missing');
  return { broken: null, head, seals, rows, isEnd: true };
}

/** Returns the stored head with this number, which is not checked; null when it is missing. 0 is the head before the first seal. */
export async function readAuditSeal({ db }: Pick<Parts, 'db'>, sealNo: number): Promise<AuditHead | null> {
  if (sealNo === 0) return emptyHead;
  const [seal] = await listSeals({ db }, sealNo - 1, 1);
  return seal?.seal_no === sealNo ? { sealNo, hash: seal.hash.toString('hex') } : null;
}

function listSeals({ db }: Pick<Parts, 'db'>, after: number, limit: number): Promise<Seal[]> {
  return db.open({ kind: 'installation' }, async (tx) => {
    const { rows } = await sql<Seal>`select * from list_audit_seals(${after}, ${limit})`.execute(tx);
    return rows;
  });
}

/** Groups consecutive seals so that a group has about `batchSize` rows. */
function groupByRows(seals: readonly Seal[]): Seal[][] {
  const groups: Seal[][] = [];
  let remaining = 0;
  for (const seal of seals) {
    if (remaining < seal.row_count) {
      groups.push([]);
      remaining = batchSize;
    }
    remaining -= seal.row_count;
    groups.at(-1)?.push(seal);
  }
  return groups;
}

async function readContents({ db }: Pick<Parts, 'db'>, first: number, last: number) {
  const { rows } = await db.open({ kind: 'installation' }, (tx) =>
    sql<{ seal_no: number; content: string | null }>`select * from list_sealed_audit(${first}, ${last})`.execute(tx),
  );
  const contents = new Map<number, (string | null)[]>();
  for (const row of rows) {
    const sealedRows = contents.get(row.seal_no);
    if (sealedRows) sealedRows.push(row.content);
    else contents.set(row.seal_no, [row.content]);
  }
  return contents;
}
