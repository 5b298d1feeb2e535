import { disconnectUser as call } from '@roomside/contract/users/calls.ts';
import { sql } from 'kysely';
import { endOtherSignIns } from '../../platform/end-sign-ins.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { announceChange } from '../second-factor/announce-change.ts';
import { findUser } from './user-rows.ts';

/** Disconnects a user from an external account, ends the sign-ins that it may have begun, and mails the user. */
export const disconnectUser = forUsers(call, async ({ context, caller, params, tx, now, touched }) => {
  const { userId } = params;
  if (userId === caller.userId) throw new Refusal('own-record');
  const user = await findUser(tx, caller, userId);
  if (user.external_id === null) throw new Refusal('not-allowed');
  touched('userId', userId);
  await tx
    .updateTable('users')
    .set({ external_provider: null, external_id: null, version: sql`version + 1` })
    .where('user_id', '=', userId)
    .execute();
  await endOtherSignIns({ tx, context, now }, userId, 0);
  await announceChange(tx, context, userId, 'external-account-disconnected');
  return undefined;
});
