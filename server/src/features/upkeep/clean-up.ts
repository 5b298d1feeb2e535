import { type RawBuilder, sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';

/** Rows of one kind in one transaction: short enough that nobody waits for its locks. */
const defaultBatchSize = 1000;

/** How long a booking that is repeated may still find its hold, ms. */
const holdsMs = 24 * 3_600_000;

/** Deletes sign-ins, links, idempotency keys, instances, holds and the demo's mails that nothing needs any more (clean_up). */
export async function cleanUp(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  batchSize = defaultBatchSize,
): Promise<void> {
  await inBatches(db, batchSize, sql`select clean_up(${isoNow(clock)}, ${batchSize}) as n`);
  const before = new Date(clock.now() - holdsMs).toISOString();
  await inBatches(db, batchSize, sql`select forget_holds(${before}, ${batchSize}) as n`);
}

async function inBatches(db: Context['db'], batchSize: number, step: RawBuilder<unknown>): Promise<void> {
  for (let deleted = batchSize; deleted === batchSize; ) {
    deleted = await db.open({ kind: 'unauthenticated' }, async (tx) => {
      const { rows } = await (step as RawBuilder<{ n: number }>).execute(tx);
      return rows[0]?.n ?? 0;
    });
  }
}
