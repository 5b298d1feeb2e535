import { getCompanySettings as call } from '@roomside/contract/companies/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { pageAddress } from '../../platform/page-host.ts';

export const getCompanySettings = forStaff(call, async ({ context, caller, tx }) => {
  const company = await tx
    .selectFrom('companies')
    .select([
      'company_name',
      'time_zone',
      'currency',
      'start_hour',
      'end_hour',
      'slot',
      'duration',
      'self_pay_fee',
      'front_end_url',
    ])
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  return {
    companyName: company.company_name,
    timeZone: company.time_zone,
    currency: company.currency,
    startHour: company.start_hour,
    endHour: company.end_hour,
    slot: company.slot,
    duration: company.duration,
    selfPayFee: company.self_pay_fee,
    frontEndUrl: pageAddress(context, company.front_end_url),
  };
});
