import { availableParallelism } from 'node:os';
import {
  getSignIn,
  login,
  passwordReset,
  requestPasswordReset,
  type TokenClaims,
} from '@roomside/contract/auth/calls.ts';
import { confirmSignUp, signUp } from '@roomside/contract/auth/sign-up-calls.ts';
import type { BodyOf } from '@roomside/contract/call.ts';
import { getCompany } from '@roomside/contract/companies/calls.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { decodeJwt } from 'jose';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { password, startTestApp } from '../../../test/test-app.ts';
import { allowSignUp, buildUser } from '../../demo/builders.ts';
import { newUid } from '../../platform/access-code.ts';
import { cleanUp } from '../upkeep/clean-up.ts';

const app = await startTestApp({ demo: true });
const { context, clock } = app;
let owner: pg.Client;

beforeAll(async () => {
  owner = new pg.Client(app.database.owner);
  await owner.connect();
  await allowSignUp(context, ['127.0.0.1']);
});
afterAll(() => owner.end());
// All requests come from one address.
beforeEach(() => owner.query('delete from sign_in_failures'));

type Account = BodyOf<typeof signUp>['user'];
const account = (more: Partial<Account> = {}): { body: { user: Account } } => ({
  body: {
    user: {
      companyName: 'Harbor Family Care',
      timeZone: 'America/Denver',
      firstName: 'Noor',
      lastName: 'Haddad',
      email: `noor-${newUid().slice(0, 12)}@example.test`,
      phone: '2125550142',
      password,
      ...more,
    },
  },
});
const request = (input: ReturnType<typeof account>) => app.anonymous().call(signUp, input);
const confirm = (token: string, given = password) =>
  app.anonymous().call(confirmSignUp, { body: { token, password: given } });

interface StoredMail {
  subject: string;
  body_text: string;
  body_html: string;
}

async function mailsTo(email: string): Promise<StoredMail[]> {
  const { rows } = await owner.query<StoredMail>(
    `select * from outbox where recipient in ($1, 'Noor Haddad <' || $1 || '>') order by outbox_id`,
    [email],
  );
  return rows;
}

/** Waits for the mail, and returns it. */
async function mailTo(email: string): Promise<StoredMail> {
  await expect.poll(async () => (await mailsTo(email)).length).toBeGreaterThan(0);
  return (await mailsTo(email)).at(-1) as StoredMail;
}

/** Signs up and returns the token of the mailed link. */
async function tokenFor(input: ReturnType<typeof account>): Promise<string> {
  expect((await request(input)).status).toBe(204);
  const mail = await mailTo(input.body.user.email);
  return /#\/signup\/([\w-]+)/.exec(mail.body_text)?.[1] ?? '';
}

const countCompanies = async () => (await owner.query('select from companies')).rowCount;

