import { startAuthenticator as call } from '@roomside/contract/account-security/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { startAuthenticator as start } from '../second-factor/authenticators.ts';
import { otpauthUri, toBase32 } from '../second-factor/totp.ts';

export const startAuthenticator = forUsers(call, async ({ context, caller, tx, now }) => {
  await requireConfirmed(tx, caller, now);
  const { email } = await tx
    .selectFrom('users')
    .select('email')
    .where('user_id', '=', caller.userId)
    .executeTakeFirstOrThrow();
  const secret = await start(tx, context, caller.userId);
  return { secret: toBase32(secret), uri: otpauthUri(secret, email) };
});
