import { listAuditLog } from '@roomside/contract/audit/calls.ts';
import { completeSignIn, getSignIn, oneTimeLogin, refresh } from '@roomside/contract/auth/calls.ts';
import { getBrandSettings, saveBrand } from '@roomside/contract/brands/calls.ts';
import { fillPath } from '@roomside/contract/call.ts';
import {
  continueExternalSignIn,
  finishExternalSignIn,
  startExternalSignIn,
} from '@roomside/contract/external-sign-in/calls.ts';
import { disconnectUser, getUser, saveUser } from '@roomside/contract/users/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../../../signalr/test/free-port.ts';
import { brandBody, providerBody } from '../../../test/build-brand.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../../test/openid-provider.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import { createOneTimeToken } from '../../platform/one-time-token.ts';

const app = await startTestApp({ env: { EXTERNAL_PROVIDER_HOSTS: '127.0.0.1' } });
const { context, clock } = app;
const owner = new pg.Client(app.database.owner);
let provider: OpenIdProvider;
let root: Person;
let companyId: number;

beforeAll(async () => {
  await owner.connect();
  provider = await startOpenIdProvider();
  provider.redirectUris.push(`${app.url.replace('https', 'http')}${finishExternalSignIn.path}`);
  const { email } = await buildUser(context, { companyId: null, password });
  root = await app.signIn({ email, password });
  ({ companyId } = await buildCompany(context));
  const down = { ...provider, issuer: `http://127.0.0.1:${await freePort()}` };
  const saved = await root.call(saveBrand, {
    body: brandBody({
      hosts: ['127.0.0.1'],
      providers: [
        providerBody(provider),
        providerBody(down, { providerName: 'down' }),
        providerBody(provider, { providerName: 'fenced', emailDomains: ['acme.test'] }),
      ],
    }),
  });
  if (saved.status !== 200) throw new Error(saved.text);
});
beforeEach(() => provider.accounts.clear());
afterAll(async () => {
  await provider.close();
  await owner.end();
});

/** A browser: keeps the cookies of each host and follows redirects by hand. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Opens an address without following its redirect. Cookies belong to the host with its port. */
  async open(address: string, from: string = app.url): Promise<{ status: number; location: string; text: string }> {
    const url = new URL(address, from);
    const cookies = this.cookiesOf(url);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location') ?? '';
    return { status: response.status, location: location && new URL(location, url).href, text: await response.text() };
  }

  cookiesOf(url: URL): Map<string, string> {
    const known = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, known);
    return known;
  }

  /** The application's cookies, for calls of the page. */
  get person(): Person {
    const person = app.anonymous();
    for (const [name, value] of this.cookiesOf(new URL(app.url))) person.cookies.set(name, value);
    return person;
  }
}

const start = (name = 'acme') => fillPath(startExternalSignIn.path, { providerName: name });

/** Returns the address at which the provider sends the browser back. `change` changes the request to the provider. */
async function untilCallback(browser: Browser, subject: string, change = (_asked: URL): void => {}, name = 'acme') {
  const asked = new URL((await browser.open(start(name))).location);
  change(asked);
  const page = await browser.open(asked.href);
  const chosen = await browser.open(`${page.location}/${subject}`);
  return (await browser.open(chosen.location)).location;
}

/** Returns where the browser ends: the path behind the host. */
async function signIn(browser: Browser, subject: string, name?: string): Promise<string> {
  const { location } = await browser.open(await untilCallback(browser, subject, undefined, name));
  return location.slice(app.url.length);
}

const failed = (reason: string) => `/#/login?failed=${reason}`;

const signInOf = async ({ person }: Browser) => {
  const answer = await person.call(refresh, { body: { kind: 'staff', active: true } });
  if (!answer.json.signedIn) return null;
  person.token = answer.json.accessToken;
  return (await person.call(getSignIn)).json;
};

const account = (email: string, isVerified = true) => ({ email, email_verified: isVerified });

