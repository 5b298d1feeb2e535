import { oneTimeLogin as call } from '@roomside/contract/auth/calls.ts';
import { sql } from 'kysely';
import { forAnyone } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { rememberDevice } from './known-devices.ts';
import { takeOneTimeToken } from './one-time-token.ts';
import { signIn } from './sign-in.ts';
import { countUsedLink } from './used-links.ts';

/** LOGIN-3: a link signs in once. Its token is looked up first: a right one is never slowed down. */
export const oneTimeLogin = forAnyone(call, async (door) => {
  const { context, body, now } = door;
  const signedIn = await context.db
    .open({ kind: 'door' }, async (tx) => {
      const userId = await takeOneTimeToken(tx, context, 'login', body.token, now);
      if (userId === null) throw new Refusal('link-used');
      const { rows } = await sql<{ shut: 'user' | 'company' | null }>`select * from door_user_by_id(${userId})`.execute(
        tx,
      );
      if (rows[0]?.shut === 'company') throw new Refusal('company-disabled');
      if (rows[0]?.shut !== null) throw new Refusal('link-used');
      return { userId, answer: await signIn(tx, door, { kind: 'staff', userId }, false, 'oneTimeLogin') };
    })
    .catch((error: unknown) => countUsedLink(door, call, error));
  rememberDevice(context, door.request, door.reply, signedIn.userId);
  return signedIn.answer;
});
