import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';

/** Revokes all sign-ins of a user except `keep`. Runs in the user's own transaction. */
export async function endOtherSignIns(tx: Tx, userId: number, keep: number, now: string): Promise<void> {
  await sql`select end_user_sign_ins(${userId}, ${keep}, ${now})`.execute(tx);
}
