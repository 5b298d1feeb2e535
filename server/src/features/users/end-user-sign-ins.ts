import { endUserSignIns as call } from '@roomside/contract/users/calls.ts';
import { endOtherSignIns } from '../../platform/end-sign-ins.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findUser } from './user-rows.ts';

/** Signs a user out on all devices, e.g. for a lost one. Links that were mailed to them end, too. */
export const endUserSignIns = forUsers(call, async ({ context, caller, params, tx, now, touched }) => {
  const { userId } = params;
  if (userId === caller.userId) throw new Refusal('own-record');
  await findUser(tx, caller, userId);
  touched('userId', userId);
  await endOtherSignIns({ tx, context, now }, userId, 0);
  return undefined;
});
