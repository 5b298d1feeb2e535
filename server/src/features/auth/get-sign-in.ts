import { getSignIn as call } from '@roomside/contract/auth/calls.ts';
import { isExpired } from '@roomside/contract/companies/status.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { forEverybody } from '../../platform/http/handler.ts';
import { hasFactor } from '../second-factor/factors.ts';

/** Returns the signed-in person, read from the database. */
export const getSignIn = forEverybody(call, async ({ context, caller, tx, now }) => {
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
    remembered: caller.kind !== 'patient' && (await isRemembered(tx, caller, now)),
    idleMinutes: context.settings.IDLE_MINUTES,
  };
});

async function isRemembered(tx: Tx, caller: { userId: number; signInId: number }, now: string): Promise<boolean> {
  const { rows } = await sql<{ remember: boolean }>`select remember from user_sign_ins(${caller.userId}, ${now})
    where sign_in_id = ${caller.signInId}`.execute(tx);
  return rows[0]?.remember ?? false;
}
