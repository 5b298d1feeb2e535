import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import type { Context } from '../src/platform/context.ts';
import type { Tx } from '../src/platform/database/database.ts';

/**
 * Waits until another transaction waits for a lock of this one. `pg_stat_activity` would not do: a transaction sees it as it was at its first
 * look, without the connections that are opened afterwards.
 */
export async function waitUntilBlocking(tx: Tx): Promise<void> {
  const isBlocking = async () => {
    const { rows } =
      await sql`select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(tx);
    expect(rows).not.toEqual([]);
  };
  await vi.waitFor(isBlocking, { timeout: 30_000, interval: 20 });
}

/**
 * Does `work` in a transaction of the company. When another one waits for it, does the `rest` and commits. Resolves when the work is done, with
 * a function that waits for the commit.
 */
export async function holdUntilBlocking(
  { db }: Pick<Context, 'db'>,
  companyId: number,
  work: (tx: Tx) => Promise<unknown>,
  rest?: (tx: Tx) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const done = Promise.withResolvers<void>();
  const held = db.open({ kind: 'job', companyId }, async (tx) => {
    await work(tx);
    done.resolve();
    await waitUntilBlocking(tx);
    await rest?.(tx);
  });
  await Promise.race([done.promise, held]);
  return () => held;
}
