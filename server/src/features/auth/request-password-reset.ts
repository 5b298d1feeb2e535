import { requestPasswordReset as call } from '@roomside/contract/auth/calls.ts';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { networksOf } from '../../platform/http/networks.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { queuePasswordMail } from '../notifications/deliver-password-mail.ts';
import { anyDevice } from './known-devices.ts';

/**
 * ACCOUNT-2: known and unknown emails take the same path, and the job of an unknown one does nothing. Requests from other
 * networks for the same email do not slow this one down, nor do those of others in the network of a browser in which any user has
 * signed in before. The job limits how many emails are sent. The audit row names the user if there is one, never the email.
 */
export const requestPasswordReset = forAnyone(call, async ({ context, body, now, address, request }) => {
  const email = body.email.trim();
  const device = anyDevice(context, request);
  const found = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{
      user_id: number;
      company_id: number | null;
      blocked_by: string | null;
    }>`select * from auth_user(${email})`.execute(tx);
    return rows[0];
  });
  // The user counts, not the spelling: the database and this code do not fold all letters in the same way.
  const owner = found ? `user ${found.user_id}` : email.toLowerCase();
  await throttle(context, [
    { scope: 'reset', subject: `${owner} ${device ?? networksOf(address).customer}` },
    ...(device === null ? attemptsOf('reset-address', address) : [{ scope: 'reset-device' as const, subject: device }]),
  ]);
  const userId = found && found.blocked_by === null ? found.user_id : 0;
  await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    await queuePasswordMail(tx, context, { userId });
    audit(tx, {
      caller: null,
      actor: found ? `user_${found.user_id}` : 'unknown',
      companyId: found?.company_id ?? null,
      at: now,
      action: call.name,
      path: call.path,
      objects: {},
      address,
      requestId: request.id,
    });
  });
  return undefined;
});
