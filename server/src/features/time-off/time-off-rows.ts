import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

/** Administrators may write all time off, providers their own leave only ('rules.write.own'). */
export function requireMayWrite(caller: StaffCaller, userId: number | null): void {
  if (caller.role !== 'A' && userId !== caller.userId) throw new Refusal('not-allowed');
}

/** Reads and locks a time off. Throws `not-found`. */
export async function lockTimeOff(tx: Tx, companyId: number, timeOffId: number) {
  const stored = await tx
    .selectFrom('time_off')
    .select(['version', 'user_id'])
    .where('company_id', '=', companyId)
    .where('time_off_id', '=', timeOffId)
    .where('archived_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  return stored;
}
