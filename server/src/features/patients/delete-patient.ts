import { deletePatient as call } from '@roomside/contract/patients/calls.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

/** Archives: gone from lists, kept for the audit. Upcoming visits must be cancelled first, so that nobody is stood up. */
export const deletePatient = forStaff(call, async ({ params, tx, now }) => {
  const { patientId } = params;
  const stored = await tx
    .selectFrom('patients as p')
    .select(
      sql<boolean>`exists (select 1 from appointments a where a.patient_id = p.patient_id and a.company_id = p.company_id
        and a.archived_at is null and not a.cancelled and a.ends_at > ${now})`.as('expected'),
    )
    .where('p.patient_id', '=', patientId)
    .where('p.archived_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  if (stored.expected) throw new Refusal('has-visits');
  await tx.updateTable('patients').set({ archived_at: now }).where('patient_id', '=', patientId).execute();
  return undefined;
});
