import { getAccount as call } from '@roomside/contract/users/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { fromE164 } from '../../platform/phone.ts';
import { notFound } from '../../platform/refusal.ts';

export const getAccount = forUsers(call, async ({ caller, tx }) => {
  const row = await tx
    .selectFrom('users')
    .select(['user_id', 'first_name', 'last_name', 'email', 'phone', 'notification_type', 'version'])
    .where('user_id', '=', caller.userId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return {
    userId: row.user_id,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    phone: fromE164(row.phone),
    notificationType: row.notification_type,
    version: row.version,
  };
});
