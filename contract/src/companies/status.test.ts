import { expect, test } from 'vitest';
import { companyStatus } from './status.ts';

test.each([
  ['2026-11-23', false, 'Healthy'],
  ['2026-11-22', false, 'Expired'],
  ['2026-11-21', false, 'Expired'],
  ['2026-11-23', true, 'Disabled'],
  ['2026-11-21', true, 'Disabled'],
] as const)('a license until %s, disabled %s, on 2026-11-22: %s', (expirationDate, disabled, expected) => {
  expect(companyStatus({ expirationDate, disabled }, '2026-11-22')).toBe(expected);
});
