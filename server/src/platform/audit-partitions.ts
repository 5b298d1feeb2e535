import { sql } from 'kysely';
import { isoNow } from './clock.ts';
import type { Context } from './context.ts';

/**
 * Months with a partition of the audit log, from the current one: so many can pass without a start or a clean-up before rows
 * go to the default partition.
 */
export const auditMonthsAhead = 7;

/** Creates the missing monthly partitions of the audit log and its seals. Returns their number. */
export function createAuditPartitions({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  return db.open({ kind: 'installation' }, async (tx) => {
    const { rows } = await sql<{
      n: number;
    }>`select create_audit_partitions(${isoNow(clock)}, ${auditMonthsAhead}) as n`.execute(tx);
    return rows[0]?.n ?? 0;
  });
}
