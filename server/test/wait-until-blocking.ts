import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import type { Tx } from '../src/platform/database/database.ts';

/** Waits until another transaction waits for a lock of this one. */
export async function waitUntilBlocking(tx: Tx): Promise<void> {
  const isBlocking = async () => {
    const { rows } =
      await sql`select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(tx);
    expect(rows).not.toEqual([]);
  };
  await vi.waitFor(isBlocking, { timeout: 30_000, interval: 20 });
}
