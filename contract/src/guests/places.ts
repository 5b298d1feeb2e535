import { maxPeers } from '../limits.ts';
import type { Role } from '../permissions.ts';

/**
 * Returns whether a person may enter a room in which there are people of these roles. Only guests are limited: with them a room has at most
 * four people, the patient included who is not there yet.
 */
export function hasPlace(present: readonly Role[], entering: Role): boolean {
  if (entering !== 'G') return true;
  const keptForPatient = present.includes('P') ? 0 : 1;
  return present.length + 1 + keptForPatient <= maxPeers;
}

/**
 * Returns whether a guest who was in a room a moment ago may come back to these people. Colleagues who came meanwhile do not take the guest's place;
 * another guest does.
 */
export const hasPlaceAgain = (present: readonly Role[]): boolean =>
  hasPlace([...present.filter((role) => role === 'G'), 'P', 'D'], 'G');
