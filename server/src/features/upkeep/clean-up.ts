import { type RawBuilder, sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';

/** Rows of one kind per transaction, so that locks are short. */
const defaultBatchSize = 1000;

/** How long ended holds are kept, so that a repeated booking still finds its hold, ms. */
const holdRetentionMs = 24 * 3_600_000;

/** Deletes expired sign-ins, links, idempotency keys, instances, holds and the demo's emails. */
export async function cleanUp(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  batchSize = defaultBatchSize,
): Promise<void> {
  await inBatches(db, batchSize, sql`select clean_up(${isoNow(clock)}, ${batchSize}) as n`);
  const before = new Date(clock.now() - holdRetentionMs).toISOString();
  await inBatches(db, batchSize, sql`select delete_holds(${before}, ${batchSize}) as n`);
}

async function inBatches(db: Context['db'], batchSize: number, step: RawBuilder<unknown>): Promise<void> {
  for (let deleted = batchSize; deleted === batchSize; ) {
    deleted = await db.open({ kind: 'unauthenticated' }, async (tx) => {
      const { rows } = await (step as RawBuilder<{ n: number }>).execute(tx);
      return rows[0]?.n ?? 0;
    });
  }
}
