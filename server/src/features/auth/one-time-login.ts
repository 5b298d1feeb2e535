import { oneTimeLogin as call } from '@roomside/contract/auth/calls.ts';
import { sql } from 'kysely';
import { forAnyone } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { takeOneTimeToken } from './one-time-token.ts';
import { signIn } from './sign-in.ts';
import { throttle } from './throttle.ts';

/** LOGIN-3: a link signs in once. */
export const oneTimeLogin = forAnyone(call, async (door) => {
  const { context, body, now } = door;
  const attempts = await throttle(context, [{ scope: 'address', subject: door.address }]);
  const signedIn = await context.db.open({ kind: 'door' }, async (tx) => {
    const userId = await takeOneTimeToken(tx, context, 'login', body.token, now);
    if (userId === null) throw new Refusal('link-used');
    const { rows } = await sql<{ shut: 'user' | 'company' | null }>`select * from door_user_by_id(${userId})`.execute(
      tx,
    );
    if (rows[0]?.shut === 'company') throw new Refusal('company-disabled');
    if (rows[0]?.shut !== null) throw new Refusal('link-used');
    return signIn(tx, door, { kind: 'staff', userId }, false, 'oneTimeLogin');
  });
  await attempts.forgive();
  return signedIn;
});
