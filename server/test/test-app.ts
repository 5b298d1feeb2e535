import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { login } from '@roomside/contract/auth/calls.ts';
import type { BodyOf, Call, ParamsOf, QueryOf, ResultOf } from '@roomside/contract/call.ts';
import { fillPath } from '@roomside/contract/call.ts';
import { joinAsGuest } from '@roomside/contract/guests/calls.ts';
import type { Problem } from '@roomside/contract/refusals.ts';
import type { Backplane } from '@roomside/signalr';
import { pino } from 'pino';
import { type App, buildApp } from '../src/app.ts';
import { movableClock } from '../src/platform/clock.ts';
import type { Route } from '../src/platform/http/handler.ts';
import { mount } from '../src/platform/http/mount.ts';
import { readSettings } from '../src/platform/settings.ts';
import { afterFile } from './after-file.ts';
import { cheapHashes } from './cheap-hashes.ts';
import { registerClock } from './clock-route.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { requireDeclared } from './declared.ts';
import { quickJobs } from './quick-jobs.ts';
import { testSecret } from './test-secret.ts';

/** An HTTP response. With a status of 2xx it has been checked by the contract ({@link requireDeclared}). */
export interface Answer<C extends Call> {
  status: number;
  json: ResultOf<C>;
  problem: Problem;
  text: string;
  headers: Headers;
}

interface Inputs<C extends Call> {
  params?: ParamsOf<C>;
  query?: QueryOf<C>;
  body?: BodyOf<C>;
  /** The body of an upload, with its media type. */
  upload?: { bytes: Buffer; type: string };
  headers?: Record<string, string>;
}

/** A client with an access token and a browser's cookies. */
export interface Person {
  token: string | undefined;
  cookies: Map<string, string>;
  call<C extends Call>(call: C, input?: Inputs<C>): Promise<Answer<C>>;
}

export interface TestApp extends App {
  clock: ReturnType<typeof movableClock>;
  database: TestDatabase;
  url: string;
  port: number;
  /** The log, as lines of JSON. */
  logged: string[];
  anonymous(): Person;
  /** Signs in with email and password. Throws when refused. */
  signIn(user: { email: string; password: string }): Promise<Person>;
  /** Signs a patient in by an access code. Throws when refused. */
  signInPatient(accessCode: string): Promise<Person>;
  /** Signs a guest in by the secret of a link. Throws when refused. */
  signInGuest(secret: string): Promise<Person>;
}

export const password = 'a-long-password-9';

interface Options {
  demo?: boolean;
  skipChecks?: boolean;
  /** Hashes passwords at the product's cost, for tests of that cost. */
  productHashes?: boolean;
  env?: Record<string, string>;
  /** Calls in addition to those of the product. */
  routes?: readonly Route[];
  /** Connects the hubs of several servers. */
  backplane?: Backplane;
  /** Default: a new one. */
  database?: TestDatabase;
}

/** Starts a server on its own database. It is closed after the test file. */
export async function startTestApp(options: Options = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase());
  const clock = movableClock();
  const logged: string[] = [];
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-app-'));
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  const app = await buildApp({
    settings: readSettings({ PORT: '0', DRAIN_SECONDS: '0', DATA_DIR: folder, ...options.env }),
    publicUrl: 'http://localhost',
    demo: options.demo ?? false,
    secret: testSecret,
    database: database.application,
    clock,
    log,
    test: {
      skipChecks: options.skipChecks ?? false,
      register: (server, context) => {
        registerClock(server, clock);
        for (const route of options.routes ?? []) mount(server, context, route);
      },
      ...(options.backplane && { backplane: options.backplane }),
      jobTimes: quickJobs,
      ...(!options.productHashes && { passwordCost: cheapHashes }),
    },
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= app.close());
  const port = await app.listen('127.0.0.1', 0);
  const url = `http://127.0.0.1:${port}`;
  afterFile(async () => {
    await close();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const anonymous = () => buildPerson(url, !options.skipChecks);
  const signIn = async (user: BodyOf<typeof login>['user'], isPatient: boolean) => {
    const person = anonymous();
    const response = await person.call(login, { body: { isPatient, user } });
    if (response.status !== 200) throw new Error(`Sign-in refused: ${response.text}`);
    if (!response.json.signedIn) throw new Error('Sign-in asks for a second factor.');
    person.token = response.json.accessToken;
    return person;
  };
  return {
    ...app,
    close,
    clock,
    database,
    url,
    port,
    logged,
    anonymous,
    signIn: (user) => signIn(user, false),
    signInPatient: (accessCode) => signIn({ email: accessCode }, true),
    signInGuest: async (secret) => {
      const person = anonymous();
      const response = await person.call(joinAsGuest, { body: { link: secret } });
      if (response.status !== 200) throw new Error(`Sign-in refused: ${response.text}`);
      person.token = response.json.accessToken;
      return person;
    },
  };
}

/** With `checksResults` successful responses are checked by the contract. Not possible without the application's checks. */
function buildPerson(url: string, checksResults: boolean): Person {
  const person: Person = {
    token: undefined,
    cookies: new Map(),
    async call(call, input = {}) {
      const query = new URLSearchParams();
      const entries: [string, unknown][] = Object.entries(input.query ?? {});
      for (const [key, value] of entries) {
        if (value !== undefined) query.set(key, typeof value === 'string' ? value : JSON.stringify(value));
      }
      const place = fillPath(call.path, input.params as Record<string, string | number> | undefined);
      const response = await fetch(`${url}${place}${query.size > 0 ? `?${query}` : ''}`, {
        method: call.method,
        headers: {
          ...(person.token !== undefined && { authorization: `Bearer ${person.token}` }),
          ...(person.cookies.size > 0 && { cookie: [...person.cookies].map(([k, v]) => `${k}=${v}`).join('; ') }),
          ...(input.body !== undefined && { 'content-type': 'application/json' }),
          ...(input.upload && { 'content-type': input.upload.type }),
          ...input.headers,
        },
        ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
        ...(input.upload && { body: new Uint8Array(input.upload.bytes) }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';');
        const [name = '', value = ''] = pair.split(/=(.*)/s);
        if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(cookie)) person.cookies.delete(name);
        else person.cookies.set(name, value);
      }
      const text = await response.text();
      const type = response.headers.get('content-type') ?? '';
      const parsed: unknown = /json/.test(type) ? JSON.parse(text) : undefined;
      if (checksResults && response.ok) requireDeclared(call, { status: response.status, type, text, json: parsed });
      return {
        status: response.status,
        json: parsed as ResultOf<typeof call>,
        problem: parsed as Problem,
        text,
        headers: response.headers,
      };
    },
  };
  return person;
}
