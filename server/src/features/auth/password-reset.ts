import { passwordReset as call } from '@roomside/contract/auth/calls.ts';
import { sql } from 'kysely';
import { forAnyone } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { takeOneTimeToken } from './one-time-token.ts';
import { hashPassword, isCommonPassword } from './passwords.ts';
import { endSignIns, signIn } from './sign-in.ts';
import { throttle } from './throttle.ts';

/** ACCOUNT-3: sets the password by a link, ends every other sign-in and signs in. */
export const passwordReset = forAnyone(call, async (door) => {
  const { context, body, now } = door;
  const attempts = await throttle(context, [{ scope: 'address', subject: door.address }]);
  // A refused password must not use the link up.
  if (isCommonPassword(body.user.password, [])) throw tooCommon();
  const hash = await hashPassword(body.user.password);
  const signedIn = await context.db.open({ kind: 'door' }, async (tx) => {
    const userId = await takeOneTimeToken(tx, context, 'reset', body.user.refreshToken, now);
    if (userId === null) throw new Refusal('link-used');
    const { rows } = await sql<{ shut: 'user' | 'company' | null }>`select * from door_user_by_id(${userId})`.execute(
      tx,
    );
    if (rows[0]?.shut === 'company') throw new Refusal('company-disabled');
    if (rows[0]?.shut !== null) throw new Refusal('link-used');
    const { rows: own } = await sql<{ words: string[] }>`select door_own_words(${userId}) as words`.execute(tx);
    if (isCommonPassword(body.user.password, own[0]?.words ?? [])) throw tooCommon();
    await sql`select door_set_password(${userId}, ${hash}, ${now})`.execute(tx);
    await endSignIns(tx, userId, now);
    return signIn(tx, door, { kind: 'staff', userId }, false, 'passwordReset');
  });
  await attempts.forgive();
  return signedIn;
});

const tooCommon = () =>
  new Refusal('common-password', { fields: { 'user.password': new Refusal('common-password').message } });
