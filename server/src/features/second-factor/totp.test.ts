import { expect, test } from 'vitest';
import { codeOf, findStep, otpauthUri, stepAt, toBase32 } from './totp.ts';

const secret = Buffer.from('12345678901234567890');

// RFC 6238, appendix B: the last six of its eight digits.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('codeOf: gives the code of RFC 6238 at %i s', (seconds, code) => {
  expect(codeOf(secret, stepAt(seconds * 1000))).toBe(code);
});

test('findStep: accepts one step before and after, and no step up to the last used one', () => {
  const now = 1_700_000_000_000;
  const step = stepAt(now);
  for (const drift of [-1, 0, 1]) expect(findStep(secret, codeOf(secret, step + drift), now, 0)).toBe(step + drift);
  for (const drift of [-2, 2]) expect(findStep(secret, codeOf(secret, step + drift), now, 0)).toBeNull();
  expect(findStep(secret, codeOf(secret, step), now, step)).toBeNull();
  expect(findStep(secret, codeOf(secret, step - 1), now, step)).toBeNull();
  expect(findStep(secret, codeOf(secret, step + 1), now, step)).toBe(step + 1);
});

test('findStep: ignores spaces and refuses other text', () => {
  const code = codeOf(secret, 1);
  expect(findStep(secret, `${code.slice(0, 3)} ${code.slice(3)}`, 30_000, 0)).toBe(1);
  for (const typed of ['', '12345', '1234567', 'abcdef', '１２３４５６'])
    expect(findStep(secret, typed, 30_000, 0)).toBeNull();
});

test('toBase32 and otpauthUri: are what authenticator apps read', () => {
  expect(toBase32(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  expect(otpauthUri(secret, 'a+b@example.test')).toBe(
    'otpauth://totp/Roomside%3Aa%2Bb%40example.test?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Roomside',
  );
});
