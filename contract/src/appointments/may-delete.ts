import { toCents } from '../money.ts';

/**
 * LIST-20, VALID-32: an appointment is offered for deletion only with nothing collected and no duration. The server
 * refuses too, and also where notes, files or recordings exist (`hasRecords`), which a list row does not carry.
 */
export function mayDelete(visit: { collected: string; duration: number; hasRecords?: boolean }): boolean {
  return toCents(visit.collected) === 0 && visit.duration === 0 && !visit.hasRecords;
}
