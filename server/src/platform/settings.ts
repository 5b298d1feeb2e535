import fs from 'node:fs';
import { limits } from '@roomside/contract/limits.ts';
import { isCardAmount, toCents } from '@roomside/contract/money.ts';
import { type ProcessorName, processorNames } from '@roomside/contract/payments/processors.ts';
import * as z from 'zod/mini';
import type { DataFolderKind } from './data-folder.ts';

/** A setting is missing or wrong. The message is for the person who starts the server: one sentence per line. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

interface Setting<T> {
  /** The description in the documentation. */
  readonly about: string;
  /** The value when the variable is unset or empty; null = none. */
  readonly initial: string | null;
  /** Parses the variable's text. Its errors complete the sentence "NAME …". */
  readonly schema: z.ZodMiniType<T, string>;
}

const text = z.string();

const wholeNumber = (min: number, max: number) =>
  z.pipe(
    text.check(
      z.refine((value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max, {
        error: `must be a whole number from ${min} to ${max}`,
      }),
    ),
    z.transform(Number),
  );

const url = (protocols: readonly string[], error: string) =>
  text.check(z.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), { error }));

const database = url(['postgres:', 'postgresql:'], 'must be an address like postgres://user:password@host:5432/name');

const list = (value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Hosts with or without a port, in lower case. */
const hosts = z.pipe(
  text.check(
    z.refine((value) => list(value).every((item) => /^[^\s/@]+$/.test(item)), {
      error: 'must be hosts like login.internal or localhost:4000 with commas between',
    }),
  ),
  z.transform((value) => list(value.toLowerCase())),
);

function required<T>(initial: string, schema: z.ZodMiniType<T, string>, about: string): Setting<T> {
  return { about, initial, schema };
}

function optional<T>(schema: z.ZodMiniType<T, string>, about: string): Setting<T | null> {
  return { about, initial: null, schema };
}

/** Requires https, or http on this machine: browsers allow camera and microphone on such pages only. */
function isPublicUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, pathname, search, hash, username } = new URL(value);
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return (
    (protocol === 'https:' || (protocol === 'http:' && isLoopback)) && `${pathname}${search}${hash}${username}` === '/'
  );
}

/** Settings whose connections could be without encryption. */
const CONNECTIONS = [
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'SMTP_URL',
  'SMS_URL',
  'REDIS_URL',
  'NATS_URL',
  'S3_ENDPOINT',
  'STRIPE_URL',
  'INTERNAL_URL',
] as const;
export type ConnectionSetting = (typeof CONNECTIONS)[number];

/** Returns whether a host name is this machine. A database's may be a folder of sockets. */
export const isOwnMachine = (hostname: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|)$/i.test(hostname) || hostname.startsWith('%2F');

/** The host that a connection to this address reaches. In the address of a database a parameter goes before the host in front of it. */
function hostOf(address: string): string {
  const { protocol, hostname, searchParams } = new URL(address);
  const host = /^postgres(ql)?:$/.test(protocol) ? searchParams.getAll('host').at(-1) : undefined;
  if (!host) return hostname;
  return host.startsWith('/') ? 'localhost' : host;
}

/** Returns whether a connection to this address is without encryption. Mail uses STARTTLS, which is required there. */
function isClearText(address: string): boolean {
  const { protocol, searchParams } = new URL(address);
  switch (protocol) {
    case 'postgres:':
    case 'postgresql:':
      return !['require', 'verify-ca', 'verify-full'].includes(searchParams.get('sslmode') ?? '');
    case 'http:':
    case 'redis:':
    case 'nats:':
      return true;
    default:
      return false;
  }
}

