import { expect, test } from 'vitest';
import { gateOf } from './visit-gate.ts';

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
