import { sql } from 'kysely';
import type { Context, SignInsOf } from './context.ts';
import { runAfterCommit, type Tx } from './database/database.ts';

interface Ending {
  readonly tx: Tx;
  readonly context: { readonly push: Pick<Context['push'], 'signIns'> };
  /** ISO. */
  readonly now: string;
}

/*
 * The only writers of what ends sign-ins, apart from the restore of a backup. Each notifies all processes after the commit,
 * which then close the hub connections of those that have ended (features/room/sign-in-watch.ts).
 */

/** Revokes one sign-in, in an unauthenticated transaction. */
export async function endSignIn({ tx, context, now }: Ending, signInId: number): Promise<void> {
  await tx
    .updateTable('sign_ins')
    .set({ revoked_at: now })
    .where('sign_in_id', '=', signInId)
    .where('revoked_at', 'is', null)
    .execute();
  recheckSignIns({ tx, context }, { signInId });
}

/** Revokes all sign-ins of a user, begun ones included, and the trust in their devices. In an unauthenticated transaction. */
export async function endSignIns({ tx, context, now }: Ending, userId: number): Promise<void> {
  await tx
    .updateTable('sign_ins')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
  await tx.deleteFrom('sign_in_tickets').where('user_id', '=', userId).execute();
  await tx.deleteFrom('trusted_devices').where('user_id', '=', userId).execute();
  recheckSignIns({ tx, context }, { userId });
}

/** Revokes all sign-ins, begun ones included, links and trusted devices of a user, except the sign-in `keep`. Runs in the user's own transaction. */
export async function endOtherSignIns({ tx, context, now }: Ending, userId: number, keep: number): Promise<void> {
  await sql`select end_user_sign_ins(${userId}, ${keep}, ${now})`.execute(tx);
  recheckSignIns({ tx, context }, { userId });
}

/** Revokes one sign-in of a user and the trust in their devices, in the user's own transaction. Returns false without such a sign-in. */
export async function endUserSignIn(
  { tx, context, now }: Ending,
  { userId, signInId }: { readonly userId: number; readonly signInId: number },
): Promise<boolean> {
  const { rows } = await sql`select end_user_sign_in(${userId}, ${signInId}, ${now})`.execute(tx);
  recheckSignIns({ tx, context }, { signInId });
  return rows.length > 0;
}

/** Revokes the sign-ins by an appointment's code, which has changed. */
export async function endPatientSignIns(
  { tx, context, now }: Ending,
  { appointmentId, patientId }: { readonly appointmentId: number; readonly patientId: number },
): Promise<void> {
  await sql`select end_patient_sign_ins(${appointmentId}, ${now})`.execute(tx);
  recheckSignIns({ tx, context }, { patientId });
}

/** Ends all invitations to a visit, and with them their sign-ins. */
export async function endGuests({ tx, context, now }: Ending, appointmentId: number): Promise<void> {
  const { rows } = await sql<{ guest_id: number }>`
    select end_guests as guest_id from end_guests(${appointmentId}, ${now})`.execute(tx);
  for (const { guest_id: guestId } of rows) recheckSignIns({ tx, context }, { guestId });
}

/** Withdraws one invitation, and ends its sign-ins. Needs the transaction of staff. Returns false when it had ended before. */
export async function removeGuest({ tx, context, now }: Ending, guestId: number): Promise<boolean> {
  const removed = await tx
    .updateTable('visit_guests')
    .set({ removed_at: now })
    .where('guest_id', '=', guestId)
    .where('removed_at', 'is', null)
    .returning('guest_id')
    .executeTakeFirst();
  recheckSignIns({ tx, context }, { guestId });
  return removed !== undefined;
}

/** Revokes the sign-ins of a guest who opens the link on another device. Needs an unauthenticated transaction. */
export async function endGuestSignIns({ tx, context, now }: Ending, guestId: number): Promise<void> {
  await tx
    .updateTable('sign_ins')
    .set({ revoked_at: now })
    .where('guest_id', '=', guestId)
    .where('revoked_at', 'is', null)
    .execute();
  recheckSignIns({ tx, context }, { guestId });
}

/** Merges the records of a patient with those of another one, and revokes the first one's sign-ins. */
export async function mergePatientRecords({ tx, context, now }: Ending, from: number, into: number): Promise<void> {
  await sql`select merge_patient(${from}, ${into}, ${now})`.execute(tx);
  recheckSignIns({ tx, context }, { patientId: from });
}

/** After the commit all processes check these sign-ins again: call it when something that a sign-in depends on has changed. */
export function recheckSignIns({ tx, context: { push } }: Omit<Ending, 'now'>, of: SignInsOf): void {
  runAfterCommit(tx, () => push.signIns(of));
}
