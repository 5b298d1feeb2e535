import type { Appointment } from '@roomside/contract/appointments/calls.ts';
import { type AppointmentValues, isComplete, startOf } from './appointment-form.ts';

/** The message that saving these values sends, as the server decides it; undefined = none, or the save is refused. */
export function messageOfSave(
  base: Appointment,
  values: AppointmentValues,
  slot: string,
): 'newTime' | 'newProvider' | undefined {
  const { expected, startDate, config, status } = base;
  const isSettled = base.cancelled || values.cancelled || status === 'inProgress' || status === 'completed';
  if (isSettled || values.patientId !== base.patientId || !isComplete(values)) return undefined;
  const start = startOf(values, config.timeZone, [slot, startDate, ...expected.map((one) => one.startDate)]);
  if (Date.parse(start) <= Date.now()) return undefined;
  if (start === startDate && values.doctorId === base.doctorId) return undefined;
  if (expected.some((one) => one.startDate !== start)) return 'newTime';
  return expected.some((one) => one.doctorId !== values.doctorId) ? 'newProvider' : undefined;
}
