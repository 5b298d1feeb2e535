import { expect, test } from 'vitest';
import { brandOf, checkCard, formatExpiry, formatNumber, partsOf } from './card-rules.ts';
import { testCards } from './test-cards.ts';

const today = new Date(2026, 10, 22);
const good = { number: '4242 4242 4242 4242', expiry: '12/30', code: '123' };

test('number: is grouped as on the card; American Express in groups of 4, 6 and 5', () => {
  expect(
    ['4242424242424242', '4242-4242 4', '378282246310005', '37828', '42424242424242429', ''].map(formatNumber),
  ).toEqual(['4242 4242 4242 4242', '4242 4242 4', '3782 822463 10005', '3782 8', '4242 4242 4242 4242', '']);
});

test('date: gets its slash and a leading zero, also as a browser fills it in; the slash can be deleted', () => {
  expect(
    ['1', '7', '12', '1230', '12/2030', '7/30', '12/', '08 / 29', '122030'].map((typed) => formatExpiry(typed)),
  ).toEqual(['1', '07/', '12/', '12/30', '12/30', '07/30', '12/', '08/29', '12/30']);
  expect(formatExpiry('12', true)).toBe('12');
  // The year 2030, digit by digit.
  expect(Array.from('122030').reduce((typed, digit) => formatExpiry(typed + digit), '')).toBe('12/30');
});

test('brand: follows from the first digits', () => {
  expect(['4', '5555', '2221', '2720', '2721', '34', '6011', '9'].map((number) => brandOf(number).brand)).toEqual([
    'visa',
    'mastercard',
    'mastercard',
    'mastercard',
    'card',
    'amex',
    'discover',
    'card',
  ]);
});

test('check: a number has 15 or 16 digits and a check digit, a code 3 or 4 digits, and a date is required', () => {
  expect(checkCard(good, today)).toEqual({});
  expect(checkCard({ number: '3782 822463 10005', expiry: '11/26', code: '1234' }, today)).toEqual({});
  const wrong = (part: object) => Object.keys(checkCard({ ...good, ...part }, today));
  for (const number of ['', '4242 4242 4242 42', '4242 4242 4242 4241', '0000 0000 0000 0000', '4000 0000 0000 006'])
    expect([number, wrong({ number })]).toEqual([number, ['number']]);
  for (const code of ['', '12', '1234']) expect([code, wrong({ code })]).toEqual([code, ['code']]);
  expect(wrong({ number: '3782 822463 10005', code: '123' })).toEqual(['code']);
  for (const expiry of ['', '12', '13/30', '00/30', '12/3'])
    expect([expiry, wrong({ expiry })]).toEqual([expiry, ['expiry']]);
});

test('check: a card is valid to the end of its month', () => {
  expect(checkCard({ ...good, expiry: '11/26' }, today)).toEqual({});
  expect(checkCard({ ...good, expiry: '10/26' }, today)).toEqual({ expiry: 'This card has expired.' });
  expect(checkCard({ ...good, expiry: '12/25' }, today)).toEqual({ expiry: 'This card has expired.' });
});

test('parts: are the brand, the last four digits and the month with its year', () => {
  expect(partsOf(good)).toEqual({ brand: 'visa', last4: '4242', expiry: '12/2030' });
});

test('test cards: are all accepted by the check', () => {
  for (const { number } of testCards) {
    const code = number.length === 15 ? '1234' : '123';
    expect([number, checkCard({ number: formatNumber(number), expiry: '12/30', code }, today)]).toEqual([number, {}]);
  }
});
