import { sql } from 'kysely';
import type { AuditCheck, AuditHead } from './audit-chain.ts';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';

/** What administrators see of the checks of the audit log's chain. Times are ISO; null = none. */
export interface AuditState {
  /** The last check. */
  readonly checkedAt: string | null;
  /** The last row that was found whole. */
  readonly verifiedTo: string | null;
  /** The check that first found a broken seal, which no check has found whole since. */
  readonly brokenAt: string | null;
}

/** Stores the result of a check of the seals after `after`. */
export function noteAuditCheck(
  { db }: Pick<Context, 'db'>,
  { head, broken }: Pick<AuditCheck, 'head' | 'broken'>,
  { after, at }: { after: AuditHead | undefined; at: string },
): Promise<void> {
  return db.open({ kind: 'installation' }, async (tx) => {
    await sql`select note_audit_check(${at}::timestamptz, ${after?.sealNo ?? 0}::bigint, ${head.sealNo}::bigint,
      ${broken?.sealNo ?? null}::bigint)`.execute(tx);
  });
}

/** Reads the state in a transaction of a company or a Super. */
export async function readAuditState(tx: Tx): Promise<AuditState> {
  const { rows } = await sql<{
    checked_at: string | null;
    verified_to: string | null;
    broken_at: string | null;
  }>`select * from get_audit_state()`.execute(tx);
  const [state] = rows;
  return {
    checkedAt: state?.checked_at ?? null,
    verifiedTo: state?.verified_to ?? null,
    brokenAt: state?.broken_at ?? null,
  };
}
