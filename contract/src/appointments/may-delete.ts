import { toCents } from '../money.ts';

/**
 * LIST-20, VALID-32: whether an appointment may be deleted: only when nothing was collected and it has no duration. The server
 * also refuses when it has notes, files or recordings (`hasRecords`), which a list row does not contain.
 */
export function mayDelete(appointment: { collected: string; duration: number; hasRecords?: boolean }): boolean {
  return toCents(appointment.collected) === 0 && appointment.duration === 0 && !appointment.hasRecords;
}
