import { startTestVisit as call } from '@roomside/contract/first-steps/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { createImmediate } from '../appointments/change-appointment.ts';
import { insertPatient } from '../patients/patient-rows.ts';

/** Behind the last name of a test patient, in all lists. */
const mark = ' (test)';

/** A visit of the caller with themselves, now. Nothing is sent, since a test patient has no contacts and judge.ts drops the rest. */
export const startTestVisit = forStaff(call, async ({ context, caller, tx, now, touched, afterCommit }) => {
  const patientId = (await findTestPatient(tx, caller)) ?? (await createTestPatient(tx, caller, now));
  const { duration } = await tx
    .selectFrom('companies')
    .select('duration')
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  const scope = { context, caller, tx, now, afterCommit };
  const created = await createImmediate(scope, { patientId, fee: '0.00', minutes: duration });
  touched('patientId', patientId);
  touched('appointmentId', created.appointment_id);
  return { appointmentId: created.appointment_id, appointmentUid: created.appointment_uid };
});

/** The names of an administrator as a patient. */
const namesOf = ({ firstName, lastName }: StaffCaller) => ({
  firstName,
  lastName: lastName.slice(0, limits.name - mark.length) + mark,
});

/** The test patient of an earlier visit of the same administrator. */
async function findTestPatient(tx: Tx, caller: StaffCaller): Promise<number | undefined> {
  const { firstName, lastName } = namesOf(caller);
  const row = await tx
    .selectFrom('patients')
    .select('patient_id')
    .where('company_id', '=', caller.companyId)
    .where('is_test', '=', true)
    .where('archived_at', 'is', null)
    .where('first_name', '=', firstName)
    .where('last_name', '=', lastName)
    .orderBy('patient_id')
    .executeTakeFirst();
  return row?.patient_id;
}

const createTestPatient = (tx: Tx, caller: StaffCaller, now: string): Promise<number> =>
  insertPatient(tx, {
    ...namesOf(caller),
    companyId: caller.companyId,
    birthDate: null,
    email: '',
    externalId: '',
    phones: [],
    anonymous: false,
    isTest: true,
    now,
  });
