import { maxPeers } from '../limits.ts';
import type { Role } from '../permissions.ts';

/**
 * Returns whether a person may enter a room in which there are people of these roles. A place is kept for the patient and for one member
 * of staff, so that guests cannot keep them out.
 */
export function hasPlace(present: readonly Role[], entering: Role): boolean {
  const isStaff = (role: Role) => role !== 'P' && role !== 'G';
  const keptForPatient = entering !== 'P' && !present.includes('P') ? 1 : 0;
  const keptForStaff = !isStaff(entering) && !present.some(isStaff) ? 1 : 0;
  return present.length + 1 + keptForPatient + keptForStaff <= maxPeers;
}
