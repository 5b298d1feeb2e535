import { resetSecondFactor as call } from '@roomside/contract/users/calls.ts';
import { endOtherSignIns } from '../../platform/end-sign-ins.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { announceChange } from '../second-factor/announce-change.ts';
import { lockFactors, removeFactors } from '../second-factor/factors.ts';
import { findUser } from './user-rows.ts';

/** Removes the second factor of a user who has lost it. The own one is removed in My Account, with the password. */
export const resetSecondFactor = forUsers(call, async ({ context, caller, params, tx, now, touched }) => {
  const { userId } = params;
  if (userId === caller.userId) throw new Refusal('own-record');
  await findUser(tx, caller, userId);
  touched('userId', userId);
  await lockFactors(tx, userId);
  await removeFactors(tx, userId);
  await endOtherSignIns({ tx, context, now }, userId, 0);
  await announceChange(tx, context, userId, 'second-factor-reset');
  return undefined;
});
