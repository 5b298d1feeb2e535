import { describe, expect, test } from 'vitest';
import { hasBegun, isOver, mayConnect, mayInvite } from './over.ts';
import type { Status } from './status.ts';

const endDate = '2026-03-02T15:00:00Z';
const soon = '2026-03-02T15:10:00Z';
const dayLater = '2026-03-03T15:00:00Z';

describe('an appointment', () => {
  test.each<[Status, string, boolean, boolean, boolean]>([
    ['scheduled', soon, false, true, true],
    ['waiting', soon, false, true, true],
    ['inProgress', soon, false, true, false],
    ['missed', soon, false, true, true],
    ['completed', soon, true, false, false],
    ['cancelled', soon, true, false, false],
    ['missed', dayLater, true, false, false],
    ['scheduled', dayLater, true, false, false],
    ['inProgress', dayLater, false, true, false],
  ])(
    '%s at %s: over %s, may be invited to %s, may be started now %s @STATE-4',
    (status, now, over, invite, connect) => {
      const visit = { status, endDate };
      expect([isOver(visit, now), mayInvite(visit, now), mayConnect(visit, now)]).toEqual([over, invite, connect]);
    },
  );

  test('has begun once both have met', () => {
    const all = ['cancelled', 'completed', 'inProgress', 'waiting', 'missed', 'scheduled'] as const;
    expect(all.filter(hasBegun)).toEqual(['completed', 'inProgress']);
  });
});
