import { expect, test } from 'vitest';
import { balanceCents, fromCents, isChargeable, toCents } from './money.ts';

test('amounts are cents in between, never binary fractions', () => {
  expect(toCents('0.10') + toCents('0.20')).toBe(toCents('0.3'));
  expect(fromCents(toCents('12.5'))).toBe('12.50');
  expect(fromCents(-5)).toBe('-0.05');
  expect(balanceCents('60.00', '25.10')).toBe(3490);
  expect(() => toCents('1e3')).toThrow(RangeError);
});

test('chargeable: fee above collected, not cancelled, and the company can charge', () => {
  const visit = { fee: '10.00', collected: '9.99', cancelled: false, hasProcessor: true };
  expect(isChargeable(visit)).toBe(true);
  expect(isChargeable({ ...visit, collected: '10.00' })).toBe(false);
  expect(isChargeable({ ...visit, cancelled: true })).toBe(false);
  expect(isChargeable({ ...visit, hasProcessor: false })).toBe(false);
});
