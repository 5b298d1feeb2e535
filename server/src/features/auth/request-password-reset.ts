import { requestPasswordReset as call } from '@roomside/contract/auth/calls.ts';
import { sql } from 'kysely';
import { forAnyone } from '../../platform/http/handler.ts';
import { networksOf } from '../../platform/http/networks.ts';
import { throttle } from '../../platform/throttle.ts';
import { queuePasswordMail } from '../notifications/deliver-password-mail.ts';
import { anyDevice } from './known-devices.ts';

/**
 * ACCOUNT-2: known and unknown emails take the same path, and the job of an unknown one does nothing. Requests from other
 * networks for the same email do not slow this one down, nor do those of others in the network of a browser in which any user has
 * signed in before. The job limits how many emails are sent.
 */
export const requestPasswordReset = forAnyone(call, async ({ context, body, address, request }) => {
  const email = body.email.trim();
  const from = anyDevice(context, request) ?? networksOf(address).customer;
  await throttle(context, [
    { scope: 'reset', subject: `${email.toLowerCase()} ${from}` },
    { scope: 'reset-address', subject: from },
  ]);
  await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{
      user_id: number;
      blocked_by: string | null;
    }>`select * from auth_user(${email})`.execute(tx);
    const userId = rows[0] && rows[0].blocked_by === null ? rows[0].user_id : 0;
    await queuePasswordMail(tx, context, { userId });
  });
  return undefined;
});
