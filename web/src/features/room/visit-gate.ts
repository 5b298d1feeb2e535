import { earlyMinutes } from '@roomside/contract/limits.ts';
import type { Teleappointment } from '@roomside/contract/room/calls.ts';

/** What the address of a visit shows before its room: the room itself is 'open'. */
export type Gate = 'open' | 'payment' | 'early' | 'cancelled' | 'ended';

/** Decides for one person at one moment (ms). `opensAt` is when an early patient may come in, ms. */
export function gateOf(visit: Teleappointment['appointment'], iAmPatient: boolean, now: number): Gate {
  if (visit.cancelled) return 'cancelled';
  if (!iAmPatient) return 'open';
  if (visit.ended) return 'ended';
  // ROOM-7; chargeable already means that the company has a way to be paid (decisions, 4).
  if (visit.chargeable) return 'payment';
  return now < opensAt(visit) ? 'early' : 'open';
}

/** The moment from which a patient may be in the room, ms. */
export function opensAt(visit: { startDate: string }): number {
  return Date.parse(visit.startDate) - earlyMinutes * 60_000;
}
