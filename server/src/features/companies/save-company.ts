import { type CompanyBody, saveCompany as call } from '@roomside/contract/companies/calls.ts';
import { fromCents, toCents } from '@roomside/contract/money.ts';
import { newUid } from '../../platform/access-code.ts';
import type { StaffCaller, SuperCaller } from '../../platform/caller.ts';
import { requireNamesWithoutAddresses } from '../../platform/checked-names.ts';
import type { Context } from '../../platform/context.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { recheckSignIns } from '../../platform/end-sign-ins.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { toE164 } from '../../platform/phone.ts';
import { checkVersion, notFound, Refusal } from '../../platform/refusal.ts';
import { endTrial } from '../../platform/trials.ts';
import { resolveCompanyId } from './get-company.ts';
import { newLicense, newLicenseEnds } from './new-license.ts';
import { checkedAccount, type PaymentColumns, requireSettled } from './payment-account.ts';

/**
 * COMPANY-5, VALID-11 to VALID-19: an administrator saves their own company. A Super saves any, including the fields that
 * only a Super may set (ROLE-6), or creates one. New settings do not change existing appointments.
 */
export const saveCompany = forUsersInSteps(call, async ({ context, body, now, touched, look, commit }) => {
  const account = await checkedAccount(context, body, now, look);
  let isSaved = false;
  try {
    const saved = await commit((tx, caller, afterCommit) =>
      save({ context, body, now, touched, tx, caller, afterCommit }, account.columns),
    );
    isSaved = true;
    return saved;
  } finally {
    await account.ended(isSaved);
  }
});

interface Saving {
  readonly context: Context;
  readonly body: CompanyBody;
  /** ISO. */
  readonly now: string;
  readonly touched: (kind: string, id: number) => void;
  readonly tx: Tx;
  readonly caller: StaffCaller | SuperCaller;
  readonly afterCommit: AfterCommit;
}

async function save(saving: Saving, payment: PaymentColumns): Promise<{ companyId: number; version: number }> {
  const { context, body, now, touched, tx, caller, afterCommit } = saving;
  if (caller.kind === 'super' && body.companyId === 0) {
    const created = await createCompany(tx, body, now);
    touched('companyId', created);
    return { companyId: created, version: 0 };
  }
  const companyId = resolveCompanyId(caller, body.companyId);
  const stored = await tx
    .selectFrom('companies')
    .select(['company_id', 'company_name', 'version', 'second_factor_from', 'payment_processor', 'payment_user'])
    .where('company_id', '=', companyId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  if (caller.kind !== 'super' && Object.keys(superColumns(body)).length > 0) throw new Refusal('not-allowed');
  checkVersion(stored, body.version);
  requireNamesWithoutAddresses(caller, { companyName: { name: body.companyName, stored: stored.company_name } });
  // Again, behind the lock: a charge may have begun while the processor checked the account.
  await requireSettled(tx, stored, payment, now);
  const version = stored.version + 1;
  await tx
    .updateTable('companies')
    .set({ ...ownColumns(body), ...superColumns(body), ...payment, version })
    .where('company_id', '=', companyId)
    .execute();
  if (caller.kind === 'super') await endTrial(tx, companyId);
  const { second_factor_from: from = stored.second_factor_from } = ownColumns(body);
  if (body.disabled || from !== stored.second_factor_from) recheckSignIns({ tx, context }, { companyId });
  touched('companyId', companyId);
  afterCommit(() => context.push.company(companyId));
  return { companyId, version };
}

/** Returns the id of a new company. A Super invites its first administrator by the list of its users. */
async function createCompany(tx: Tx, body: CompanyBody, now: string): Promise<number> {
  const { company_id } = await tx
    .insertInto('companies')
    .values({
      company_uid: newUid(),
      created_at: now,
      provider_count: newLicense.providerCount,
      expiration_date: newLicenseEnds(now, body.timeZone),
      ...ownColumns(body),
      ...superColumns(body),
    })
    .returning('company_id')
    .executeTakeFirstOrThrow();
  return company_id;
}

const ownColumns = (body: CompanyBody) => ({
  company_name: body.companyName.trim(),
  time_zone: body.timeZone,
  remind_before_min: body.remindBeforeMin,
  start_hour: body.startHour,
  end_hour: body.endHour,
  slot: body.slot,
  duration: body.duration,
  visit_limit: body.limit,
  self_pay_fee: fromCents(toCents(body.selfPayFee)),
  notify_users_min: body.notifyUsersMin,
  notice_hours: body.noticeHours,
  generic_schedule: body.genericSchedule,
  confirm_bookings: body.confirmBookings,
  allow_recording: body.allowRecording,
  notify_providers: body.notifyProviders === 1,
  ...(body.secondFactorFrom !== undefined && { second_factor_from: body.secondFactorFrom || null }),
  ...(body.refundRule !== undefined && { refund_rule: body.refundRule }),
});

const superColumns = (body: CompanyBody) => ({
  ...(body.providerCount !== undefined && { provider_count: body.providerCount }),
  ...(body.expirationDate !== undefined && { expiration_date: body.expirationDate }),
  ...(body.supportEmail !== undefined && { support_email: body.supportEmail.trim() }),
  ...(body.smsPhone !== undefined && { sms_phone: body.smsPhone ? toE164(body.smsPhone) : '' }),
  ...(body.allowReq !== undefined && { allow_req: body.allowReq }),
  ...(body.frontEndUrl !== undefined && { front_end_url: body.frontEndUrl.replace(/\/+$/, '') }),
  ...(body.disabled !== undefined && { disabled: body.disabled }),
});
