import { getUser as call, roleNameOf, type UserRow } from '@roomside/contract/users/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { pageHost } from '../../platform/page-host.ts';
import { fromE164 } from '../../platform/phone.ts';
import { secondStepMethodsOf } from '../second-factor/factors.ts';
import { findUser } from './user-rows.ts';

/** CALL-19, ENTITY-3. */
export const getUser = forUsers(call, async ({ context, caller, params, tx, touched }) => {
  const row = await findUser(tx, caller, params.userId);
  touched('userId', row.user_id);
  const notified = await tx
    .selectFrom('user_notify_for')
    .select('doctor_id')
    .where('user_id', '=', row.user_id)
    .orderBy('doctor_id')
    .execute();
  const roleId = row.role_id as UserRow['role']['roleId'];
  return {
    userId: row.user_id,
    version: row.version,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    phone: fromE164(row.phone),
    roleId,
    npi: row.npi,
    selfPayFee: row.self_pay_fee ?? '',
    notificationType: row.notification_type,
    notifyForUsers: notified.map(({ doctor_id }) => ({ userId: doctor_id })),
    disabled: row.disabled,
    role: { roleId, roleName: roleNameOf(roleId) },
    companyId: row.company_id ?? 0,
    host: pageHost(context, row.front_end_url),
    externalId: row.external_id ?? '',
    company: row.company_id === null ? null : { companyId: row.company_id, companyName: row.company_name },
    created: row.created_at,
    isExternal: row.external_id !== null,
    hasPassword: row.password_hash !== null,
    hasSecondFactor: (await secondStepMethodsOf(tx, row.user_id)).length > 0,
    invitedAt: row.invited_at,
    invitationEndedAt: row.invitation_ended_at,
  };
});
