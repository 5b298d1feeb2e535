import { describe, expect, test } from 'vitest';
import { hasBegun, isOver, mayConnect, mayInvite } from './over.ts';
import type { Status } from './status.ts';

const endDate = '2026-03-02T15:00:00Z';
const tenMinutesLater = '2026-03-02T15:10:00Z';
const dayLater = '2026-03-03T15:00:00Z';

describe('an appointment', () => {
  test.each<[Status, string, boolean, boolean, boolean]>([
    ['scheduled', tenMinutesLater, false, true, true],
    ['waiting', tenMinutesLater, false, true, true],
    ['inProgress', tenMinutesLater, false, true, false],
    ['missed', tenMinutesLater, false, true, true],
    ['completed', tenMinutesLater, true, false, false],
    ['cancelled', tenMinutesLater, true, false, false],
    ['missed', dayLater, true, false, false],
    ['scheduled', dayLater, true, false, false],
    ['inProgress', dayLater, false, true, false],
  ])('%s at %s: isOver %s, mayInvite %s, mayConnect %s @STATE-4', (status, now, over, invite, connect) => {
    const appointment = { status, endDate };
    expect([isOver(appointment, now), mayInvite(appointment, now), mayConnect(appointment, now)]).toEqual([
      over,
      invite,
      connect,
    ]);
  });

  test('hasBegun: true for completed and inProgress', () => {
    const all = ['cancelled', 'completed', 'inProgress', 'waiting', 'missed', 'scheduled'] as const;
    expect(all.filter(hasBegun)).toEqual(['completed', 'inProgress']);
  });
});
