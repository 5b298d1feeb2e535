import { moveAppointment as call } from '@roomside/contract/schedule/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { appointmentRows, requireNotBegun } from './appointment-rows.ts';
import { moveTo } from './move-to.ts';
import { requirePatient } from './require-patient.ts';

/** SCHED-3, STATE-25: moves an upcoming appointment to another time or provider; its length stays. */
export const moveAppointment = forStaff(
  call,
  async ({ context, caller, params, body, tx, now, touched, afterCommit }) => {
    const row = await appointmentRows(tx)
      .select(['a.version', 'a.calendar_sequence'])
      .where('a.appointment_id', '=', params.appointmentId)
      .forNoKeyUpdate('a')
      .executeTakeFirst();
    if (!row) throw notFound();
    if (row.version !== body.version) throw new Refusal('stale', { current: { version: row.version } });
    if (row.cancelled) throw new Refusal('appointment-cancelled');
    requireNotBegun(row, now);
    await requirePatient(tx, row.patient_id);
    touched('patientId', row.patient_id);
    const { companyId, timeZone, userId } = caller;
    const by = { companyId, timeZone, userId, own: { holds: 'ignore' as const }, overbook: body.overbook ?? false };
    const wanted = { startsAt: new Date(body.startDate).toISOString(), doctorId: body.doctorId };
    const moved = await moveTo(tx, context, by, row, wanted, now);
    afterCommit(() => context.push.schedule(companyId));
    return moved;
  },
);
