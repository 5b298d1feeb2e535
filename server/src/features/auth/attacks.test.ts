import { randomBytes } from 'node:crypto';
import {
  getSignIn,
  login,
  oneTimeLogin,
  passwordReset,
  refresh,
  requestPasswordReset,
} from '@roomside/contract/auth/calls.ts';
import { startPasskeySignIn } from '@roomside/contract/auth/passkey-calls.ts';
import { signUp } from '@roomside/contract/auth/sign-up-calls.ts';
import { fillPath } from '@roomside/contract/call.ts';
import { startExternalSignIn } from '@roomside/contract/external-sign-in/calls.ts';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { startMailPeer } from '../../../test/message-peers.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { allowSignUp, buildAppointment, buildUser } from '../../demo/builders.ts';
import { createAccessToken } from '../../platform/access-token.ts';
import { onBehalfOf } from '../../platform/database/scope.ts';

const mail = await startMailPeer();
const app = await startTestApp({
  env: { TRUST_PROXY: '1', SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>' },
});
const { context, clock } = app;
// The rate limits count within a time window. The frozen clock makes them independent of the machine's speed.
clock.freeze();

const minute = 60_000;
let hosts = 0;
/** A new address for each test. */
const newAddress = () => `198.51.${Math.floor((hosts += 1) / 250)}.${hosts % 250}`;

function signIn(person: Person, user: { email: string; password?: string }, address: string) {
  const isPatient = user.password === undefined;
  return person.call(login, { body: { isPatient, user }, headers: { 'x-forwarded-for': address } });
}
const tryPassword = (email: string, typed: string, address: string, person = app.anonymous()) =>
  signIn(person, { email, password: typed }, address);

/** A user with a browser in which they have signed in before. */
async function knownUser(address = newAddress()) {
  const user = await buildUser(context, { password });
  const browser = app.anonymous();
  expect((await tryPassword(user.email, password, address, browser)).status).toBe(200);
  return { ...user, browser, address };
}

describe('password guessing', () => {
  test('guesses from many addresses: the user can still sign in on a known device', async () => {
    const victim = await knownUser();
    for (let i = 0; i < 60; i += 1) await tryPassword(victim.email, `wrong-${i}`, `203.0.113.${i}`);
    // The email is limited for unknown devices. The victim's device is not.
    expect((await tryPassword(victim.email, password, newAddress())).status).toBe(429);
    expect((await tryPassword(victim.email, password, newAddress(), victim.browser)).status).toBe(200);
  });

  test('guesses from the company’s own address: its known devices can still sign in', async () => {
    const victim = await knownUser();
    for (let i = 0; i < 60; i += 1) await tryPassword(victim.email, `wrong-${i}`, victim.address);
    for (let i = 0; i < 30; i += 1) await tryPassword(`other-${i}@example.test`, 'wrong', victim.address);
    expect((await tryPassword(victim.email, password, victim.address)).status).toBe(429);
    expect((await tryPassword(victim.email, password, victim.address, victim.browser)).status).toBe(200);
  });

  test('guesses with another user’s or a forged device token: do not get the limit of the victim’s device', async () => {
    const victim = await knownUser();
    const otherUser = await knownUser();
    const forger = app.anonymous();
    const token = victim.browser.cookies.get('roomside-device') ?? '';
    forger.cookies.set('roomside-device', `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`);
    for (let i = 0; i < 5; i += 1) await tryPassword(victim.email, 'wrong', otherUser.address, otherUser.browser);
    expect((await tryPassword(victim.email, password, otherUser.address, otherUser.browser)).status).toBe(429);
    expect((await tryPassword(victim.email, password, otherUser.address, forger)).status).toBe(429);
  });

  test('guesses on a known device: return 429 after five attempts', async () => {
    const victim = await knownUser();
    const statuses = [];
    for (let i = 0; i < 7; i += 1)
      statuses.push((await tryPassword(victim.email, 'wrong', newAddress(), victim.browser)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  test('guesses on one account: at most 1,000 are checked an hour, also while its user signs in', async () => {
    const victim = await knownUser();
    const start = clock.now();
    let evaluated = 0;
    // As fast as the limit allows, each time from another address. A few minutes show the rate.
    while (clock.now() - start < 4 * minute) {
      const { status, headers } = await tryPassword(victim.email, 'wrong', newAddress());
      if (status === 401) evaluated += 1;
      else clock.set(clock.now() + Number(headers.get('retry-after')) * 1000);
      if (evaluated % 50 === 10) await tryPassword(victim.email, password, victim.address, victim.browser);
    }
    const minutes = (clock.now() - start) / minute;
    expect(((evaluated - 20) / minutes) * 60).toBeLessThan(1_000);
    expect(evaluated).toBeGreaterThan(20);
  });

  test('guesses with the email in several spellings: count as one account', async () => {
    const victim = await buildUser(context, { password, email: `iris.${randomBytes(6).toString('hex')}@example.test` });
    const statuses = [];
    for (let i = 0; i < 24; i += 1) {
      // U+0130 becomes i in the database, and i with a dot above in JavaScript.
      const spelling = i % 2 === 0 ? victim.email : victim.email.replace('i', '\u0130');
      statuses.push((await tryPassword(spelling, 'wrong', newAddress())).status);
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
  });

  test('guesses from IPv6: a /64 counts as one address in every spelling, and a /48 has a limit', async () => {
    const evaluate = async (addresses: string[]) => {
      const statuses = [];
      for (const address of addresses)
        statuses.push((await tryPassword(`${address.replaceAll(':', '-')}@example.test`, 'wrong', address)).status);
      return statuses.filter((status) => status === 401).length;
    };
    expect(await evaluate(Array.from({ length: 40 }, (_, i) => `2001:db8::${i.toString(16)}:1:2:3`))).toBe(20);
    expect(await evaluate(Array.from({ length: 90 }, (_, i) => `2001:db8:77:${i.toString(16)}00::1`))).toBe(80);
  });
});

test('login on a known device: works while unknown clients use all of their database connections', async () => {
  const victim = await knownUser();
  const steps = await knownUser();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  onTestFinished(() => release());
  // More transactions than unauthenticated callers may have at a time.
  const unknownClients = Array.from({ length: 12 }, (_, i) =>
    onBehalfOf({ group: 'unauthenticated', member: newAddress() }, () =>
      context.db.open({ kind: 'unauthenticated' }, async () => {
        await released;
        return i;
      }),
    ),
  );
  let isOtherSignedIn = false;
  const otherUser = tryPassword(victim.email, password, newAddress()).then(() => (isOtherSignedIn = true));
  expect((await tryPassword(victim.email, password, victim.address, victim.browser)).status).toBe(200);
  // Each step of a sign-in, not the password alone.
  expect((await steps.browser.call(refresh, { body: { kind: 'staff', active: true } })).json.signedIn).toBe(true);
  expect((await steps.browser.call(startPasskeySignIn, { body: {} })).status).toBe(200);
  expect(isOtherSignedIn).toBe(false);
  release();
  await Promise.all([...unknownClients, otherUser]);
});

test('a network that has used up its database turns is refused on routes that are no calls, too', async () => {
  const [busy, idle] = [newAddress(), newAddress()];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  onTestFinished(() => release());
  // Six run, 500 wait: the next one is refused.
  const waiting = Array.from({ length: 506 }, () =>
    onBehalfOf({ group: 'unauthenticated', member: busy }, () =>
      context.db.open({ kind: 'unauthenticated' }, () => released),
    ),
  );
  const send = async (path: string, body: object, address: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
    return (await fetch(`${app.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  };
  const webhook = '/api/payment-webhooks/stripe/0123456789abcdef0123456789abcdef';
  const challenge = '/sandbox/challenges/sbxact_0123456789abcdef01234567';
  expect(await send(webhook, {}, busy)).toBe(503);
  expect(await send(challenge, { passed: true }, busy)).toBe(503);
  release();
  await Promise.all(waiting);
  expect(await send(webhook, {}, idle)).toBe(404);
  expect(await send(challenge, { passed: true }, idle)).toBe(204);
});

test('sign-ups from many networks: at most 60 a minute are processed, and sign-ins go on', async () => {
  await allowSignUp(context, ['127.0.0.1']);
  const { email, browser, address } = await knownUser();
  const signUpFrom = async (from: string) => {
    const user = {
      companyName: 'Harbor Family Care',
      timeZone: 'America/Denver',
      firstName: 'Noor',
      lastName: 'Haddad',
      email: `noor-${from}@example.test`,
      phone: '2125550142',
      password,
    };
    return (await app.anonymous().call(signUp, { body: { user }, headers: { 'x-forwarded-for': from } })).status;
  };
  clock.set(clock.now() + minute);
  const statuses: number[] = [];
  for (let i = 0; i < 65; i += 1) statuses.push(await signUpFrom(newAddress()));
  expect([204, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([60, 5]);
  expect((await tryPassword(email, password, address, browser)).status).toBe(200);
  clock.set(clock.now() + minute);
  expect(await signUpFrom(newAddress())).toBe(204);
});

test('sign-ins of one user at the same time: all succeed', async () => {
  for (let round = 0; round < 15; round += 1) {
    const user = await buildUser(context, { password });
    const address = newAddress();
    const answers = await Promise.all([1, 2, 3, 4].map(() => tryPassword(user.email, password, address)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  }
});

describe('access code guessing', () => {
  test('wrong codes from one address: a correct code from there still signs in', async () => {
    const { accessCode } = await buildAppointment(context);
    const address = newAddress();
    const tried = [];
    for (let i = 0; i < 40; i += 1) tried.push((await signIn(app.anonymous(), { email: `wrong${i}` }, address)).status);
    expect([tried.filter((status) => status === 401).length, tried.at(-1)]).toEqual([10, 429]);
    expect((await signIn(app.anonymous(), { email: accessCode }, address)).status).toBe(200);
  });

  test('wrong codes from 400 addresses: raise an alarm, and no correct code is refused', async () => {
    const { accessCode } = await buildAppointment(context);
    const added = await watchAudit(app);
    for (let i = 0; i < 400; i += 1) {
      const address = `192.0.${i % 2}.${i >> 1}`;
      expect((await signIn(app.anonymous(), { email: `wrong${i}` }, address)).status).toBe(401);
    }
    expect((await signIn(app.anonymous(), { email: accessCode }, newAddress())).status).toBe(200);
    const alarms = (await added()).filter(({ action }) => action === 'manyWrongCodes');
    expect(alarms).toMatchObject([{ objects: { refused: 'alarm' } }]);
    expect(app.logged.filter((line) => line.includes('manyWrongCodes') && line.includes('"level":50'))).toHaveLength(1);
  });

  test('guessed one-time links: cost no password hash, and valid links still work', async () => {
    const { userId } = await buildUser(context, { password });
    const address = newAddress();
    const headers = { 'x-forwarded-for': address };
    const statuses = [];
    for (let i = 0; i < 20; i += 1) {
      const token = 'x'.repeat(32);
      const body = { user: { refreshToken: token, password: `some-long-password-${i}` } };
      statuses.push((await app.anonymous().call(passwordReset, { body, headers })).status);
      statuses.push((await app.anonymous().call(oneTimeLogin, { body: { token }, headers })).status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    const { createOneTimeToken } = await import('../../platform/one-time-token.ts');
    const token = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      createOneTimeToken(tx, context, 'login', userId, new Date(clock.now()).toISOString()),
    );
    expect((await app.anonymous().call(oneTimeLogin, { body: { token }, headers })).status).toBe(200);
  });
});

describe('audit', () => {
  test('failed sign-in: has the account, the reason and the address, not the typed text', async () => {
    const victim = await knownUser();
    const added = await watchAudit(app);
    const address = newAddress();
    await tryPassword(victim.email, 'a-mistyped-secret', address);
    await tryPassword('typed-by-mistake@example.test', 'x', address);
    await signIn(app.anonymous(), { email: 'a-wrong-code' }, address);
    const rows = (await added()).filter(({ objects }) => objects['refused'] !== 'alarm');
    expect(rows).toMatchObject([
      {
        company_id: victim.companyId,
        actor: `user_${victim.userId}`,
        action: 'login',
        objects: { refused: 'wrong-credentials' },
        address,
      },
      { company_id: null, actor: 'unknown', action: 'login', objects: { refused: 'wrong-credentials' }, address },
      { company_id: null, actor: 'unknown', action: 'login', objects: { refused: 'wrong-code' }, address },
    ]);
    const all = app.logged.join('');
    expect(all).toContain(address);
    for (const typed of ['a-mistyped-secret', 'typed-by-mistake', 'a-wrong-code']) expect(all).not.toContain(typed);
  });

  test('forged access token: has a row, an expired one has none', async () => {
    const address = newAddress();
    const { token = '' } = await app.signIn({ email: (await buildUser(context, { password })).email, password });
    const [header, claims] = token.split('.');
    const other = await createAccessToken(
      { ...context, keys: { ...context.keys, token: randomBytes(32) } },
      { kind: 'super', role: 'Super', userId: 1, signInId: 1, serial: 'x', firstName: 'A', lastName: 'B' },
    );
    const added = await watchAudit(app);
    const status = async (bearer: string) => {
      const headers = { authorization: `Bearer ${bearer}`, 'x-forwarded-for': address };
      return (await fetch(`${app.url}${getSignIn.path}`, { headers })).status;
    };
    for (const forged of [`${header}.${claims}.${'A'.repeat(43)}`, other, 'x.y.z'])
      expect(await status(forged)).toBe(401);
    clock.set(clock.now() + 11 * minute);
    expect(await status(token)).toBe(401);
    // Equal refusals of a second are one row, so there are one to three.
    const rows = await added();
    expect(rows.map(({ objects }) => Number(objects['count'] ?? 1)).reduce((all, one) => all + one)).toBe(3);
    for (const row of rows)
      expect(row).toMatchObject({
        actor: 'unknown',
        action: 'getSignIn',
        objects: { refused: 'not-signed-in' },
        address,
      });
  });

  test('logout everywhere: has a row', async () => {
    const { logout } = await import('@roomside/contract/auth/calls.ts');
    const { browser, userId, companyId } = await knownUser();
    const added = await watchAudit(app);
    await browser.call(logout, { body: { kind: 'staff', everywhere: true } });
    expect(await added()).toMatchObject([
      { company_id: companyId, actor: `user_${userId}`, action: 'logoutEverywhere', path: '/api/auth/logout' },
    ]);
  });

  test('replayed refresh token: raises an alarm', async () => {
    const { browser, userId } = await knownUser();
    const stolen = app.anonymous();
    stolen.cookies = new Map(browser.cookies);
    await browser.call(refresh, { body: { kind: 'staff', active: true } });
    clock.set(clock.now() + 31_000);
    const added = await watchAudit(app);
    await stolen.call(refresh, { body: { kind: 'staff', active: true } });
    const alarms = (await added()).filter(({ action }) => action === 'refreshTokenReplayed');
    expect(alarms).toMatchObject([{ actor: `user_${userId}`, objects: { refused: 'alarm' } }]);
  });
});

describe('idle sign-in', () => {
  test('sign-in after the idle timeout: ends, also when the page reports activity', async () => {
    const { browser } = await knownUser();
    clock.set(clock.now() + 42 * minute);
    const response = await browser.call(refresh, { body: { kind: 'staff', active: true } });
    expect(response.json).toEqual({ signedIn: false });
  });

  test('remembered sign-in: ends after a week without use; polling does not count as use @ENTITY-21', async () => {
    const { email } = await buildUser(context, { password });
    const day = 24 * 60 * minute;
    const remembered = async () => {
      const browser = app.anonymous();
      const { json } = await browser.call(login, {
        body: { isPatient: false, user: { email, password, remember: true } },
      });
      browser.token = json.signedIn ? json.accessToken : undefined;
      expect((await browser.call(getSignIn)).json.remembered).toBe(true);
      return browser;
    };
    const brief = await app.signIn({ email, password });
    expect((await brief.call(getSignIn)).json.remembered).toBe(false);
    const used = await remembered();
    const polled = await remembered();
    for (let i = 0; i < 2; i += 1) {
      clock.set(clock.now() + 6 * day);
      expect((await used.call(refresh, { body: { kind: 'staff', active: true } })).json.signedIn).toBe(true);
      const { json } = await polled.call(refresh, { body: { kind: 'staff', active: false } });
      expect(json.signedIn).toBe(i === 0);
    }
  });
});

test('requestPasswordReset many times from the company’s own address: its known devices can still ask', async () => {
  const victim = await knownUser();
  const headers = { 'x-forwarded-for': victim.address };
  const request = (email: string, person = app.anonymous()) =>
    person.call(requestPasswordReset, { body: { email }, headers });
  for (let i = 0; i < 20; i += 1) expect((await request(`reset-${i}@example.test`)).status).toBe(204);
  for (const email of [victim.email, 'unknown-reset@example.test']) {
    expect((await request(email)).status).toBe(429);
    expect((await request(email, victim.browser)).status).toBe(204);
  }
});

describe('many networks of one IPv6 /48', () => {
  let sites = 0;
  const newSite = () => `2001:db8:${(0x100 + (sites += 1)).toString(16)}`;
  const provider = fillPath(startExternalSignIn.path, { providerName: 'acme' });
  /** Each returns whether the request was accepted. */
  const attacks = {
    requestPasswordReset: async (from: string, n: number) => {
      const request = { body: { email: `site-${n}@example.test` }, headers: { 'x-forwarded-for': from } };
      return (await app.anonymous().call(requestPasswordReset, request)).status === 204;
    },
    startPasskeySignIn: async (from: string) =>
      (await app.anonymous().call(startPasskeySignIn, { body: {}, headers: { 'x-forwarded-for': from } })).status ===
      200,
    startExternalSignIn: async (from: string) => {
      const request = { redirect: 'manual', headers: { 'x-forwarded-for': from } } as const;
      const { headers } = await fetch(new URL(provider, app.url), request);
      // No brand has a provider here.
      return headers.get('location')?.endsWith('failed=provider-error');
    },
  };
  test.each([
    ['requestPasswordReset', 80],
    ['startPasskeySignIn', 240],
    ['startExternalSignIn', 240],
  ] as const)('%s: is accepted %i times, and then from another /48 only', async (name, limit) => {
    const [site, otherSite] = [newSite(), newSite()];
    const accepted: (boolean | undefined)[] = [];
    for (let n = 0; n < limit + 5; n += 1) accepted.push(await attacks[name](`${site}:${n.toString(16)}00::1`, n));
    expect(accepted.filter(Boolean)).toHaveLength(limit);
    expect(accepted.slice(limit)).toEqual(Array(5).fill(false));
    expect(await attacks[name](`${otherSite}::1`, 1000)).toBe(true);
  });
});

test('requestPasswordReset from many addresses: sends at most five emails and refuses no request', async () => {
  const { email } = await buildUser(context, { password });
  const request = (address: string) =>
    app.anonymous().call(requestPasswordReset, { body: { email }, headers: { 'x-forwarded-for': address } });
  for (let i = 0; i < 12; i += 1) expect((await request(newAddress())).status).toBe(204);
  expect((await request(newAddress())).status).toBe(204);
  const countPendingJobs = () =>
    context.db.open({ kind: 'unauthenticated' }, async (tx) => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from pgboss.job
        where name = 'password-reset-mail' and state < 'completed'`.execute(tx);
      return rows[0]?.n;
    });
  await expect.poll(countPendingJobs).toBe(0);
  expect(mail.to(email)).toHaveLength(5);
});
