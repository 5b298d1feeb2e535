import { expect, test } from 'vitest';
import type { Role } from '../permissions.ts';
import { hasPlace } from './places.ts';

test.each<[present: string, entering: Role, has: boolean]>([
  ['', 'P', true],
  ['D', 'G', true],
  ['DP', 'G', true],
  ['DPG', 'G', true],
  ['DPGG', 'G', false],
  ['DPGG', 'U', false],
  // A place is kept for the patient.
  ['DGG', 'G', false],
  ['DGG', 'A', false],
  ['DGG', 'P', true],
  ['DAU', 'G', false],
  ['DAU', 'P', true],
  // And one for staff.
  ['PGG', 'G', false],
  ['PGG', 'D', true],
  // A second device of the patient.
  ['DPG', 'P', true],
  ['DPGG', 'P', false],
])('hasPlace: with %s in the room, %s enters: %s', (present, entering, has) => {
  expect(hasPlace(present.split('') as Role[], entering)).toBe(has);
});
