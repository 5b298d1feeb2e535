import { listAppointments as call } from '@roomside/contract/appointments/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { finishPage, pageOf, totalOf } from '../../platform/lists.ts';
import { toRow } from './appointment-rows.ts';
import { countAppointments, findPage, sortOf } from './find-appointments.ts';

/** CALL-6: the appointments of a day or of a patient. */
export const listAppointments = forStaff(call, async ({ caller, query, tx, now, touched }) => {
  const { column, direction, keys, casts } = sortOf(query);
  const page = pageOf(query, keys, direction, casts);
  const found = await findPage(tx, caller, query, page).execute();
  const total = await totalOf(query, () => countAppointments(tx, caller, query));
  touched(
    'appointments',
    found.map((row) => row.appointment_id),
  );
  const { data, ...ends } = finishPage(found, page, (row) => {
    const unique = [row.starts_at, row.appointment_id] as const;
    if (column === 'patient') return [row.patient_last, row.patient_first, ...unique];
    if (column === 'doctor') return [row.doctor_last, row.doctor_first, ...unique];
    if (column === 'duration') return [row.duration, ...unique];
    return column === 'collected' ? [row.collected, ...unique] : unique;
  });
  const tag = { timeZone: caller.timeZone, currency: caller.currency };
  return { data: data.map((row) => toRow(row, now, caller.timeZone)), total, ...ends, tag };
});
