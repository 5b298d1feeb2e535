import { listArrived as call } from '@roomside/contract/waiting-room/calls.ts';
import { type DeviceCheck, deviceCheck } from '@roomside/contract/waiting-room/device-check.ts';
import { waitingOrder } from '@roomside/contract/waiting-room/waiting.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { arrivalScopeOf, arrivedVisits } from './arrived-rows.ts';

/** CALL-9, WAIT-1: patients in a room; those without a provider first. */
export const listArrived = forStaff(call, async ({ caller, tx, now, touched }) => {
  const rows = await arrivedVisits(tx, arrivalScopeOf(caller))
    .innerJoin('appointments as a', 'a.appointment_id', 'v.appointment_id')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .leftJoin('device_checks as c', 'c.appointment_id', 'a.appointment_id')
    .where('a.archived_at', 'is', null)
    .select([
      'a.appointment_id',
      'a.appointment_uid',
      'a.starts_at',
      'p.first_name',
      'p.last_name',
      'd.user_id',
      'd.first_name as doctor_first',
      'd.last_name as doctor_last',
      'v.patient_present_at',
      'v.provider_present_at',
      'v.held',
      'v.expected_at',
      'c.camera',
      'c.microphone',
      'c.speaker',
      'c.connection',
    ])
    .limit(500)
    .execute();
  touched(
    'appointments',
    rows.map((row) => row.appointment_id),
  );
  const cards = rows.map((row) => ({
    appointmentId: row.appointment_id,
    appointmentUid: row.appointment_uid,
    patient: { firstName: row.first_name, lastName: row.last_name },
    doctor: { userId: row.user_id, firstName: row.doctor_first, lastName: row.doctor_last },
    startDate: row.starts_at,
    patientPresent: row.patient_present_at ?? now,
    providerPresent: row.provider_present_at,
    held: row.held,
    expectedAt: row.expected_at,
    deviceCheck: readCheck(row),
  }));
  return { data: waitingOrder(cards), now };
});

/** The row's check; null before it. */
function readCheck(row: { [Part in keyof DeviceCheck]: string | null }): DeviceCheck | null {
  const { success, data } = deviceCheck.safeParse(row);
  return success ? data : null;
}
