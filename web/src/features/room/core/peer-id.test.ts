import { expect, test } from 'vitest';
import { isGuestPeer, isStaffPeer, parsePeerId } from './peer-id.ts';

test('parsePeerId: returns role, person and device, which may contain the separator', () => {
  expect(parsePeerId('P_12_a_b')).toEqual({ role: 'P', personId: 12, device: 'a_b' });
});

test.each(['', 'P_12', 'P__a', 'P_x_a', 'X_12_a', 'Super_1_a', ' P_12_a'])('parsePeerId: refuses "%s"', (text) => {
  expect(() => parsePeerId(text)).toThrow('is not a peer id');
});

test.each([
  ['A_1_a', true, false],
  ['D_1_a', true, false],
  ['U_1_a', true, false],
  ['P_1_a', false, false],
  ['G_1_a', false, true],
])('%s: is staff %s, is a guest %s', (peerId, staff, guest) => {
  expect([isStaffPeer(peerId), isGuestPeer(peerId)]).toEqual([staff, guest]);
});
