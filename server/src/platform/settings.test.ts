import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chooseStartMode, readSettings, SettingsError, settingsTable } from './settings.ts';

test('readSettings: an empty environment gives the defaults', () => {
  expect(readSettings({ PORT: '' })).toMatchObject({
    PORT: 3000,
    HOST: '127.0.0.1',
    DATA_DIR: './data',
    PUBLIC_URL: null,
    SECRET_KEY: null,
    TRUST_PROXY: null,
    LOG_LEVEL: 'info',
    IDLE_MINUTES: 30,
  });
});

test('readSettings: parses values into their types', () => {
  expect(
    readSettings({
      PORT: '0',
      PUBLIC_URL: 'https://Visits.example.com/',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      TURN_URLS: 'turn:turn.example.com:3478,stun:turn.example.com',
      TURN_SECRET: 'secret',
      SMTP_URL: 'smtps://user:pass@mail.example.com:465',
      MAIL_FROM: 'Roomside <visits@example.com>',
    }),
  ).toMatchObject({
    PORT: 0,
    PUBLIC_URL: 'https://visits.example.com',
    TRUST_PROXY: ['10.0.0.0/8', '::1'],
    TURN_URLS: ['turn:turn.example.com:3478', 'stun:turn.example.com'],
  });
  expect(readSettings({ TRUST_PROXY: '1' }).TRUST_PROXY).toBe(1);
  expect(readSettings({ PUBLIC_URL: 'http://127.0.0.1:3000' }).PUBLIC_URL).toBe('http://127.0.0.1:3000');
});

test.each([
  ['0.49', 'LICENSE_PRICE is less than a card can be charged in USD.'],
  ['0.50', null],
  ['0', null],
])('LICENSE_PRICE %s: %s', (price, problem) => {
  const read = () => readSettings({ LICENSE_PRICE: price, LICENSE_PROCESSOR: 'sandbox' });
  if (problem) expect(read).toThrow(problem);
  else expect(read().LICENSE_PRICE).toBe(price);
});

describe('readSettings: a wrong value throws one sentence with the variable, not its value', () => {
  test.each([
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535.'],
    [{ PORT: '3e3' }, 'PORT must be a whole number from 0 to 65535.'],
    [
      { PUBLIC_URL: 'http://visits.example.com' },
      'PUBLIC_URL must be https://host without a path (http only for localhost).',
    ],
    [
      { PUBLIC_URL: 'https://x.example/app' },
      'PUBLIC_URL must be https://host without a path (http only for localhost).',
    ],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be an address like postgres://user:password@host:5432/name.'],
    [{ SECRET_KEY: 'short' }, 'SECRET_KEY must have at least 32 characters.'],
    [
      { TRUST_PROXY: 'yes' },
      'TRUST_PROXY must be the number of proxies in front of the server, or their addresses with commas between.',
    ],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.'],
    [{ IDLE_MINUTES: '0' }, 'IDLE_MINUTES must be a whole number from 1 to 1440.'],
    [{ TLS_CERT: 'a.pem' }, 'TLS_CERT needs TLS_KEY beside it.'],
    [{ SMTP_URL: 'smtp://mail' }, 'SMTP_URL needs MAIL_FROM beside it.'],
    [{ TURN_URLS: 'turn:host' }, 'TURN_URLS needs TURN_SECRET beside it.'],
    [
      { SMS_URL: 'http://a:b@sms.example.com/x' },
      'SMS_URL would connect to another machine without encryption: use https://, or name it in ALLOW_CLEAR_TEXT.',
    ],
    [
      { REDIS_URL: 'redis://10.0.0.4:6379' },
      'REDIS_URL would connect to another machine without encryption: use rediss://, or name it in ALLOW_CLEAR_TEXT.',
    ],
    [
      { NATS_URL: 'tls://a:4222,nats://b:4222' },
      'NATS_URL would connect to another machine without encryption: use tls://, or name it in ALLOW_CLEAR_TEXT.',
    ],
    [
      { DATABASE_URL: 'postgres://u:p@db.example.com/r?sslmode=prefer' },
      'DATABASE_URL would connect to another machine without encryption: use ?sslmode=verify-full, or name it in ALLOW_CLEAR_TEXT.',
    ],
    // The parameter is the host that is connected to.
    ...['postgres://localhost/r?host=10.0.0.1', 'postgresql:///r?host=10.0.0.1'].map(
      (address): [Record<string, string>, string] => [
        { DATABASE_URL: address },
        'DATABASE_URL would connect to another machine without encryption: use ?sslmode=verify-full, or name it in ALLOW_CLEAR_TEXT.',
      ],
    ),
    ...([{ INTERNAL_URL: 'http://10.0.0.3:3000' }, { HOST: '10.0.0.3' }] as Record<string, string>[]).map(
      (address): [Record<string, string>, string] => [
        { ...address, REDIS_URL: 'rediss://redis.example.com' },
        'INTERNAL_URL would connect to another machine without encryption: use https://, or name it in ALLOW_CLEAR_TEXT.',
      ],
    ),
    [
      { ALLOW_CLEAR_TEXT: 'PORT' },
      'ALLOW_CLEAR_TEXT must be names of settings with commas between: DATABASE_URL, DATABASE_OWNER_URL, SMTP_URL, SMS_URL, REDIS_URL, NATS_URL, S3_ENDPOINT, STRIPE_URL, INTERNAL_URL.',
    ],
    [{ SUPER_EMAIL: 'root@example.com' }, 'SUPER_EMAIL needs SUPER_PASSWORD beside it.'],
    [
      { PORT: 'x', HOST: '', IDLE_MINUTES: 'y' },
      'PORT must be a whole number from 0 to 65535.\nIDLE_MINUTES must be a whole number from 1 to 1440.',
    ],
  ])('%j', (env, message) => {
    expect(() => readSettings(env)).toThrow(new SettingsError(message));
  });
});

