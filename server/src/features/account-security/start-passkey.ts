import { startPasskey as call } from '@roomside/contract/account-security/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { registrationOptions } from '../second-factor/passkeys.ts';

export const startPasskey = forUsers(call, async ({ context, caller, tx, now }) => {
  await requireConfirmed(tx, caller, now);
  const { userId, firstName, lastName } = caller;
  const { email } = await tx
    .selectFrom('users')
    .select('email')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const options = await registrationOptions(tx, context, { userId, email, name: `${firstName} ${lastName}`, now });
  return { options: { ...options } };
});
