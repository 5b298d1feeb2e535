import { getCompany as call } from '@roomside/contract/companies/calls.ts';
import type { RefundRule } from '@roomside/contract/payments/calls.ts';
import type { ProcessorName } from '@roomside/contract/payments/processors.ts';
import type { AnyCaller } from '../../platform/caller.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { pageAddress } from '../../platform/page-host.ts';
import { fromE164 } from '../../platform/phone.ts';
import { notFound } from '../../platform/refusal.ts';

/**
 * Resolves a company id: 0 is the caller's own company. Only a Super may name another one.
 *
 * @throws Refusal `not-found`
 */
export function resolveCompanyId(caller: AnyCaller, companyId: number): number {
  const own = 'companyId' in caller ? caller.companyId : 0;
  const resolved = companyId || own;
  if (resolved === 0 || (caller.kind !== 'super' && resolved !== own)) throw notFound();
  return resolved;
}

export const getCompany = forUsers(call, async ({ context, caller, params, tx }) => {
  const row = await tx
    .selectFrom('companies')
    .selectAll()
    .where('company_id', '=', resolveCompanyId(caller, params.companyId))
    .executeTakeFirst();
  if (!row) throw notFound();
  return {
    companyId: row.company_id,
    companyUid: row.company_uid,
    version: row.version,
    created: row.created_at,
    currency: row.currency,
    companyName: row.company_name,
    timeZone: row.time_zone,
    remindBeforeMin: row.remind_before_min,
    startHour: row.start_hour,
    endHour: row.end_hour,
    slot: row.slot as 10,
    duration: row.duration as 10,
    limit: row.visit_limit,
    selfPayFee: row.self_pay_fee,
    notifyUsersMin: row.notify_users_min,
    noticeHours: row.notice_hours,
    genericSchedule: row.generic_schedule,
    confirmBookings: row.confirm_bookings,
    allowRecording: row.allow_recording,
    notifyProviders: row.notify_providers ? (1 as const) : (0 as const),
    secondFactorFrom: row.second_factor_from ?? '',
    paymentProcessor: row.payment_processor as ProcessorName | null,
    pmtUser: row.payment_user,
    hasPmtPassword: row.payment_password.length > 0,
    refundRule: row.refund_rule as RefundRule,
    providerCount: row.provider_count,
    expirationDate: row.expiration_date,
    supportEmail: row.support_email,
    smsPhone: fromE164(row.sms_phone),
    allowReq: row.allow_req,
    frontEndUrl: pageAddress(context, row.front_end_url),
    disabled: row.disabled,
  };
});
