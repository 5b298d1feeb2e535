import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';

/** Ends all sign-ins of a person but this one, from the person's own transaction. */
export async function endOtherSignIns(tx: Tx, userId: number, keep: number, now: string): Promise<void> {
  await sql`select end_user_sign_ins(${userId}, ${keep}, ${now})`.execute(tx);
}
