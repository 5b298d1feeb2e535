import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import type { Tx } from '../../platform/database/database.ts';
import { openSignIn } from '../../platform/open-sign-in.ts';
import { createRefreshToken, isGenuine, readRefreshToken } from './refresh-token.ts';
import { companyOfUser, type SignInAttempt } from './sign-in.ts';

/** The previous token stays good so long, and yields the same successor: tabs race, answers get lost. ms */
const graceMs = 30_000;
/** Staff may be renewed this much longer without input than the screen's own limit: a token's life between two renewals. ms */
const idleSlackMs = 11 * 60_000;
/** A remembered sign-in ends after this long without use; polling is no use. ms */
const rememberedIdleMs = 7 * 24 * 3_600_000;

type Read = NonNullable<ReturnType<typeof readRefreshToken>>;

/** Rotates the token that was read, in a door transaction; null when it (or its sign-in) is not good any more. */
export async function renew(tx: Tx, attempt: SignInAttempt, read: Read, kind: SignInKind, active: boolean) {
  const { context, now } = attempt;
  const row = await tx
    .selectFrom('sign_ins')
    .selectAll()
    .where('sign_in_id', '=', read.signInId)
    .where('kind', '=', kind)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!row || !isGenuine(context.keys, read, row.seed)) return null;
  const since = (at: string) => Date.parse(now) - Date.parse(at);
  // What the page says of the present does not bring back the time in which nothing was heard of its user.
  const idleMs = row.remember ? rememberedIdleMs : context.settings.IDLE_MINUTES * 60_000 + idleSlackMs;
  const idle = kind === 'staff' && since(row.active_at) > idleMs;
  const replayed =
    read.counter !== row.counter && !(read.counter === row.counter - 1 && since(row.rotated_at) <= graceMs);
  const update = tx.updateTable('sign_ins').where('sign_in_id', '=', row.sign_in_id);
  if (replayed || idle) {
    await update.set({ revoked_at: now }).execute();
    if (replayed) {
      context.security.record({
        action: 'refreshTokenReplayed',
        path: '',
        reason: 'alarm',
        actor: row.user_id === null ? `P_${row.patient_id}` : `user_${row.user_id}`,
        companyId: row.company_id ?? (await companyOfUser(tx, row.user_id)),
        address: attempt.address,
        requestId: attempt.request.id,
        objects: { signIn: row.sign_in_id },
        isAlarm: true,
      });
    }
    return null;
  }
  const counter = read.counter === row.counter ? row.counter + 1 : row.counter;
  await update
    .set({ counter, ...(counter !== row.counter && { rotated_at: now }), ...(active && { active_at: now }) })
    .execute();
  const caller = await openSignIn(tx, row.sign_in_id, now);
  if (!caller) return null;
  return { caller, remember: row.remember, refreshToken: createRefreshToken(context.keys, row, counter) };
}

/** Renews a patient's sign-in of this very appointment, if the cookie holds one; null otherwise, with nothing changed. */
export async function renewForAppointment(
  tx: Tx,
  attempt: SignInAttempt,
  token: string | undefined,
  appointmentId: number,
) {
  const read = token === undefined ? null : readRefreshToken(token);
  if (!read) return null;
  const row = await tx
    .selectFrom('sign_ins')
    .select('appointment_id')
    .where('sign_in_id', '=', read.signInId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', attempt.now)
    .executeTakeFirst();
  return row?.appointment_id === appointmentId ? renew(tx, attempt, read, 'patient', true) : null;
}