/** How to encrypt a connection of each setting, for the error message. */
const ENCRYPTED: Readonly<Record<ConnectionSetting, string>> = {
  DATABASE_URL: '?sslmode=verify-full',
  DATABASE_OWNER_URL: '?sslmode=verify-full',
  SMTP_URL: 'smtps://',
  SMS_URL: 'https://',
  REDIS_URL: 'rediss://',
  NATS_URL: 'tls://',
  S3_ENDPOINT: 'https://',
  STRIPE_URL: 'https://',
  INTERNAL_URL: 'https://',
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Every setting of the server, by the name of its environment variable. */
const SETTINGS = {
  PORT: required('3000', wholeNumber(0, 65_535), 'Port to listen on; 0 takes a free one.'),
  HOST: required('127.0.0.1', text, 'Address to listen on; 0.0.0.0 for all.'),
  PUBLIC_URL: optional(
    z.pipe(
      text.check(z.refine(isPublicUrl, { error: 'must be https://host without a path (http only for localhost)' })),
      z.transform((value) => new URL(value).origin),
    ),
    'Address of the application for users, such as `https://visits.example.com`. Required outside the demo.',
  ),
  DATA_DIR: required('./data', text, 'Folder for uploaded files and the built-in database.'),
  S3_BUCKET: optional(
    text,
    'Bucket for uploaded files, in S3 or a compatible server. Unset: the folder `blobs` in DATA_DIR.',
  ),
  S3_ENDPOINT: optional(
    url(['https:', 'http:'], 'must be an address like https://s3.example.com'),
    'Address of a compatible server. Unset: S3 of Amazon.',
  ),
  S3_REGION: required('us-east-1', text, 'Region of the bucket.'),
  S3_ACCESS_KEY_ID: optional(text, 'Key of the bucket. Unset: the credentials of the machine or container.'),
  S3_SECRET_ACCESS_KEY: optional(text, 'Its secret.'),
  S3_PATH_STYLE: required(
    'false',
    z.pipe(
      text.check(z.refine((value) => value === 'true' || value === 'false', { error: 'must be true or false' })),
      z.transform((value) => value === 'true'),
    ),
    'Whether the bucket is in the path of its address instead of the host name, as most compatible servers need it.',
  ),
  DATABASE_URL: optional(database, 'PostgreSQL 15 or later, as an ordinary role. Unset: the built-in database.'),
  DATABASE_OWNER_URL: optional(
    database,
    'The same database as the role that owns its tables, for migrations and the job queue. Unset: DATABASE_URL, whose role must then be able to create roles.',
  ),
  SECRET_KEY: optional(
    text.check(z.minLength(32, 'must have at least 32 characters')),
    'Seals the keys in the database. Without it the data cannot be read: keep it, separate from backups. Required outside the demo.',
  ),
  SECRET_KEY_OLD: optional(text, 'The previous SECRET_KEY, only for `npm run rotate-keys`.'),
  TRUST_PROXY: optional(
    z.pipe(
      text.check(
        z.refine((value) => /^\d+$/.test(value) || list(value).every((item) => /^[0-9a-fA-F.:/]+$/.test(item)), {
          error: 'must be the number of proxies in front of the server, or their addresses with commas between',
        }),
      ),
      z.transform((value): number | string[] => (/^\d+$/.test(value) ? Number(value) : list(value))),
    ),
    'Reverse proxies whose X-Forwarded headers are trusted: their number or addresses (`10.0.0.0/8, ::1`).',
  ),
  TLS_CERT: optional(text, 'File with the certificate chain (PEM), to serve https without a proxy.'),
  TLS_KEY: optional(text, 'File with its private key (PEM).'),
  SMTP_URL: optional(
    url(['smtp:', 'smtps:'], 'must be an address like smtps://user:password@host:465'),
    'Mail server. Unset: no emails are sent (the demo shows them at /dev/outbox).',
  ),
  MAIL_FROM: optional(
    text.check(z.regex(/^[^<>@\s][^<>@]*@[^<>@\s]+$|^[^<>]*<[^<>@\s]+@[^<>@\s]+>$/, 'must be a mail address')),
    'Sender of mails, such as `Roomside <visits@example.com>`. Required with SMTP_URL.',
  ),
  SMS_URL: optional(
    url(['https:', 'http:'], 'must be an address like https://user:password@host/path?From=number'),
    'Gateway for text messages in the format of Twilio, with its account, token and sender number. Unset: no text messages.',
  ),
  TURN_URLS: optional(
    z.pipe(
      text.check(
        z.refine((value) => list(value).every((item) => /^(stun|turn)s?:[^\s/]+$/.test(item)), {
          error: 'must be addresses like turn:host:3478 with commas between',
        }),
      ),
      z.transform(list),
    ),
    'STUN and TURN servers for video, such as `turn:turn.example.com:3478`.',
  ),
  TURN_SECRET: optional(text, "The TURN servers' shared secret (coturn: static-auth-secret)."),
  REDIS_URL: optional(
    url(['redis:', 'rediss:'], 'must be an address like redis://user:password@host:6379'),
    'Redis (or a compatible server), by which several instances share one hub.',
  ),
  NATS_URL: optional(
    z.pipe(
      text.check(
        z.refine((value) => list(value).every((item) => /^(nats|tls):\/\/[^\s/]+$/.test(item)), {
          error: 'must be addresses like nats://user:password@host:4222 with commas between',
        }),
      ),
      z.transform(list),
    ),
    'NATS for the same purpose, instead of Redis.',
  ),
  ALLOW_CLEAR_TEXT: optional(
    z.pipe(
      text.check(
        z.refine((value) => list(value).every((item) => (CONNECTIONS as readonly string[]).includes(item)), {
          error: `must be names of settings with commas between: ${CONNECTIONS.join(', ')}`,
        }),
      ),
      z.transform((value) => list(value) as ConnectionSetting[]),
    ),
    'Names of settings whose connections to other machines may be without encryption (`SMTP_URL, REDIS_URL`). Only for a private network.',
  ),
  EXTERNAL_PROVIDER_HOSTS: optional(
    hosts,
    'Hosts of providers of external sign-in that are in a private network (`login.internal, 127.0.0.1:4000`). On this machine they may be without https.',
  ),
  EXTERNAL_CALENDAR_HOSTS: optional(
    hosts,
    'Hosts of external calendars that are in a private network (`calendar.internal, 127.0.0.1:4000`). On this machine they may be without https.',
  ),
  STRIPE_URL: optional(
    url(['https:', 'http:'], 'must be an address like https://api.stripe.com'),
    'Address of an API like Stripe’s, for tests. Unset: Stripe itself.',
  ),
  INTERNAL_URL: optional(
    url(['http:', 'https:'], 'must be an address like https://10.0.0.3:3000'),
    'Where other instances reach this one, so that a load balancer may send any request to any instance. Unset: HOST and PORT, unless HOST means all addresses.',
  ),
  DRAIN_SECONDS: required(
    '3',
    wholeNumber(0, 300),
    'At shutdown connections are asked to reconnect elsewhere, spread over this time.',
  ),
  LOG_LEVEL: required(
    'info',
    z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`) as z.ZodMiniType<(typeof LOG_LEVELS)[number], string>,
    'How much the server logs.',
  ),
  METRICS_PORT: optional(
    wholeNumber(0, 65_535),
    'Port of `/metrics` in the format of Prometheus. Unset: no metrics are collected.',
  ),
  METRICS_HOST: required(
    '127.0.0.1',
    text,
    'Address to listen on for METRICS_PORT: one that the public does not reach.',
  ),
  METRICS_TOKEN: optional(
    text.check(z.minLength(16, 'must have at least 16 characters')),
    'Bearer token that `/metrics` requires. Unset: none.',
  ),
  IDLE_MINUTES: required(
    '30',
    wholeNumber(1, 1440),
    'Staff are signed out after this many minutes of inactivity; with Remember me their pages are closed.',
  ),
  LICENSE_PRICE: required(
    '0',
    text.check(
      z.refine((value) => /^\d{1,5}(\.\d{1,2})?$/.test(value) && toCents(value) <= 1_000_000, {
        error: 'must be an amount from 0 to 10000, such as 120.00',
      }),
    ),
    'What a clinic pays per provider and year; 0 = licenses are free.',
  ),
  LICENSE_CURRENCY: required(
    'USD',
    text.check(z.regex(/^[A-Z]{3}$/, 'must be a currency like USD')),
    'Currency of LICENSE_PRICE.',
  ),
  LICENSE_PROCESSOR: optional(
    z.enum(processorNames, `must be one of ${processorNames.join(', ')}`) as z.ZodMiniType<ProcessorName, string>,
    'Payment processor of licenses: `stripe`, or `sandbox`, which takes test cards only. Unset: licenses cannot be paid by card.',
  ),
  LICENSE_USER: optional(
    text.check(z.maxLength(limits.processorKey, `has at most ${limits.processorKey} characters`)),
    'Public key of the account of LICENSE_PROCESSOR.',
  ),
  LICENSE_PASSWORD: optional(
    text.check(z.maxLength(limits.processorKey, `has at most ${limits.processorKey} characters`)),
    'Its secret key.',
  ),
  SUPER_EMAIL: optional(
    text.check(z.regex(/^[^\s@]+@[^\s@]+$/, 'must be a mail address'), z.maxLength(100, 'has at most 100 characters')),
    'First administrator of an empty installation. Unset: the log shows a link, once.',
  ),
  SUPER_PASSWORD: optional(
    text.check(z.minLength(8, 'has at least 8 characters'), z.maxLength(100, 'has at most 100 characters')),
    'The password of that administrator.',
  ),
} as const;

/** Settings whose value is a secret. The documentation names their `NAME_FILE`. */
const SECRETS: ReadonlySet<string> = new Set<keyof typeof SETTINGS>([
  'SECRET_KEY',
  'SECRET_KEY_OLD',
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'SMTP_URL',
  'SMS_URL',
  'TURN_SECRET',
  'REDIS_URL',
  'NATS_URL',
  'S3_SECRET_ACCESS_KEY',
  'LICENSE_PASSWORD',
  'SUPER_PASSWORD',
  'METRICS_TOKEN',
]);

/** Settings that name a file themselves: a `NAME_FILE` would be read as a name, and errors would quote a private key. */
const FILE_NAMES: ReadonlySet<string> = new Set<keyof typeof SETTINGS>(['TLS_CERT', 'TLS_KEY']);

/** The settings by the names of their variables; null when an optional one is unset. */
export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never;
};

const TOGETHER: readonly [keyof Settings, keyof Settings][] = [
  ['TLS_CERT', 'TLS_KEY'],
  ['TLS_KEY', 'TLS_CERT'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['SUPER_EMAIL', 'SUPER_PASSWORD'],
  ['SUPER_PASSWORD', 'SUPER_EMAIL'],
  ['TURN_SECRET', 'TURN_URLS'],
  ['DATABASE_OWNER_URL', 'DATABASE_URL'],
  ['S3_ENDPOINT', 'S3_BUCKET'],
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
  ['METRICS_TOKEN', 'METRICS_PORT'],
  ['LICENSE_USER', 'LICENSE_PASSWORD'],
  ['LICENSE_PASSWORD', 'LICENSE_USER'],
  ['LICENSE_USER', 'LICENSE_PROCESSOR'],
];

/** The address at which other instances reach this one, on this port; undefined when it is not known. */
export function internalAddress(
  { INTERNAL_URL, HOST, TLS_CERT }: Pick<Settings, 'INTERNAL_URL' | 'HOST' | 'TLS_CERT'>,
  port: number,
): string | undefined {
  if (INTERNAL_URL !== null) return INTERNAL_URL;
  if (HOST === '0.0.0.0' || HOST === '::') return undefined;
  return `${TLS_CERT === null ? 'http' : 'https'}://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
}

/** {@link internalAddress}, when there can be other instances. Their requests carry access tokens and the messages of visits. */
const usedInternally = (settings: Settings): string | undefined =>
  settings.REDIS_URL === null && settings.NATS_URL === null ? undefined : internalAddress(settings, settings.PORT);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the text of a variable or of the file that `NAME_FILE` names, trimmed. Adds a sentence to `problems` when it
 * cannot be read.
 */
function readText(env: Environment, name: string, problems: string[]): string {
  const given = env[name]?.trim() ?? '';
  const file = env[`${name}_FILE`]?.trim();
  if (!file) return given;
  if (FILE_NAMES.has(name)) {
    problems.push(`${name}_FILE is not a setting: ${name} itself names the file.`);
    return given;
  }
  if (given !== '') {
    problems.push(`${name} and ${name}_FILE are both set: keep one of them.`);
    return given;
  }
  try {
    const content = fs.readFileSync(file, 'utf8').trim();
    if (content === '') problems.push(`${name}_FILE names an empty file.`);
    return content;
  } catch (error) {
    problems.push(`${name}_FILE names a file that cannot be read (${(error as NodeJS.ErrnoException).code}).`);
    return '';
  }
}

/**
 * Reads the settings. Error messages never contain values, since many are secrets.
 *
 * @throws SettingsError with a sentence for each wrong variable
 */
export function readSettings(env: Environment): Settings {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const given = readText(env, name, problems) || setting.initial;
    if (given === null) {
      values[name] = null;
      continue;
    }
    const result = z.safeParse(setting.schema, given);
    if (result.success) values[name] = result.data;
    else problems.push(`${name} ${result.error.issues[0]?.message}.`);
  }
  const settings = values as Settings;
  if (problems.length === 0) {
    for (const [one, other] of TOGETHER) {
      if (settings[one] !== null && settings[other] === null) problems.push(`${one} needs ${other} beside it.`);
    }
    for (const name of CONNECTIONS) {
      const addresses = [(name === 'INTERNAL_URL' ? usedInternally(settings) : settings[name]) ?? []].flat();
      const isClear = addresses.some((one) => isClearText(one) && !isOwnMachine(hostOf(one)));
      if (isClear && !settings.ALLOW_CLEAR_TEXT?.includes(name)) {
        problems.push(
          `${name} would connect to another machine without encryption: use ${ENCRYPTED[name]}, or name it in ALLOW_CLEAR_TEXT.`,
        );
      }
    }
    const price = toCents(settings.LICENSE_PRICE);
    if (price > 0 && settings.LICENSE_PROCESSOR === null)
      problems.push('LICENSE_PRICE needs LICENSE_PROCESSOR beside it.');
    if (price > 0 && !isCardAmount(price, settings.LICENSE_CURRENCY))
      problems.push(`LICENSE_PRICE is less than a card can be charged in ${settings.LICENSE_CURRENCY}.`);
    if (settings.LICENSE_PROCESSOR === 'stripe' && settings.LICENSE_USER === null)
      problems.push('LICENSE_PROCESSOR stripe needs LICENSE_USER beside it.');
    if (settings.REDIS_URL !== null && settings.NATS_URL !== null) {
      problems.push('REDIS_URL and NATS_URL serve the same purpose: set one of them.');
    }
    if (settings.TURN_URLS?.some((address) => address.startsWith('turn')) && settings.TURN_SECRET === null) {
      problems.push('TURN_URLS needs TURN_SECRET beside it.');
    }
  }
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return settings;
}

/** `demo`: with sample data and a generated key; `real`: configured by settings. */
export type StartMode = 'demo' | 'real';

/**
 * A demo starts only without settings and in a new or demo folder. A demo's folder is never used for real data, which must
 * not be sealed by the demo's key.
 *
 * @throws SettingsError when the start is refused
 */
export function chooseStartMode(
  settings: Pick<Settings, 'PUBLIC_URL' | 'SECRET_KEY' | 'DATABASE_URL' | 'DATA_DIR'>,
  folder: DataFolderKind,
): StartMode {
  const { PUBLIC_URL, SECRET_KEY, DATABASE_URL, DATA_DIR } = settings;
  const isUnconfigured = PUBLIC_URL === null && SECRET_KEY === null && DATABASE_URL === null;
  if (isUnconfigured && folder !== 'real') return 'demo';
  if (folder === 'demo') {
    throw new SettingsError(
      `DATA_DIR ${DATA_DIR} belongs to a demo: choose another folder, or unset PUBLIC_URL, SECRET_KEY and DATABASE_URL.`,
    );
  }
  if (SECRET_KEY === null) throw new SettingsError('SECRET_KEY must be set: at least 32 random characters.');
  if (PUBLIC_URL === null)
    throw new SettingsError('PUBLIC_URL must be set to the address at which people reach Roomside.');
  return 'real';
}

/** Returns the settings as Markdown for the documentation: how they are given, and a table. */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, { initial, about }]) => {
    const alsoFile = SECRETS.has(name) ? ` (or \`${name}_FILE\`)` : '';
    return `| \`${name}\`${alsoFile} | ${initial === null ? '' : `\`${initial}\``} | ${about} |`;
  });
  const exceptions = [...FILE_NAMES].map((name) => `\`${name}\``).join(' and ');
  return [
    `Each setting except ${exceptions} can be in a file that \`NAME_FILE\` names, such as a Docker secret. The table shows it for secrets.`,
    '',
    '| Variable | Default | What it is |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n');
}