test('sign-in: works by email and password, access code, link, and the name of a provider @CALL-23', async () => {
  const user = await buildUser(context, { companyId, password });
  const person = await app.signIn({ email: user.email, password });
  expect((await person.call(getSignIn)).json.userId).toBe(user.userId);

  const { patientId } = await buildPatient(context, { companyId });
  const { accessCode } = await buildAppointment(context, { companyId, doctorId: user.userId, patientId });
  const patient = await app.signInPatient(accessCode);
  expect((await patient.call(getSignIn)).json.patientId).toBe(patientId);

  const token = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    createOneTimeToken(tx, context, 'login', user.userId, isoNow(clock)),
  );
  const byLink = app.anonymous();
  const answer = await byLink.call(oneTimeLogin, { body: { token } });
  byLink.token = answer.json.signedIn ? answer.json.accessToken : undefined;
  expect((await byLink.call(getSignIn)).json.userId).toBe(user.userId);

  provider.accounts.set('one', account(user.email));
  const browser = new Browser();
  expect(await signIn(browser, 'one', 'acme')).toBe('/#/login');
  expect((await signInOf(browser))?.userId).toBe(user.userId);
});

describe('external sign-in', () => {
  test('first sign-in: uses the verified email, later ones use the subject although the email has changed', async () => {
    const user = await buildUser(context, { companyId, role: 'D', password });
    provider.accounts.set('first', account(user.email.toUpperCase()));
    const browser = new Browser();
    expect(await signIn(browser, 'first')).toBe('/#/login');
    expect((await signInOf(browser))?.userId).toBe(user.userId);

    provider.accounts.set('first', account('someone-else@example.test'));
    const again = new Browser();
    expect(await signIn(again, 'first')).toBe('/#/login');
    expect((await signInOf(again))?.userId).toBe(user.userId);

    // VALID-9: there is no password to set.
    const { json } = await root.call(getUser, { params: { userId: user.userId } });
    expect(json.isExternal).toBe(true);
    const { userId, version, firstName, lastName, email, phone, roleId, npi, selfPayFee } = json;
    const body = { userId, version, firstName, lastName, email, phone, roleId, npi, selfPayFee, ...rest(json) };
    expect((await root.call(saveUser, { body: { ...body, passwordString: 'a-new-long-password-7' } })).status).toBe(
      403,
    );

    const { rows } = await owner.query(
      `select action, actor from audit_log where action in ('linkExternalUser', 'finishExternalSignIn')
       and actor like '%\\_' || $1 order by audit_id`,
      [user.userId],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'linkExternalUser',
      'finishExternalSignIn',
      'finishExternalSignIn',
    ]);
  });

  test('email that is not verified, or missing: is refused', async () => {
    const { email } = await buildUser(context, { companyId, password });
    provider.accounts.set('unverified', account(email, false));
    provider.accounts.set('nameless', {});
    expect(await signIn(new Browser(), 'unverified')).toBe(failed('unverified-email'));
    expect(await signIn(new Browser(), 'nameless')).toBe(failed('unverified-email'));
  });

  test('unknown email, another account of a known one, a disabled user or company, a Super: are refused', async () => {
    provider.accounts.set('unknown', account('stranger@example.test'));
    expect(await signIn(new Browser(), 'unknown')).toBe(failed('unknown-user'));

    const user = await buildUser(context, { companyId, password });
    provider.accounts.set('mine', account(user.email));
    provider.accounts.set('other', account(user.email));
    expect(await signIn(new Browser(), 'mine')).toBe('/#/login');
    expect(await signIn(new Browser(), 'other')).toBe(failed('other-account'));
    await owner.query('update users set disabled = true where user_id = $1', [user.userId]);
    expect(await signIn(new Browser(), 'mine')).toBe(failed('user-disabled'));

    const company = await buildCompany(context);
    const closed = await buildUser(context, { companyId: company.companyId, password });
    await owner.query('update companies set disabled = true where company_id = $1', [company.companyId]);
    provider.accounts.set('closed', account(closed.email));
    expect(await signIn(new Browser(), 'closed')).toBe(failed('company-disabled'));

    const second = await buildUser(context, { companyId: null, password });
    provider.accounts.set('super', account(second.email));
    expect(await signIn(new Browser(), 'super')).toBe(failed('unknown-user'));
  });

  test('refused sign-in of a known user: is in the audit log of the user’s clinic', async () => {
    const clinic = await buildCompany(context);
    const { userId, email } = await buildUser(context, { companyId: clinic.companyId, password });
    const boss = await buildUser(context, { companyId: clinic.companyId, role: 'A', password });
    provider.accounts.set('own', account(email));
    provider.accounts.set('foreign', account(email));
    expect(await signIn(new Browser(), 'own')).toBe('/#/login');
    expect(await signIn(new Browser(), 'foreign')).toBe(failed('other-account'));
    await owner.query('update users set disabled = true where user_id = $1', [userId]);
    expect(await signIn(new Browser(), 'own')).toBe(failed('user-disabled'));
    await context.security.flush();
    const by = await app.signIn({ email: boss.email, password });
    const { data } = (await by.call(listAuditLog, { query: { top: 50, skip: 0, kind: 'refused' } })).json;
    expect(data.map(({ action, actor, refused }) => [action, actor.id, refused])).toEqual([
      ['finishExternalSignIn', userId, 'user-disabled'],
      ['finishExternalSignIn', userId, 'other-account'],
    ]);
  });

  test('user disconnected by an administrator: is signed out, and connects with another account of the same email', async () => {
    const user = await buildUser(context, { companyId, password });
    const params = { userId: user.userId };
    const early = await root.call(disconnectUser, { params });
    expect([early.status, early.problem.code]).toEqual([403, 'not-allowed']);
    provider.accounts.set('former', account(user.email));
    provider.accounts.set('current', account(user.email));
    const browser = new Browser();
    await signIn(browser, 'former');
    expect(await signIn(new Browser(), 'current')).toBe(failed('other-account'));
    expect((await root.call(disconnectUser, { params })).status).toBe(204);
    expect(await signInOf(browser)).toBeNull();
    expect((await root.call(getUser, { params })).json).toMatchObject({ isExternal: false, hasPassword: true });
    expect(await signIn(new Browser(), 'current')).toBe('/#/login');
    expect(await signIn(new Browser(), 'former')).toBe(failed('other-account'));
    const { rows } = await owner.query(
      "select actor, objects->'reason' as refused from audit_log where action = 'disconnectUser' and objects->>'userId' = $1",
      [String(user.userId)],
    );
    expect(rows).toContainEqual({ actor: expect.stringMatching(/^Super/), refused: null });
  });

  test('user who is disconnected while they sign in: is refused', async () => {
    const { email, userId } = await buildUser(context, { companyId, password });
    provider.accounts.set('leaving', account(email));
    expect(await signIn(new Browser(), 'leaving')).toBe('/#/login');
    const disconnected = await holdUntilBlocking(context, companyId, (tx) =>
      tx
        .updateTable('users')
        .set({ external_provider: null, external_id: null })
        .where('user_id', '=', userId)
        .execute(),
    );
    const browser = new Browser();
    expect((await Promise.all([signIn(browser, 'leaving'), disconnected()]))[0]).toBe(failed('expired'));
    expect(await signInOf(browser)).toBeNull();
  });

  test('provider of some domains: vouches for their emails only', async () => {
    const inside = await buildUser(context, { companyId, email: 'inside@acme.test', password });
    const outside = await buildUser(context, { companyId, password });
    provider.accounts.set('inside', account(inside.email));
    provider.accounts.set('outside', account(outside.email));
    expect(await signIn(new Browser(), 'outside', 'fenced')).toBe(failed('unknown-user'));
    expect(await signIn(new Browser(), 'inside', 'fenced')).toBe('/#/login');
  });

  test('answer of another browser, with another state, a second time, or after ten minutes: is refused', async () => {
    const { email } = await buildUser(context, { companyId, password });
    provider.accounts.set('one', account(email));
    const browser = new Browser();
    const callback = await untilCallback(browser, 'one');
    const where = async (by: Browser, address: string) => (await by.open(address)).location.slice(app.url.length);
    expect(await where(new Browser(), callback)).toBe(failed('expired'));
    const otherState = new URL(callback);
    otherState.searchParams.set('state', 'another-state');
    expect(await where(browser, otherState.href)).toBe(failed('expired'));
    expect(await where(browser, finishExternalSignIn.path)).toBe(failed('expired'));
    expect(await where(browser, callback)).toBe('/#/login');
    expect(await where(browser, callback)).toBe(failed('expired'));

    const slow = new Browser();
    const late = await untilCallback(slow, 'one');
    const now = clock.now();
    clock.set(now + 10 * 60_000);
    expect(await where(slow, late)).toBe(failed('expired'));
    clock.set(now);
  });

  test('answer with another nonce, or for another code challenge: is refused', async () => {
    const { email } = await buildUser(context, { companyId, password });
    provider.accounts.set('one', account(email));
    for (const name of ['nonce', 'code_challenge']) {
      const browser = new Browser();
      const callback = await untilCallback(browser, 'one', (asked) => {
        const value = asked.searchParams.get(name) ?? '';
        expect(value.length).toBeGreaterThan(40);
        asked.searchParams.set(
          name,
          value.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
        );
      });
      expect((await browser.open(callback)).location.slice(app.url.length)).toBe(failed('provider-error'));
      expect(await signInOf(browser)).toBeNull();
    }
  });

  test('person cancels, provider is down or unknown: leads to the sign-in page', async () => {
    expect(await signIn(new Browser(), 'cancel')).toBe(failed('cancelled'));
    const where = async (name: string) => (await new Browser().open(start(name))).location.slice(app.url.length);
    expect(await where('down')).toBe(failed('provider-unreachable'));
    expect(await where('no-such-one')).toBe(failed('provider-error'));
  });

  test('second factor: is asked for; the ticket is in a cookie that is taken once', async () => {
    const user = await buildUser(context, { companyId, password });
    provider.accounts.set('careful', account(user.email));
    await owner.query(`insert into recovery_codes (user_id, code_hash, created_at) values ($1, $2, now())`, [
      user.userId,
      Buffer.from('x'),
    ]);
    await owner.query(`insert into authenticators (user_id, secret, confirmed_at) values ($1, $2, now())`, [
      user.userId,
      Buffer.from('x'),
    ]);
    const browser = new Browser();
    expect(await signIn(browser, 'careful')).toBe('/#/login?step=second');
    expect(await signInOf(browser)).toBeNull();
    const { person } = browser;
    const { json } = await person.call(continueExternalSignIn);
    expect(json.methods).toEqual(['authenticator', 'recovery']);
    expect((await person.call(continueExternalSignIn)).problem.code).toBe('sign-in-expired');
    const wrong = { ticket: json.ticket, method: 'recovery' as const, code: 'wrong', trustDevice: false };
    expect((await person.call(completeSignIn, { body: wrong })).problem.code).toBe('wrong-second-factor');
  });

  test('no secret, code, state or token is logged, stored in plain text, or shown by a call', async () => {
    const { email } = await buildUser(context, { companyId, password });
    provider.accounts.set('one', account(email));
    const browser = new Browser();
    const callback = new URL(await untilCallback(browser, 'one'));
    const { rows } = await owner.query<{ text: string }>(
      `select (select string_agg(b::text, ' ') from brand_providers b)
       || (select string_agg(e::text, ' ') from external_sign_ins e) as text`,
    );
    await browser.open(callback.href);
    const log = app.logged.join('\n');
    const state = callback.searchParams.get('state') ?? '';
    const code = callback.searchParams.get('code') ?? '';
    for (const secret of [provider.clientSecret, state, code]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(log).not.toContain(secret);
      expect(rows[0]?.text).not.toContain(secret);
      expect(rows[0]?.text).not.toContain(Buffer.from(secret).toString('hex'));
    }
    const brands = await owner.query<{ brand_id: number }>("select brand_id from brand_hosts where host = '127.0.0.1'");
    const shown = await root.call(getBrandSettings, { params: { brandId: Number(brands.rows[0]?.brand_id) } });
    expect(shown.text).toContain(provider.clientId);
    expect(shown.text).not.toContain(provider.clientSecret);
  });
});

type Shown = Awaited<ReturnType<typeof root.call<typeof getUser>>>['json'];
const rest = ({ notificationType, notifyForUsers, disabled }: Shown) => ({
  notificationType,
  notifyForUsers,
  disabled,
});
