import { expect, test } from 'vitest';
import { cheapHashes } from '../../test/cheap-hashes.ts';
import { onBehalfOf } from './database/scope.ts';
import { Passwords } from './passwords.ts';
import type { Refusal } from './refusal.ts';

const passwords = new Passwords();

test('hash: is Argon2id with 19 MiB and two passes, with a new salt each time', async () => {
  const [one, other] = await Promise.all([
    passwords.hash('a-long-password-9', 'known'),
    passwords.hash('a-long-password-9', 'known'),
  ]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(one).not.toBe(other);
});

test('verify: is true for the correct password only, at the cost of the stored hash', async () => {
  const hashes = [
    await passwords.hash('Ä-long-password', 'known'),
    await new Passwords(cheapHashes).hash('Ä-long-password', 'known'),
  ];
  for (const stored of hashes) {
    expect(await passwords.verify('Ä-long-password', stored, 'known')).toBe(true);
    // The same letters in another Unicode form.
    expect(await passwords.verify('A\u0308-long-password', stored, 'unknown')).toBe(true);
    expect(await passwords.verify('ä-long-password', stored, 'known')).toBe(false);
  }
});

test('one user who asks for many hashes: gets one at a time, and others are served between', async () => {
  const ofUser = <T>(member: string, work: () => T) => onBehalfOf({ group: `company ${member}`, member }, work);
  const ended: string[] = [];
  const flood = Array.from({ length: 40 }, () =>
    ofUser('1', () => passwords.hash('a-long-password-9', 'known')).then(
      () => ended.push('flood'),
      (error: Refusal) => error.code,
    ),
  );
  await ofUser('2', () => passwords.hash('a-long-password-9', 'known'));
  expect(ended.length).toBeLessThan(9);
  const results = await Promise.all(flood);
  expect(results.filter((one) => one === 'unavailable')).toHaveLength(31);
});

test.each([null, undefined, '', '$argon2id$v=19$m=1,t=1,p=1$$', '$2b$10$abc', 'plain'])(
  'verify: is false for the stored value %s, after as much work as with a hash',
  async (stored) => {
    const started = process.cpuUsage();
    expect(await passwords.verify('plain', stored, 'unknown')).toBe(false);
    // Only the hash takes milliseconds of processor time.
    expect(process.cpuUsage(started).user).toBeGreaterThan(3_000);
  },
);
