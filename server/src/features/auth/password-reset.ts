import { passwordReset as call } from '@roomside/contract/auth/calls.ts';
import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { endSignIns } from '../../platform/end-sign-ins.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { peekOneTimeToken, takeOneTimeToken } from '../../platform/one-time-token.ts';
import { fieldRefusal, Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { rememberDevice } from './known-devices.ts';
import { isEasyToGuess } from './password-strength.ts';
import { lockUser, signInUser } from './sign-in.ts';
import { countUsedLink } from './used-links.ts';

/**
 * ACCOUNT-3: sets the password by a link, revokes every other sign-in and signs in. The link is looked up before the
 * password is hashed, so that invalid links cost no work. A refused password does not use up the link.
 */
export const passwordReset = forAnyone(call, async (attempt) => {
  const { context, body, now } = attempt;
  const { refreshToken: token, password } = body.user;
  const { userId, words } = await context.db
    .open({ kind: 'unauthenticated' }, async (tx) => {
      const found = await requireActiveUser(tx, await peekOneTimeToken(tx, context, ['reset', 'invite'], token, now));
      const { rows } = await sql<{ words: string[] }>`select auth_personal_words(${found}) as words`.execute(tx);
      return { userId: found, words: rows[0]?.words ?? [] };
    })
    .catch((error: unknown) => countUsedLink(attempt, error));
  await throttle(context, [{ scope: 'new-password', subject: `user ${userId}` }]);
  if (await isEasyToGuess(password, words)) throw fieldRefusal('common-password', 'user.password');
  const hash = await context.passwords.hash(password, 'known');
  const signedIn = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    await lockUser(tx, userId);
    await requireActiveUser(tx, await takeOneTimeToken(tx, context, ['reset', 'invite'], token, now));
    await sql`select auth_set_password(${userId}, ${hash}, ${now})`.execute(tx);
    await endSignIns({ tx, context, now }, userId);
    const step = { userId, remember: false, action: 'passwordReset', mayTrustDevice: false };
    return signInUser(tx, attempt, step);
  });
  if (signedIn.signedIn) rememberDevice(context, attempt.request, attempt.reply, userId);
  return signedIn;
});

/** @throws Refusal when the link is not valid, or the user or company is disabled */
async function requireActiveUser(tx: Tx, userId: number | null): Promise<number> {
  if (userId === null) throw new Refusal('link-used');
  const { rows } = await sql<{
    blocked_by: 'user' | 'company' | null;
  }>`select * from auth_user_by_id(${userId})`.execute(tx);
  if (rows[0]?.blocked_by === 'company') throw new Refusal('company-disabled');
  if (rows[0]?.blocked_by !== null) throw new Refusal('link-used');
  return userId;
}
