import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { opensAt } from '@roomside/contract/room/opens-at.ts';

/** What the address of a visit shows; 'open' is the room. */
export type Gate = 'open' | 'payment' | 'early' | 'cancelled' | 'ended';

/** Decides for one person at a moment (ms). */
export function gateOf(visit: Teleappointment['appointment'], isPatient: boolean, now: number): Gate {
  if (visit.cancelled) return 'cancelled';
  if (!isPatient) return 'open';
  if (visit.ended) return 'ended';
  // ROOM-7; `chargeable` implies that the company can take payments.
  if (visit.chargeable) return 'payment';
  return now < opensAt(visit.startDate) ? 'early' : 'open';
}

/**
 * What a page shows that has opened the room. Only events of the room end it, and a move of the visit by which its patient is early now.
 *
 * @param openedAt the start of the visit when the room was opened
 */
export const gateInRoom = (gate: Gate, startDate: string, openedAt: string): Gate =>
  gate === 'early' && startDate !== openedAt ? 'early' : 'open';
