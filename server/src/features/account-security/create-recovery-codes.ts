import { createRecoveryCodes as call } from '@roomside/contract/account-security/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { announceChange } from '../second-factor/announce-change.ts';
import { secondStepMethodsOf } from '../second-factor/factors.ts';
import { replaceRecoveryCodes } from '../second-factor/recovery-codes.ts';

export const createRecoveryCodes = forUsers(call, async ({ context, caller: { userId, signInId }, tx, now }) => {
  await requireConfirmed(tx, { userId, signInId }, now);
  if ((await secondStepMethodsOf(tx, userId)).length === 0) throw new Refusal('no-second-factor');
  const codes = await replaceRecoveryCodes(tx, context.keys, { userId, now });
  await announceChange(tx, context, userId, 'recovery-codes-created');
  return { codes };
});
