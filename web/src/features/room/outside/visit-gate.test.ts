import { expect, test } from 'vitest';
import { type Gate, gateInRoom, gateOf } from './visit-gate.ts';

test('gate of a visit: is payment, early, cancelled, ended or open', () => {
  const now = Date.parse('2026-11-21T14:00:00Z');
  const visit = { startDate: '2026-11-21T15:00:00Z', cancelled: false, ended: false, chargeable: false };
  const at = (more: object, isPatient = true) => gateOf({ ...visit, ...more } as never, isPatient, now);
  expect(at({})).toBe('open');
  expect(at({ startDate: '2026-11-21T15:00:01Z' })).toBe('early');
  expect(at({ startDate: '2026-11-21T15:00:01Z' }, false)).toBe('open');
  expect(at({ chargeable: true })).toBe('payment');
  expect(at({ chargeable: true, ended: true })).toBe('ended');
  expect(at({ chargeable: true, ended: true }, false)).toBe('open');
  expect(at({ cancelled: true }, false)).toBe('cancelled');
});

test.each<[text: string, gate: Gate, startDate: string, shown: Gate]>([
  ['a clock that went back', 'early', '2026-11-21T14:00:00Z', 'open'],
  ['a visit that was moved by hours', 'early', '2026-11-21T17:00:00Z', 'early'],
  ['a visit that was moved by minutes', 'open', '2026-11-21T14:45:00Z', 'open'],
  ['a fee that is to be paid', 'payment', '2026-11-21T14:45:00Z', 'open'],
  ['a cancellation', 'cancelled', '2026-11-21T14:00:00Z', 'open'],
])('open room, and %s', (_, gate, startDate, shown) => {
  expect(gateInRoom(gate, startDate, '2026-11-21T14:00:00Z')).toBe(shown);
});
