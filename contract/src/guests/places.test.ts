import { expect, test } from 'vitest';
import type { Role } from '../permissions.ts';
import { hasPlace, hasPlaceAgain } from './places.ts';

test.each<[present: string, entering: Role, has: boolean]>([
  ['DP', 'G', true],
  ['DPG', 'G', true],
  ['DPGG', 'G', false],
  // A place is kept for the patient.
  ['D', 'G', true],
  ['DG', 'G', true],
  ['DGG', 'G', false],
  // The patient and staff always enter.
  ['DPGG', 'U', true],
  ['DPGG', 'P', true],
  ['DAUDU', 'P', true],
])('hasPlace: with %s in the room, %s enters: %s', (present, entering, has) => {
  expect(hasPlace(present.split('') as Role[], entering)).toBe(has);
});

test.each<[present: string, has: boolean]>([
  ['DAPG', true],
  ['DAUG', true],
  ['P', true],
  ['DPGG', false],
])('hasPlaceAgain: with %s in the room, a guest comes back: %s', (present, has) => {
  expect(hasPlaceAgain(present.split('') as Role[])).toBe(has);
});
