import { oneTimeLogin as call } from '@roomside/contract/auth/calls.ts';
import { sql } from 'kysely';
import { forAnyone } from '../../platform/http/handler.ts';
import { peekOneTimeToken, takeOneTimeToken } from '../../platform/one-time-token.ts';
import { Refusal } from '../../platform/refusal.ts';
import { rememberDevice } from './known-devices.ts';
import { lockUser, signInUser } from './sign-in.ts';
import { countUsedLink } from './used-links.ts';

/** LOGIN-3: a link signs in once. The token is looked up before the rate limit, so a valid one is never slowed down. */
export const oneTimeLogin = forAnyone(call, async (attempt) => {
  const { context, body, now } = attempt;
  const signedIn = await context.db
    .open({ kind: 'unauthenticated' }, async (tx) => {
      const known = await peekOneTimeToken(tx, context, ['login'], body.token, now);
      if (known !== null) await lockUser(tx, known);
      const userId = await takeOneTimeToken(tx, context, ['login'], body.token, now);
      if (userId === null) throw new Refusal('link-used');
      const { rows } = await sql<{
        blocked_by: 'user' | 'company' | null;
      }>`select * from auth_user_by_id(${userId})`.execute(tx);
      if (rows[0]?.blocked_by === 'company') throw new Refusal('company-disabled');
      if (rows[0]?.blocked_by !== null) throw new Refusal('link-used');
      const step = { userId, remember: false, action: 'oneTimeLogin', mayTrustDevice: false };
      return { userId, response: await signInUser(tx, attempt, step) };
    })
    .catch((error: unknown) => countUsedLink(attempt, error));
  if (signedIn.response.signedIn) rememberDevice(context, attempt.request, attempt.reply, signedIn.userId);
  return signedIn.response;
});
