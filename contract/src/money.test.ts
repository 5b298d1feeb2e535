import { expect, test } from 'vitest';
import { balanceCents, fromCents, isChargeable, toCents } from './money.ts';

test('toCents and fromCents: exact for decimal amounts, throw for anything else', () => {
  expect(toCents('0.10') + toCents('0.20')).toBe(toCents('0.3'));
  expect(fromCents(toCents('12.5'))).toBe('12.50');
  expect(fromCents(-5)).toBe('-0.05');
  expect(balanceCents('60.00', '25.10')).toBe(3490);
  expect(() => toCents('1e3')).toThrow(RangeError);
});

test('isChargeable: a card can be charged what is open, not cancelled, and the company has a processor', () => {
  const appointment = { fee: '10.00', collected: '9.50', cancelled: false, hasProcessor: true, currency: 'USD' };
  expect(isChargeable(appointment)).toBe(true);
  expect(isChargeable({ ...appointment, collected: '9.51' })).toBe(false);
  expect(isChargeable({ ...appointment, collected: '9.70', currency: 'GBP' })).toBe(true);
  expect(isChargeable({ ...appointment, collected: '10.00' })).toBe(false);
  expect(isChargeable({ ...appointment, cancelled: true })).toBe(false);
  expect(isChargeable({ ...appointment, hasProcessor: false })).toBe(false);
});
