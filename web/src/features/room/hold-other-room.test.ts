import { expect, test } from 'vitest';
import { leaveQuestion } from '../../form/leave-questions.ts';
import { holdOtherRoom } from './hold-other-room.ts';

const uid = '0123456789abcdef0123456789abcdef';
const other = 'fedcba9876543210fedcba9876543210';

test('visit with people: asks before another room only', () => {
  let people = 0;
  const release = holdOtherRoom(uid, () => (people > 0 ? { text: 'Leave?', yes: 'Leave', no: 'Stay' } : undefined));
  const asks = (path: string) => leaveQuestion(path) !== undefined;
  expect(asks(`/appointment/${other}`)).toBe(false);
  people = 1;
  expect(asks(`/appointment/${other}`)).toBe(true);
  expect(asks(`/appointment/${other}/x`)).toBe(true);
  for (const path of [`/appointment/${uid}`, `/appointment/${uid}/x`, `/appointment/${uid.toUpperCase()}`]) {
    expect(asks(path)).toBe(false);
  }
  for (const path of ['/appointment-list/2031-01-01', '/appointment-edit/1/2', '/waiting-room', '/logout']) {
    expect(asks(path)).toBe(false);
  }
  release();
  expect(asks(`/appointment/${other}`)).toBe(false);
});
