import type { Overdue, Retention } from '@roomside/contract/retention/calls.ts';
import { type RawBuilder, sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forAll } from '../../platform/repeat.ts';

type Parts = Pick<Context, 'db' | 'blobs' | 'clock' | 'log'>;

/** Rows of one kind that are deleted in one transaction. */
const defaultBatchSize = 500;

/** The tables whose rows grow old, the time that counts, and the setting. */
const kinds = {
  chat_messages: { setting: 'chats', time: 'occurred_at', key: 'message_id', blob: null },
  files: { setting: 'files', time: 'uploaded_at', key: 'file_id', blob: 'file_uid' },
  photos: { setting: 'files', time: 'uploaded_at', key: 'file_id', blob: 'file_uid' },
  recording_blobs: { setting: 'recordings', time: 'stopped_at', key: 'blob_uid', blob: 'blob_uid' },
} as const;
type Kind = keyof typeof kinds;

/** Rows that are older than this are deleted: so many months before, by the calendar in UTC. */
function cutOf(months: number, now: string): string {
  return Temporal.Instant.from(now).toZonedDateTimeISO('UTC').subtract({ months }).toInstant().toString();
}

const isOld = (kind: Kind, cut: string): RawBuilder<boolean> => sql<boolean>`${sql.ref(kinds[kind].time)} < ${cut}`;

/** The kinds with a setting, and the time before which their rows are old. */
function oldKinds(retention: Retention, now: string): (readonly [kind: Kind, cut: string])[] {
  return (Object.keys(kinds) as Kind[]).flatMap((kind) => {
    const months = retention[kinds[kind].setting];
    return months === null ? [] : [[kind, cutOf(months, now)] as const];
  });
}

/** Returns how many records of the company are older than these settings keep them. */
export async function readOverdue(tx: Tx, companyId: number, retention: Retention, now: string): Promise<Overdue> {
  const counts = { chats: 0, files: 0, recordings: 0 };
  for (const [kind, cut] of oldKinds(retention, now)) {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from ${sql.table(kind)} where company_id = ${companyId} and ${isOld(kind, cut)}`.execute(tx);
    counts[kinds[kind].setting] += rows[0]?.n ?? 0;
  }
  return counts;
}

/** How long a company keeps its records; with `lock` until the transaction ends. */
export async function readRetention(
  tx: Tx,
  companyId: number,
  { lock = false } = {},
): Promise<Retention & { version: number }> {
  const found = tx
    .selectFrom('companies')
    .select(['keep_chats_months', 'keep_files_months', 'keep_recordings_months', 'version'])
    .where('company_id', '=', companyId);
  const row = await (lock ? found.forShare() : found).executeTakeFirstOrThrow();
  return {
    chats: row.keep_chats_months,
    files: row.keep_files_months,
    recordings: row.keep_recordings_months,
    version: row.version,
  };
}

/**
 * Deletes what all companies keep no longer, in batches, with an audit row for each. The contents are deleted after the commit; what a
 * killed process leaves of them is deleted by the sweep of files.
 */
export async function deleteOverdue(
  context: Parts,
  { signal, batchSize = defaultBatchSize }: { signal?: AbortSignal; batchSize?: number } = {},
): Promise<void> {
  const { rows } = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    sql<{ companies_with_retention: number }>`select companies_with_retention()`.execute(tx),
  );
  await forAll(rows, async ({ companies_with_retention: companyId }) => {
    while (!signal?.aborted && (await deleteBatch(context, companyId, batchSize)));
  });
}

/** Deletes a batch of each kind. Returns whether there may be more. */
async function deleteBatch(context: Parts, companyId: number, batchSize: number): Promise<boolean> {
  const now = isoNow(context.clock);
  const deleted = await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const counts = new Map<Kind, number>();
    const uids: string[] = [];
    for (const [kind, cut] of oldKinds(await readRetention(tx, companyId, { lock: true }), now)) {
      const { key, blob } = kinds[kind];
      const { rows } = await sql<{ uid: string | null }>`
        delete from ${sql.table(kind)} where company_id = ${companyId} and ${sql.ref(key)} in (
          select ${sql.ref(key)} from ${sql.table(kind)} where company_id = ${companyId} and ${isOld(kind, cut)}
          limit ${batchSize})
        returning ${blob ? sql.ref(blob) : sql`null`} as uid`.execute(tx);
      if (rows.length > 0) counts.set(kind, rows.length);
      uids.push(...rows.flatMap(({ uid }) => uid ?? []));
    }
    if (counts.size === 0) return null;
    if (counts.has('recording_blobs')) await deleteEmptyRecordings(tx, companyId);
    const action = 'deleteOverdue';
    // Counts are texts: a number would be taken for an id.
    const objects = { deleted: [...counts].map(([kind, count]) => `${count} ${kind}`) };
    audit(tx, {
      caller: null,
      companyId,
      at: now,
      action,
      path: 'job/retention',
      objects,
      address: '',
      requestId: action,
    });
    return { uids, isFull: [...counts.values()].some((count) => count === batchSize) };
  });
  if (!deleted) return false;
  for (const uid of deleted.uids) {
    await context.blobs.delete({ companyId, uid }).catch((error: Error) => {
      context.log.error({ error: error.message, uid }, 'an old content is still stored');
    });
  }
  return deleted.isFull;
}

/** A track without segments plays nothing. That a visit was recorded, and who allowed it, stays. */
const deleteEmptyRecordings = (tx: Tx, companyId: number) =>
  sql`delete from recordings r where r.company_id = ${companyId}
    and not exists (select from recording_blobs b where b.company_id = r.company_id and b.recording_id = r.recording_id)`.execute(
    tx,
  );