test.each([
  { REDIS_URL: 'redis://127.0.0.1:6379' },
  { NATS_URL: 'nats://localhost:4222' },
  { REDIS_URL: 'rediss://redis.example.com' },
  { REDIS_URL: 'rediss://redis.example.com', HOST: '0.0.0.0' },
  { REDIS_URL: 'rediss://redis.example.com', INTERNAL_URL: 'https://10.0.0.3:3000' },
  { REDIS_URL: 'rediss://redis.example.com', HOST: '10.0.0.3', ALLOW_CLEAR_TEXT: 'INTERNAL_URL' },
  // One instance only.
  { HOST: '10.0.0.3', INTERNAL_URL: 'http://10.0.0.3:3000' },
  { DATABASE_URL: 'postgres://u:p@[::1]/r' },
  { DATABASE_URL: 'postgres://u:p@db.example.com/r?host=/var/run/postgresql' },
  { DATABASE_URL: 'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/r' },
  { DATABASE_URL: 'postgres://u:p@db.example.com/r?sslmode=verify-full' },
  { DATABASE_URL: 'postgres://u:p@db.example.com/r', ALLOW_CLEAR_TEXT: 'SMTP_URL, DATABASE_URL' },
])('readSettings: %j is allowed, since it is encrypted, local, or in ALLOW_CLEAR_TEXT', (env) => {
  expect(() => readSettings(env)).not.toThrow();
});

describe('NAME_FILE', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-settings-'));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  const write = (content: string) => {
    const file = path.join(folder, 'secret');
    fs.writeFileSync(file, content);
    return file;
  };

  test('is read without its line end, and validated like the variable', () => {
    const SECRET_KEY = 'a secret of more than 32 characters';
    expect(readSettings({ SECRET_KEY_FILE: write(`${SECRET_KEY}\n`) }).SECRET_KEY).toBe(SECRET_KEY);
    const url = 'postgres://web:secret@localhost/roomside';
    expect(readSettings({ DATABASE_URL_FILE: write(url) }).DATABASE_URL).toBe(url);
    expect(() => readSettings({ SECRET_KEY_FILE: write('short') })).toThrow(
      new SettingsError('SECRET_KEY must have at least 32 characters.'),
    );
  });

  test.each([
    [
      'of a missing file',
      () => ({ SECRET_KEY_FILE: path.join(folder, 'none') }),
      /^SECRET_KEY_FILE names a file that cannot be read \(ENOENT\)\.$/,
    ],
    ['of an empty file', () => ({ SMTP_URL_FILE: write(' \n') }), /^SMTP_URL_FILE names an empty file\.$/],
    [
      'beside the variable',
      () => ({ SECRET_KEY: 'k'.repeat(32), SECRET_KEY_FILE: write('x'.repeat(32)) }),
      /^SECRET_KEY and SECRET_KEY_FILE are both set: keep one of them\.$/,
    ],
  ])('%s: throws one sentence without the value', (_, env, sentence) => {
    expect(() => readSettings(env())).toThrow(sentence);
  });

  test('is read for each setting, except for those that name a file themselves', () => {
    expect(readSettings({ PORT_FILE: write('1\n') }).PORT).toBe(1);
    expect(() => readSettings({ TLS_KEY_FILE: write('-----BEGIN PRIVATE KEY-----') })).toThrow(
      new SettingsError('TLS_KEY_FILE is not a setting: TLS_KEY itself names the file.'),
    );
  });
});

describe('chooseStartMode', () => {
  const none = { PUBLIC_URL: null, SECRET_KEY: null, DATABASE_URL: null, DATA_DIR: './data' };
  const key = { SECRET_KEY: 'k'.repeat(32) };
  const site = { PUBLIC_URL: 'https://visits.example.com' };
  const db = { DATABASE_URL: 'postgres://db/roomside' };
  test.each([
    [none, 'new', 'demo'],
    [none, 'demo', 'demo'],
    [none, 'real', /^SECRET_KEY must be set/],
    [{ ...none, ...key }, 'new', /^PUBLIC_URL must be set/],
    [{ ...none, ...site }, 'new', /^SECRET_KEY must be set/],
    [{ ...none, ...db }, 'new', /^SECRET_KEY must be set/],
    [{ ...none, ...key, ...site }, 'new', 'real'],
    [{ ...none, ...key, ...site }, 'real', 'real'],
    [{ ...none, ...key, ...site }, 'demo', /belongs to a demo/],
    [{ ...none, ...site }, 'demo', /belongs to a demo/],
    [{ ...none, ...key }, 'demo', /belongs to a demo/],
    [{ ...none, ...db }, 'demo', /belongs to a demo/],
    [{ ...none, ...key, ...site, ...db }, 'new', 'real'],
    [{ ...none, ...key, ...site, ...db }, 'real', 'real'],
    [{ ...none, ...key, ...site, ...db }, 'demo', /belongs to a demo/],
  ] as const)('%j, data folder %s', (settings, folder, expected) => {
    if (typeof expected === 'string') expect(chooseStartMode(settings, folder)).toBe(expected);
    else expect(() => chooseStartMode(settings, folder)).toThrow(expected);
  });
});

test('settingsTable: has a row for each setting, and the file of a secret', () => {
  const rows = settingsTable().split('\n').slice(4);
  expect(rows).toHaveLength(Object.keys(readSettings({})).length);
  expect(rows[0]).toBe('| `PORT` | `3000` | Port to listen on; 0 takes a free one. |');
  expect(rows.find((row) => row.includes('METRICS_TOKEN'))).toMatch(/^\| `METRICS_TOKEN` \(or `METRICS_TOKEN_FILE`\) /);
});
