import { downloadAppointments as call } from '@roomside/contract/appointments/calls.ts';
import { durationText } from '@roomside/contract/appointments/status.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { csvLine } from '../../platform/csv.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { sorted } from '../../platform/lists.ts';
import { toRow } from './appointment-rows.ts';
import { findAppointments, sortOf } from './find-appointments.ts';

/** CALL-7, LIST-6: all rows of the day as CSV, with the columns of the list, fee and time zone. */
export const downloadAppointments = forStaff(call, async ({ caller, query, tx, now, touched }) => {
  const { keys, direction } = sortOf(query);
  const found = await sorted(findAppointments(tx, caller, query), { keys, direction }).execute();
  touched(
    'appointments',
    found.map((row) => row.appointment_id),
  );
  const lines = found.map((row) => {
    const shown = toRow(row, now, caller.timeZone);
    const at = instantToWall(shown.startDate, caller.timeZone);
    return csvLine([
      at.day,
      at.time,
      caller.timeZone,
      `${shown.patient.lastName}, ${shown.patient.firstName}`,
      `${shown.doctor.firstName} ${shown.doctor.lastName}`,
      shown.statusTooltip,
      durationText(shown.duration),
      shown.fee,
      shown.collected,
    ]);
  });
  const head = csvLine(['Date', 'Time', 'Time zone', 'Patient', 'Doctor', 'Status', 'Duration', 'Fee', 'Collected']);
  // Spreadsheets recognize UTF-8 by the byte order mark.
  return { fileName: `report_${query.startDate}.csv`, text: `\ufeff${head}${lines.join('')}` };
});
