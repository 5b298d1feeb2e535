import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import type { Selectable } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { SignIns } from '../../platform/database/schema.ts';
import { endSignIn } from '../../platform/end-sign-ins.ts';
import { openSignIn } from '../../platform/open-sign-in.ts';
import type { Settings } from '../../platform/settings.ts';
import { createRefreshToken, isGenuine, readRefreshToken } from './refresh-token.ts';
import { companyOfUser, type SignInAttempt } from './sign-in.ts';

/** The previous token stays valid this long and yields the same successor, since tabs race and responses get lost; ms. */
const gracePeriodMs = 30_000;
/** Added to the page's idle timeout for staff: the lifetime of an access token between two renewals, ms. */
const idleToleranceMs = 11 * 60_000;
/** A remembered sign-in ends after this long without use; polling does not count, ms. */
const rememberedIdleMs = 7 * 24 * 3_600_000;

/** How long a staff sign-in lasts without use, ms. */
export const maxIdleMs = (settings: Pick<Settings, 'IDLE_MINUTES'>, remember: boolean): number =>
  remember ? rememberedIdleMs : settings.IDLE_MINUTES * 60_000 + idleToleranceMs;

type ParsedToken = NonNullable<ReturnType<typeof readRefreshToken>>;

/** Whether a genuine token of an open sign-in may be renewed: it is neither replayed, nor was its sign-in idle for too long. */
export function validityOf(
  { settings }: Pick<Context, 'settings'>,
  row: Pick<Selectable<SignIns>, 'kind' | 'counter' | 'rotated_at' | 'active_at' | 'remember'>,
  read: Pick<ParsedToken, 'counter'>,
  now: string,
): 'valid' | 'replayed' | 'idle' {
  const since = (at: string) => Date.parse(now) - Date.parse(at);
  const isPrevious = read.counter === row.counter - 1 && since(row.rotated_at) <= gracePeriodMs;
  if (read.counter !== row.counter && !isPrevious) return 'replayed';
  // Activity that is reported now does not revive a sign-in that was idle for too long before.
  return row.kind === 'staff' && since(row.active_at) > maxIdleMs(settings, row.remember) ? 'idle' : 'valid';
}

/** Rotates a token, in an unauthenticated transaction. Returns null when the token or its sign-in is not valid. */
export async function renew(tx: Tx, attempt: SignInAttempt, read: ParsedToken, kind: SignInKind, active: boolean) {
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
  const validity = validityOf(context, row, read, now);
  if (validity !== 'valid') {
    await endSignIn({ tx, context, now }, row.sign_in_id);
    if (validity === 'replayed') {
      context.security.record({
        action: 'refreshTokenReplayed',
        path: '',
        reason: 'alarm',
        actor: actorOfRow(row),
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
  await tx
    .updateTable('sign_ins')
    .where('sign_in_id', '=', row.sign_in_id)
    .set({ counter, ...(counter !== row.counter && { rotated_at: now }), ...(active && { active_at: now }) })
    .execute();
  const caller = await openSignIn(tx, row.sign_in_id, now);
  if (!caller) return null;
  return { caller, remember: row.remember, refreshToken: createRefreshToken(context.keys, row, counter) };
}

/** The actor of a sign-in for the audit log; the role of a user is not known there. */
export function actorOfRow(row: Pick<Selectable<SignIns>, 'user_id' | 'patient_id' | 'guest_id'>): string {
  if (row.guest_id !== null) return `G_${row.guest_id}`;
  return row.user_id === null ? `P_${row.patient_id}` : `user_${row.user_id}`;
}

/** Renews the cookie's sign-in if it belongs to this guest. Otherwise changes nothing and returns null. */
export async function renewForGuest(tx: Tx, attempt: SignInAttempt, token: string | undefined, guestId: number) {
  return renewIf(tx, attempt, token, 'guest', (row) => row.guest_id === guestId);
}

/** Renews the cookie's sign-in if it belongs to this appointment. Otherwise changes nothing and returns null. */
export async function renewForAppointment(
  tx: Tx,
  attempt: SignInAttempt,
  token: string | undefined,
  appointmentId: number,
) {
  return renewIf(tx, attempt, token, 'patient', (row) => row.appointment_id === appointmentId);
}

async function renewIf(
  tx: Tx,
  attempt: SignInAttempt,
  token: string | undefined,
  kind: SignInKind,
  isSame: (row: { appointment_id: number | null; guest_id: number | null }) => boolean,
) {
  const read = token === undefined ? null : readRefreshToken(token);
  if (!read) return null;
  const row = await tx
    .selectFrom('sign_ins')
    .select(['appointment_id', 'guest_id'])
    .where('sign_in_id', '=', read.signInId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', attempt.now)
    .executeTakeFirst();
  return row && isSame(row) ? renew(tx, attempt, read, kind, true) : null;
}
