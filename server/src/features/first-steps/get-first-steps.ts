import { getFirstSteps as call } from '@roomside/contract/first-steps/calls.ts';
import { type RawBuilder, sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';

const any = (query: RawBuilder<unknown>) => sql<boolean>`exists (${query})`;

export const getFirstSteps = forStaff(call, async ({ caller: { companyId }, tx }) => {
  const row = await tx
    .selectFrom('companies')
    .select([
      'company_uid',
      'generic_schedule',
      'first_steps_dismissed_at',
      'booking_link_used_at',
      any(
        sql`select from scheduling_rules where company_id = ${companyId} and archived_at is null and not disabled`,
      ).as('has_rule'),
      any(sql`select from users where company_id = ${companyId} and not disabled offset 1`).as('has_colleague'),
      any(sql`select from patients p join appointments a on a.company_id = p.company_id and a.patient_id = p.patient_id
        join visits v on v.appointment_id = a.appointment_id
        where p.company_id = ${companyId} and p.is_test
          and (v.duration > 0 or (v.patient_present_at is not null and v.provider_present_at is not null))`).as(
        'has_visit',
      ),
    ])
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  return {
    dismissed: row.first_steps_dismissed_at !== null,
    done: {
      hours: row.has_rule,
      colleagues: row.has_colleague,
      bookingLink: row.booking_link_used_at !== null,
      testVisit: row.has_visit,
    },
    companyUid: row.company_uid,
    genericSchedule: row.generic_schedule,
  };
});
