import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { holdPage, type LeaveQuestion } from '../../form/leave-questions.ts';
import { patterns } from '../../paths.ts';

const roomPath = new RegExp(`^${patterns.appointment.replace(':uid', '([^/]+)')}(/|$)`);

/**
 * Asks before the room of another visit is opened while `question` returns one: a person is in one room at a time. Returns a function
 * that ends it.
 */
export function holdOtherRoom(uid: string, question: () => LeaveQuestion | undefined): () => void {
  return holdPage((path) => {
    const other = roomPath.exec(path)?.[1];
    return other === undefined || normalizeUid(other) === uid ? undefined : question();
  });
}