test('queue of password hashes that strangers fill: a sign-up is refused, a known device signs in', async () => {
  const { email } = await buildUser(context, { password });
  const browser = app.anonymous();
  const signIn = () => browser.call(login, { body: { isPatient: false, user: { email, password } } });
  expect((await signIn()).status).toBe(200);
  // Takes about a second.
  const slow = `$argon2id$v=19$m=19456,t=40,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
  const running = Array.from({ length: availableParallelism() }, () => context.passwords.verify('x', slow, 'unknown'));
  const waiting = Array.from({ length: 40 }, () => context.passwords.verify('x', null, 'unknown').catch(() => false));
  expect((await request(account())).status).toBe(429);
  expect((await signIn()).status).toBe(200);
  await Promise.all([...running, ...waiting]);
  expect((await request(account())).status).toBe(204);
});

describe('sign-up', () => {
  test('creates the company with one provider and 30 days, and its administrator, by the link and the password', async () => {
    const input = account();
    const before = await countCompanies();
    const token = await tokenFor(input);
    expect(await countCompanies()).toBe(before);
    const person = app.anonymous();
    const signedIn = await person.call(confirmSignUp, { body: { token, password } });
    expect(signedIn.status).toBe(200);
    person.token = signedIn.json.accessToken;
    // Its messages are limited until it has paid, or an administrator of the installation has saved it.
    expect((await owner.query('select messages from trials')).rows).toEqual([{ messages: 0 }]);
    expect((await person.call(getSignIn)).json).toMatchObject({
      role: 'A',
      firstName: 'Noor',
      company: { companyName: 'Harbor Family Care', timeZone: 'America/Denver', expired: false },
    });
    const company = (await person.call(getCompany, { params: { companyId: 0 } })).json;
    const today = instantToWall(new Date(clock.now()).toISOString(), 'America/Denver').day;
    const ends = Temporal.PlainDate.from(today).add({ days: 30 }).toString();
    expect(company).toMatchObject({ providerCount: 1, expirationDate: ends, genericSchedule: false });
    await app.signIn({ email: input.body.user.email, password });
  });

  test('reset, its request, and sign-up: the link of the mail leads to login data, of an administrator at sign-up @CALL-24', async () => {
    const input = account();
    const { email, companyName } = input.body.user;
    const token = await tokenFor(input);
    // The host is that of the page: this one has no brand that allows it.
    const elsewhere = await app.anonymous().call(signUp, { ...account(), headers: { origin: 'http://localhost' } });
    expect(elsewhere.status).toBe(403);
    const { status, json: signedUp } = await confirm(token);
    expect([status, signedUp.signedIn]).toEqual([200, true]);
    expect(decodeJwt<TokenClaims>(signedUp.accessToken)).toMatchObject({ roles: 'A', given_name: 'Noor' });

    const byMail = await app.anonymous().call(requestPasswordReset, { body: { email } });
    expect(byMail.status).toBe(204);
    await expect.poll(async () => (await mailTo(email)).body_text).toContain('/#/reset/');
    const refreshToken = /#\/reset\/(\S+)/.exec((await mailTo(email)).body_text)?.[1] ?? '';
    const user = { refreshToken, password: 'quite-another-one' };
    const { json: reset } = await app.anonymous().call(passwordReset, { body: { user } });
    const person = Object.assign(app.anonymous(), { token: reset.signedIn ? reset.accessToken : undefined });
    expect((await person.call(getSignIn)).json).toMatchObject({ role: 'A', company: { companyName } });
    await app.signIn({ email, password: user.password });
  });

  test('sign-up whose link was not opened: the email and the password do not sign in', async () => {
    const input = account();
    await tokenFor(input);
    const { email } = input.body.user;
    const refused = await app.anonymous().call(login, { body: { isPatient: false, user: { email, password } } });
    expect(refused.problem.code).toBe('wrong-credentials');
  });

  test('link: works once, also for two at the same time, and not after 24 hours', async () => {
    const token = await tokenFor(account());
    const both = await Promise.all([confirm(token), confirm(token)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect((await confirm(token)).problem.code).toBe('link-used');
    const late = await tokenFor(account());
    clock.set(clock.now() + 24 * 3_600_000 + 1000);
    expect((await confirm(late)).problem.code).toBe('link-used');
    await cleanUp(context);
    expect((await owner.query('select from sign_ups')).rowCount).toBe(0);
  });

  test('wrong password: creates nothing, keeps the link, and is slowed down', async () => {
    onTestFinished(clock.freeze());
    // A stranger who signs somebody else up knows the password, the reader of the mail does not.
    const token = await tokenFor(account());
    const before = await countCompanies();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await confirm(token, `not-the-one-${attempt}`)).problem).toMatchObject({
        code: 'wrong-password',
        title: 'This isn’t the password that you chose.',
        fields: { password: 'This isn’t the password that you chose.' },
      });
    }
    expect((await confirm(token, 'not-the-one')).problem.code).toBe('too-many');
    expect(await countCompanies()).toBe(before);
    await owner.query('delete from sign_in_failures');
    expect((await confirm(token)).status).toBe(200);
  });

  test('email that got an account after the mail: the link is refused', async () => {
    const input = account();
    const token = await tokenFor(input);
    await buildUser(context, { email: input.body.user.email.toUpperCase() });
    const before = await countCompanies();
    expect((await confirm(token)).problem.code).toBe('link-used');
    expect(await countCompanies()).toBe(before);
  });
});

describe('attacks on sign-up', () => {
  test('known email: gets the same response, and a mail that it has an account, without a link to create one', async () => {
    const { email } = await buildUser(context, { password });
    const [known, unknown] = [await request(account({ email })), await request(account())];
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    const { subject, body_text: body } = await mailTo(email);
    expect(subject).toBe('You already have an account');
    expect(body).toContain('/#/login');
    expect(body).not.toContain('signup');
  });

  test('known email: leaves the same request behind as an unknown one; only the job looks it up', async () => {
    const { email } = await buildUser(context, { password });
    const store = async (typed: string) => {
      const { status } = await request(account({ email: typed }));
      const { rows } = await owner.query<{ size: number; lifetime: string }>(
        `select length(sealed) as size, (expires_at - created_at)::text as lifetime from sign_ups
          order by created_at desc limit 1`,
      );
      return { status, ...rows[0] };
    };
    const unknown = await store(`x${email.slice(1)}`);
    clock.set(clock.now() + 1000);
    expect(await store(email)).toEqual(unknown);
  });

  test('strict brand, and a host without one: are refused, and nothing is stored or sent', async () => {
    await owner.query(`with brand as (insert into brands (strict_mode, created_at) values (true, now()) returning brand_id)
      insert into brand_hosts (host, brand_id) select 'strict.test', brand_id from brand`);
    const before = (await owner.query('select from sign_ups')).rowCount;
    for (const host of ['strict.test', 'unknown.test', 'localhost']) {
      const response = await fetch(app.url + signUp.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: `http://${host}` },
        body: JSON.stringify(account().body),
      });
      expect(response.status).toBe(403);
    }
    expect((await owner.query('select from sign_ups')).rowCount).toBe(before);
  });

  test('flood of one address: is slowed down; of one email from many addresses: gets three mails an hour', async () => {
    onTestFinished(clock.freeze());
    const email = 'victim@example.test';
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) statuses.push((await request(account({ email }))).status);
    expect(statuses).toEqual([204, 204, 204, 429, 429]);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await owner.query('delete from sign_in_failures');
      expect((await request(account({ email }))).status).toBe(204);
    }
    await expect.poll(async () => (await mailsTo(email)).length).toBe(3);
    // The jobs run in their order: the mail to another email follows all of those.
    const other = account();
    await tokenFor(other);
    expect(await mailsTo(email)).toHaveLength(3);
  });

  test.each([
    ['companyName', 'Win at evil.com'],
    ['firstName', '<a href="//evil.test">Bank</a>'],
    ['lastName', 'see https://evil.test'],
    ['firstName', 'Visit www.evil'],
  ] as const)('%s with an address (%s): is refused', async (field, value) => {
    const { status, problem } = await request(account({ [field]: value }));
    expect([status, Object.keys(problem.fields ?? {})]).toEqual([422, [`user.${field}`]]);
  });

  test('mail: contains nothing that was typed', async () => {
    const input = account({ companyName: 'Totally Real Bank', firstName: 'Click', lastName: 'Here' });
    expect((await request(input)).status).toBe(204);
    const mail = await mailTo(input.body.user.email);
    for (const typed of ['Totally', 'Real Bank', 'Click', 'Here', input.body.user.email]) {
      expect(mail.subject + mail.body_text + mail.body_html).not.toContain(typed);
    }
  });

  test('easy password, also one of the own names: is refused', async () => {
    for (const easy of ['password123', 'harborfamilycare', 'noorhaddad']) {
      const { problem } = await request(account({ password: easy }));
      expect([problem.code, problem.fields]).toMatchObject([
        'common-password',
        { 'user.password': expect.any(String) },
      ]);
    }
  });

  test('stored request: holds neither the password nor the names as text', async () => {
    const input = account({ companyName: 'Unsealed Clinic' });
    await request(input);
    const { rows } = await owner.query<{ sealed: Buffer }>('select sealed from sign_ups');
    for (const { sealed } of rows) {
      for (const typed of ['Unsealed', password, input.body.user.email]) expect(sealed.includes(typed)).toBe(false);
    }
  });
});
