import * as auth from '@roomside/contract/auth/calls.ts';
import * as room from '@roomside/contract/room/calls.ts';
import { expect, test } from 'vitest';
import * as door from './door.ts';

test.each(['login', 'refresh', 'logout'] as const)('%s of the door is the call of the contract', (name) => {
  const { method, path, who, format, creates } = auth[name];
  expect(door[name]).toEqual({ name, method, path, who, format, creates });
});

test('listMyVisits of the door is the call of the contract', () => {
  const { name, method, path, who, format, creates } = room.listMyVisits;
  expect(door.listMyVisits).toEqual({ name, method, path, who, format, creates });
});
