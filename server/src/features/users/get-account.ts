import { getAccount as call } from '@roomside/contract/users/calls.ts';
import type { StaffCaller, SuperCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { byName } from '../../platform/lists.ts';
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
    ...(await arrivalsOf(tx, caller)),
  };
});

/** Of whose patients' arrivals the user is notified (features/notifications/user-notices.ts). */
async function arrivalsOf(tx: Tx, caller: StaffCaller | SuperCaller) {
  if (caller.kind === 'super') return { notifyForUsers: [], notifyOfOwn: false };
  const chosen = await tx
    .selectFrom('user_notify_for as f')
    .innerJoin('users as d', 'd.user_id', 'f.doctor_id')
    .select(['d.user_id', 'd.first_name', 'd.last_name'])
    .where('f.user_id', '=', caller.userId)
    .where('d.disabled', '=', false)
    .orderBy(byName('d.last_name'))
    .orderBy(byName('d.first_name'))
    .orderBy('d.user_id')
    .execute();
  const { notify_providers } = await tx
    .selectFrom('companies')
    .select('notify_providers')
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  return {
    notifyForUsers: chosen.map((row) => ({
      userId: row.user_id,
      firstName: row.first_name,
      lastName: row.last_name,
    })),
    notifyOfOwn: notify_providers && caller.role !== 'U',
  };
}
