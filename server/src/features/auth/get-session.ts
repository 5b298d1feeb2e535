import { getSession as call } from '@roomside/contract/auth/calls.ts';
import { isExpired } from '@roomside/contract/companies/status.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { forEverybody } from '../../platform/http/handler.ts';
import { hasFactor } from '../second-factor/factors.ts';

/** Returns the signed-in person, read from the database. */
export const getSession = forEverybody(call, async ({ context, caller, tx, now }) => {
  const company =
    'companyId' in caller
      ? await tx
          .selectFrom('companies')
          .select([
            'company_id',
            'company_name',
            'time_zone',
            'currency',
            'support_email',
            'expiration_date',
            'second_factor_from',
          ])
          .where('company_id', '=', caller.companyId)
          .executeTakeFirstOrThrow()
      : null;
  const today = company ? instantToWall(now, company.time_zone).day : '';
  const from = company?.second_factor_from;
  const lacksFactor = caller.kind === 'staff' && from && !(await hasFactor(tx, caller.userId));
  return {
    role: caller.role,
    userId: caller.kind === 'patient' ? null : caller.userId,
    patientId: caller.kind === 'patient' ? caller.patientId : null,
    firstName: caller.firstName,
    lastName: caller.lastName,
    company: company && {
      companyId: company.company_id,
      companyName: company.company_name,
      timeZone: company.time_zone,
      currency: company.currency,
      supportEmail: company.support_email,
      expirationDate: company.expiration_date,
      expired: isExpired({ expirationDate: company.expiration_date }, today),
    },
    lacksFactor: lacksFactor ? { from, isDue: from <= today } : null,
    idleMinutes: context.settings.IDLE_MINUTES,
  };
});
