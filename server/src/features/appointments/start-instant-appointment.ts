import { randomInt } from 'node:crypto';
import { startInstantAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { providers } from '@roomside/contract/permissions.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { insertPatient } from '../patients/patient-rows.ts';
import { createImmediate } from './change-appointment.ts';
import { initialFee } from './initial-fee.ts';
import { queueInvitation } from './invite.ts';

/** STATE-4, CONST-14: creates an appointment with the caller that starts now, for a known or a new anonymous patient. */
export const startInstantAppointment = forStaff(
  call,
  async ({ context, caller, body, tx, now, touched, afterCommit }) => {
    const patientId = body.patientId ?? (await createAnonymousPatient());
    const patient = await tx
      .selectFrom('patients')
      .select('patient_id')
      .where('patient_id', '=', patientId)
      .where('archived_at', 'is', null)
      .forShare()
      .executeTakeFirst();
    if (!patient) throw notFound();
    const company = await tx
      .selectFrom('companies')
      .select(['duration', 'self_pay_fee'])
      .where('company_id', '=', caller.companyId)
      .executeTakeFirstOrThrow();
    const doctor = await tx
      .selectFrom('users')
      .select('self_pay_fee')
      .where('user_id', '=', caller.userId)
      .where('company_id', '=', caller.companyId)
      .where('role_id', 'in', providers)
      .executeTakeFirst();
    if (!doctor) throw new Refusal('not-allowed');
    const fee = initialFee(doctor.self_pay_fee, company.self_pay_fee);
    const scope = { context, caller, tx, now, afterCommit };
    const created = await createImmediate(scope, { patientId, fee, minutes: company.duration });
    const appointmentId = created.appointment_id;
    touched('patientId', patientId);
    touched('appointmentId', appointmentId);
    const queued = await queueInvitation(tx, context, caller, { appointmentId, state: { patientId } }, { now });
    return { appointmentId, appointmentUid: created.appointment_uid, invited: queued === 'queued' };

    /** Named 'Patient' 'Anonymous-123456', born in a random year from 1950 to this one. */
    async function createAnonymousPatient(): Promise<number> {
      const thisYear = Number(instantToWall(now, caller.timeZone).day.slice(0, 4));
      return insertPatient(tx, {
        companyId: caller.companyId,
        firstName: 'Patient',
        lastName: `Anonymous-${String(randomInt(1_000_000)).padStart(6, '0')}`,
        birthDate: `${randomInt(1950, thisYear + 1)}-01-01`,
        email: body.email,
        externalId: '',
        phones: body.phone ? [body.phone] : [],
        anonymous: true,
        now,
      });
    }
  },
);
