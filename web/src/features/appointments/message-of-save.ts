import type { Appointment } from '@roomside/contract/appointments/calls.ts';
import { type AppointmentValues, startOf } from './appointment-form.ts';

const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);
const isTime = (text: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text);

/** The message that saving these values sends, as the server decides it; undefined = none, or the save is refused. */
export function messageOfSave(
  base: Appointment,
  values: AppointmentValues,
  slot: string,
): 'newTime' | 'newProvider' | undefined {
  const { expected, startDate, config, status } = base;
  const isSettled = base.cancelled || values.cancelled || status === 'inProgress' || status === 'completed';
  if (isSettled || values.patientId !== base.patientId || !isDate(values.date) || !isTime(values.time))
    return undefined;
  const start = startOf(values, config.timeZone, [slot, startDate, ...expected.map((one) => one.startDate)]);
  if (Date.parse(start) <= Date.now()) return undefined;
  if (start === startDate && values.doctorId === base.doctorId) return undefined;
  if (expected.some((one) => one.startDate !== start)) return 'newTime';
  return expected.some((one) => one.doctorId !== values.doctorId) ? 'newProvider' : undefined;
}
