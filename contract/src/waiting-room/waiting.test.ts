import { expect, test } from 'vitest';
import { hearsArrival, waitingOrder, waitSeconds } from './waiting.ts';

const card = (patientPresent: string, providerPresent: string | null = null) => ({ patientPresent, providerPresent });

test('waitingOrder: patients without a provider first, then the longest wait @STATE-7', () => {
  const cards = [
    card('2026-01-01T10:05:00Z'),
    card('2026-01-01T09:00:00Z', '2026-01-01T09:30:00Z'),
    card('2026-01-01T10:01:00Z'),
    card('2026-01-01T08:00:00Z', '2026-01-01T08:01:00Z'),
  ];
  expect(waitingOrder(cards)).toEqual([cards[2], cards[0], cards[3], cards[1]]);
});

test('waitSeconds: ends when a provider comes @WAIT-1', () => {
  const now = Date.parse('2026-01-01T10:10:00Z');
  expect(waitSeconds(card('2026-01-01T10:05:00Z'), now)).toBe(300);
  expect(waitSeconds(card('2026-01-01T10:05:00Z', '2026-01-01T10:06:30Z'), now)).toBe(90);
  expect(waitSeconds(card('2026-01-01T10:11:00Z'), now)).toBe(0);
});

test('hearsArrival: doctors for their own patients, administrators and staff for all @STATE-6', () => {
  expect(hearsArrival({ role: 'D', userId: 7 }, 7)).toBe(true);
  expect(hearsArrival({ role: 'D', userId: 8 }, 7)).toBe(false);
  expect(hearsArrival({ role: 'A', userId: 8 }, 7)).toBe(true);
  expect(hearsArrival({ role: 'U', userId: 8 }, 7)).toBe(true);
  expect(hearsArrival({ role: 'P', userId: 7 }, 7)).toBe(false);
});
