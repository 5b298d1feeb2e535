import {
  confirmAuthenticator,
  confirmIdentity,
  createRecoveryCodes,
  getSecondFactor,
  removeAuthenticator,
  startAuthenticator,
} from '@roomside/contract/account-security/calls.ts';
import {
  completeSignIn,
  getSignIn,
  login,
  logout,
  oneTimeLogin,
  passwordReset,
  refresh,
  requestPasswordReset,
} from '@roomside/contract/auth/calls.ts';
import { getAccount, getUser, resetSecondFactor, saveAccount } from '@roomside/contract/users/calls.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { startMailPeer } from '../../../test/message-peers.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import { createOneTimeToken } from '../../platform/one-time-token.ts';
import { codeOf, stepAt } from '../second-factor/totp.ts';

const mail = await startMailPeer();
const app = await startTestApp({
  env: { TRUST_PROXY: '1', SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>' },
});
const { context, clock } = app;
clock.freeze();
const minute = 60_000;
const day = 24 * 60 * minute;

// A code is accepted once, so each test begins at a new step.
beforeEach(() => clock.set(clock.now() + 5 * minute));

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

async function createUser(values: Parameters<typeof buildUser>[1] = {}) {
  const user = await buildUser(context, { ...values, password });
  const person = await app.signIn({ email: user.email, password });
  return { ...user, person };
}
const confirm = (person: Person, currentPassword = password) =>
  person.call(confirmIdentity, { body: { currentPassword } });

/** A user with an authenticator app, whose code is `code(0)` now and `code(1)` in the next step. */
async function userWithApp(values: Parameters<typeof buildUser>[1] = {}) {
  const user = await createUser(values);
  await confirm(user.person);
  const { json } = await user.person.call(startAuthenticator);
  const secret = fromBase32(json.secret);
  const code = (steps = 0) => codeOf(secret, stepAt(clock.now()) + steps);
  expect((await user.person.call(confirmAuthenticator, { body: { code: code() } })).status).toBe(204);
  clock.set(clock.now() + minute);
  return { ...user, secret, code };
}

const tryPassword = (email: string, person = app.anonymous(), remember = false) =>
  person.call(login, { body: { isPatient: false, user: { email, password, remember } } });

/** The ticket of a sign-in with the right password. */
async function ticketOf(email: string, person = app.anonymous()): Promise<string> {
  const { json } = await tryPassword(email, person);
  if (json.signedIn) throw new Error('No second factor was asked for.');
  return json.ticket;
}

const subjectsTo = (address: string) => mail.to(address).map(({ headers }) => headers.get('subject'));

interface Wish {
  method?: 'authenticator' | 'recovery';
  trustDevice?: boolean;
  person?: Person;
}
const complete = (
  ticket: string,
  code: string,
  { method = 'authenticator', trustDevice = false, person = app.anonymous() }: Wish = {},
) => person.call(completeSignIn, { body: { ticket, method, code, trustDevice } });

describe('authenticator app', () => {
  test('sign-in: the password gives a ticket without any cookie or access, and the code completes it', async () => {
    const { email, code, userId } = await userWithApp();
    const browser = app.anonymous();
    const { status, json } = await tryPassword(email, browser);
    expect(status).toBe(200);
    expect(json).toEqual({ signedIn: false, ticket: expect.stringMatching(/^[\w-]{32}$/), methods: ['authenticator'] });
    expect(browser.cookies.size).toBe(0);
    const ticket = json.signedIn ? '' : json.ticket;
    browser.token = ticket;
    expect((await browser.call(getSignIn)).status).toBe(401);
    browser.token = undefined;
    expect((await browser.call(refresh, { body: { kind: 'staff', active: true } })).json.signedIn).toBe(false);

    const added = await watchAudit(app);
    const completed = await complete(ticket, code(), { person: browser });
    expect(completed.status).toBe(200);
    browser.token = completed.json.accessToken;
    expect((await browser.call(getSignIn)).json.userId).toBe(userId);
    expect((await browser.call(refresh, { body: { kind: 'staff', active: true } })).json.signedIn).toBe(true);
    expect(await added()).toMatchObject([{ action: 'login', objects: { secondFactor: 'authenticator' } }]);
  });

  test('a code: is accepted one step early or late, and only once', async () => {
    const { email, code } = await userWithApp();
    const early = code(1);
    expect((await complete(await ticketOf(email), code(2))).problem.code).toBe('wrong-second-factor');
    expect((await complete(await ticketOf(email), code(-2))).problem.code).toBe('wrong-second-factor');
    const late = code(-1);
    expect((await complete(await ticketOf(email), late)).status).toBe(200);
    expect((await complete(await ticketOf(email), late)).problem.code).toBe('wrong-second-factor');
    expect((await complete(await ticketOf(email), early)).status).toBe(200);
    expect((await complete(await ticketOf(email), early)).problem.code).toBe('wrong-second-factor');
    // An older code than the last accepted one is a replay, too.
    expect((await complete(await ticketOf(email), code())).problem.code).toBe('wrong-second-factor');
  });

  test('one code with two tickets at the same time: signs in once', async () => {
    const { email, code } = await userWithApp();
    const tickets = [await ticketOf(email), await ticketOf(email)];
    const answers = await Promise.all(tickets.map((ticket) => complete(ticket, code())));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401]);
  });

  test('another user’s code: is refused', async () => {
    const [victim, other] = [await userWithApp(), await userWithApp()];
    expect((await complete(await ticketOf(victim.email), other.code())).problem.code).toBe('wrong-second-factor');
    expect((await complete(await ticketOf(other.email), other.code())).status).toBe(200);
  });

  test('a ticket: works once, for five minutes, and in two tabs each with its own', async () => {
    const { email, code } = await userWithApp();
    const [first, second] = [await ticketOf(email), await ticketOf(email)];
    expect((await complete(first, code())).status).toBe(200);
    expect((await complete(first, code(1))).problem.code).toBe('sign-in-expired');
    expect((await complete(second, code(1))).status).toBe(200);
    const third = await ticketOf(email);
    clock.set(clock.now() + 5 * minute);
    expect((await complete(third, code())).problem.code).toBe('sign-in-expired');
    expect((await complete('x'.repeat(32), code())).problem.code).toBe('sign-in-expired');
  });

  test('one ticket twice at the same time: signs in once', async () => {
    const { email, code } = await userWithApp();
    const ticket = await ticketOf(email);
    const answers = await Promise.all([complete(ticket, code()), complete(ticket, code(1))]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401]);
  });

  test('guessing: is slowed down like passwords, with new tickets and from other devices', async () => {
    const { email } = await userWithApp();
    const codes = [];
    for (let i = 0; i < 9; i += 1) codes.push((await complete(await ticketOf(email), '000000')).problem.code);
    expect(codes.filter((code) => code === 'wrong-second-factor')).toHaveLength(5);
    expect(codes.at(-1)).toBe('too-many');
    // From then on less than one guess in 45 s.
    let evaluated = 0;
    const start = clock.now();
    while (clock.now() - start < 8 * minute) {
      const { problem } = await complete(await ticketOf(email), '000000');
      if (problem.code === 'wrong-second-factor') evaluated += 1;
      clock.set(clock.now() + 30_000);
    }
    expect(evaluated).toBeLessThanOrEqual(10);
  });

  test('guessing with one ticket: ends it after five attempts, also for the right code', async () => {
    const { email, code } = await userWithApp();
    const ticket = await ticketOf(email);
    for (let i = 0; i < 5; i += 1) expect((await complete(ticket, '000000')).problem.code).toBe('wrong-second-factor');
    clock.set(clock.now() + 2 * minute);
    expect((await complete(ticket, code())).problem.code).toBe('sign-in-expired');
    expect((await complete(await ticketOf(email), code())).status).toBe(200);
  });

  test('guessing from elsewhere: does not lock the user out of a device that they have used', async () => {
    const { email, code } = await userWithApp();
    const own = app.anonymous();
    expect((await complete(await ticketOf(email, own), code(), { person: own })).status).toBe(200);
    for (let i = 0; i < 8; i += 1) await complete(await ticketOf(email), '000000');
    expect((await complete(await ticketOf(email), code(1))).problem.code).toBe('too-many');
    expect((await complete(await ticketOf(email, own), code(1), { person: own })).status).toBe(200);
  });

  test('a failed attempt: is recorded with the user and the reason, not with the code', async () => {
    const { email, userId, companyId } = await userWithApp();
    const ticket = await ticketOf(email);
    const added = await watchAudit(app);
    await complete(ticket, '123456');
    const rows = await added();
    expect(rows).toMatchObject([
      {
        action: 'completeSignIn',
        actor: `user_${userId}`,
        company_id: companyId,
        objects: { refused: 'wrong-second-factor' },
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain('123456');
  });

  test('links: a new password and a one-time link ask for the code, too', async () => {
    const { email, userId, code } = await userWithApp();
    const token = (purpose: 'reset' | 'login') =>
      context.db.open({ kind: 'unauthenticated' }, (tx) =>
        createOneTimeToken(tx, context, purpose, userId, isoNow(clock)),
      );
    const browser = app.anonymous();
    const once = await browser.call(oneTimeLogin, { body: { token: await token('login') } });
    expect(once.json).toMatchObject({ signedIn: false });
    const user = { refreshToken: await token('reset'), password: 'another-long-password-7' };
    const reset = await browser.call(passwordReset, { body: { user } });
    expect(reset.json).toMatchObject({ signedIn: false });
    expect(browser.cookies.size).toBe(0);
    // The new password has ended the ticket of the link before.
    expect((await complete(once.json.signedIn ? '' : once.json.ticket, code())).problem.code).toBe('sign-in-expired');
    expect((await complete(reset.json.signedIn ? '' : reset.json.ticket, code())).status).toBe(200);
    expect((await app.anonymous().call(requestPasswordReset, { body: { email } })).status).toBe(204);
  });

  test('a disabled user: is refused with a ticket from before', async () => {
    const { email, userId, code } = await userWithApp();
    const ticket = await ticketOf(email);
    await context.db.open({ kind: 'super' }, (tx) =>
      tx.updateTable('users').set({ disabled: true }).where('user_id', '=', userId).execute(),
    );
    expect((await complete(ticket, code())).problem.code).toBe('company-disabled');
  });

  test('the secret: is sealed in the database, bound to its user', async () => {
    const [a, b] = [await userWithApp(), await userWithApp()];
    const sealedOf = (userId: number) =>
      context.db.open({ kind: 'unauthenticated' }, async (tx) => {
        const row = await tx
          .selectFrom('authenticators')
          .select('secret')
          .where('user_id', '=', userId)
          .executeTakeFirst();
        return row?.secret ?? Buffer.alloc(0);
      });
    const sealed = await sealedOf(a.userId);
    expect(sealed.includes(a.secret)).toBe(false);
    await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      tx.updateTable('authenticators').set({ secret: sealed }).where('user_id', '=', b.userId).execute(),
    );
    expect((await complete(await ticketOf(b.email), a.code())).status).toBe(500);
  });
});

describe('changes of the second factor', () => {
  test('need the current password on this sign-in within five minutes', async () => {
    const { person, email } = await createUser();
    const other = await app.signIn({ email, password });
    const changes = (of: Person) =>
      Promise.all([
        of.call(startAuthenticator),
        of.call(confirmAuthenticator, { body: { code: '000000' } }),
        of.call(removeAuthenticator),
        of.call(createRecoveryCodes),
      ]);
    const codes = async (of: Person) => (await changes(of)).map(({ problem }) => problem?.code);
    expect(new Set(await codes(person))).toEqual(new Set(['confirm-identity']));
    expect((await confirm(person, 'not my password')).problem.code).toBe('wrong-password');
    expect((await person.call(startAuthenticator)).problem.code).toBe('confirm-identity');
    expect((await confirm(person)).status).toBe(204);
    expect((await person.call(startAuthenticator)).status).toBe(200);
    expect((await other.call(startAuthenticator)).problem.code).toBe('confirm-identity');
    clock.set(clock.now() + 5 * minute + 1);
    expect((await person.call(startAuthenticator)).problem.code).toBe('confirm-identity');
  });

  test('guessing the current password: is slowed down', async () => {
    const { person } = await createUser();
    const codes = [];
    for (let i = 0; i < 7; i += 1) codes.push((await confirm(person, `wrong-${i}`)).problem.code);
    expect(codes.slice(4)).toEqual(['wrong-password', 'too-many', 'too-many']);
  });

  test('add: counts after the first code, is mailed and audited, and ends no sign-in', async () => {
    const { person, email, userId } = await createUser();
    const other = await app.signIn({ email, password });
    await confirm(person);
    const added = await watchAudit(app);
    const { json } = await person.call(startAuthenticator);
    expect(json.uri).toContain(`secret=${json.secret}`);
    expect((await tryPassword(email)).json.signedIn).toBe(true);
    const wrong = await person.call(confirmAuthenticator, { body: { code: '000000' } });
    expect(wrong.problem).toMatchObject({ code: 'wrong-authenticator-code', fields: { code: expect.anything() } });
    const code = codeOf(fromBase32(json.secret), stepAt(clock.now()));
    expect((await person.call(confirmAuthenticator, { body: { code } })).status).toBe(204);
    expect((await tryPassword(email)).json.signedIn).toBe(false);
    expect((await person.call(getSecondFactor)).json).toMatchObject({
      authenticatorSince: isoNow(clock),
      recoveryCodesLeft: 0,
    });
    for (const device of [person, other]) expect((await device.call(getSignIn)).status).toBe(200);
    const rows = (await added()).filter(({ actor }) => actor === `D_${userId}`);
    const [refused, done] = [true, false].map((is) => rows.filter(({ objects }) => 'refused' in objects === is));
    expect(done?.map(({ action }) => action)).toEqual(['startAuthenticator', 'login', 'confirmAuthenticator']);
    expect(refused).toMatchObject([
      { action: 'confirmAuthenticator', objects: { refused: 'wrong-authenticator-code' } },
    ]);
    await expect.poll(() => subjectsTo(email)).toEqual(['An authenticator app was added to your account']);
    // The first code is used up.
    expect((await complete(await ticketOf(email), code)).problem.code).toBe('wrong-second-factor');
  });

  test('add: a repeat after a lost response, with the same code or the next, is accepted and mails nothing more', async () => {
    const { person, email } = await createUser();
    await confirm(person);
    const { json } = await person.call(startAuthenticator);
    const code = (steps: number) => codeOf(fromBase32(json.secret), stepAt(clock.now()) + steps);
    const confirmBy = (steps: number) => person.call(confirmAuthenticator, { body: { code: code(steps) } });
    const answers = await Promise.all([confirmBy(0), confirmBy(0)]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    const since = isoNow(clock);
    clock.set(clock.now() + 30_000);
    expect((await confirmBy(-1)).status).toBe(204);
    expect((await confirmBy(0)).status).toBe(204);
    // A code from before the one that was used last.
    expect((await confirmBy(-1)).problem.code).toBe('wrong-authenticator-code');
    expect((await person.call(getSecondFactor)).json.authenticatorSince).toBe(since);
    // A repeat does not give a code a second use.
    expect((await complete(await ticketOf(email), code(0))).problem.code).toBe('wrong-second-factor');
    expect((await complete(await ticketOf(email), code(1))).status).toBe(200);
    await expect.poll(() => subjectsTo(email)).toEqual(['An authenticator app was added to your account']);
  });

  test('replace: the app from before works until the new one is confirmed', async () => {
    const { person, email, code } = await userWithApp();
    await confirm(person);
    const { json } = await person.call(startAuthenticator);
    expect((await complete(await ticketOf(email), code())).status).toBe(200);
    // A code of the app from before does not add the new one.
    const previous = await person.call(confirmAuthenticator, { body: { code: code() } });
    expect(previous.problem.code).toBe('wrong-authenticator-code');
    const next = (steps: number) => codeOf(fromBase32(json.secret), stepAt(clock.now()) + steps);
    expect((await complete(await ticketOf(email), next(1))).problem.code).toBe('wrong-second-factor');
    expect((await person.call(confirmAuthenticator, { body: { code: next(0) } })).status).toBe(204);
    expect((await complete(await ticketOf(email), code(1))).problem.code).toBe('wrong-second-factor');
    expect((await complete(await ticketOf(email), next(1))).status).toBe(200);
  });

  test('remove: the password alone signs in again, and the recovery codes end', async () => {
    const { person, email } = await userWithApp();
    await confirm(person);
    await person.call(createRecoveryCodes);
    const ticket = await ticketOf(email);
    expect((await person.call(removeAuthenticator)).status).toBe(204);
    expect((await tryPassword(email)).json.signedIn).toBe(true);
    expect((await person.call(getSecondFactor)).json).toEqual({
      authenticatorSince: null,
      hasPassword: true,
      recoveryCodesLeft: 0,
      passkeys: [],
    });
    expect((await person.call(removeAuthenticator)).status).toBe(404);
    expect((await complete(ticket, '000000')).problem.code).toBe('wrong-second-factor');
    await expect.poll(() => subjectsTo(email)).toContain('The authenticator app was removed from your account');
  });

  test('an administrator of the installation: has a second factor, too', async () => {
    const { email, code } = await userWithApp({ companyId: null });
    expect((await complete(await ticketOf(email), code())).status).toBe(200);
  });
});

describe('recovery codes', () => {
  test('each works once, in any spelling, and is announced; new ones replace the old', async () => {
    const { person, email } = await userWithApp();
    await confirm(person);
    const first = (await person.call(createRecoveryCodes)).json.codes;
    expect(first).toHaveLength(10);
    expect(new Set(first).size).toBe(10);
    const [a = '', b = '', c = ''] = first;
    const method = 'recovery';
    expect((await tryPassword(email)).json).toMatchObject({ methods: ['authenticator', 'recovery'] });
    expect((await complete(await ticketOf(email), ` ${a.toUpperCase().replace('-', ' ')} `, { method })).status).toBe(
      200,
    );
    expect((await complete(await ticketOf(email), a, { method })).problem.code).toBe('wrong-second-factor');
    expect((await person.call(getSecondFactor)).json.recoveryCodesLeft).toBe(9);
    await expect.poll(() => subjectsTo(email)).toContain('A recovery code was used to sign in to your account');
    const next = (await person.call(createRecoveryCodes)).json.codes;
    expect((await complete(await ticketOf(email), b, { method })).problem.code).toBe('wrong-second-factor');
    expect((await complete(await ticketOf(email), next[0] ?? '', { method })).status).toBe(200);
    // A recovery code is not a code of the app.
    expect((await complete(await ticketOf(email), c)).problem.code).toBe('wrong-second-factor');
  });

  test('another user’s recovery code: is refused', async () => {
    const [a, b] = [await userWithApp(), await userWithApp()];
    for (const { person } of [a, b]) await confirm(person);
    const [code = ''] = (await a.person.call(createRecoveryCodes)).json.codes;
    await b.person.call(createRecoveryCodes);
    expect((await complete(await ticketOf(b.email), code, { method: 'recovery' })).status).toBe(401);
    expect((await complete(await ticketOf(a.email), code, { method: 'recovery' })).status).toBe(200);
  });

  test('one code twice at the same time: signs in once', async () => {
    const { person, email } = await userWithApp();
    await confirm(person);
    const [code = ''] = (await person.call(createRecoveryCodes)).json.codes;
    const tickets = [await ticketOf(email), await ticketOf(email)];
    const answers = await Promise.all(tickets.map((ticket) => complete(ticket, code, { method: 'recovery' })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401]);
  });

  test('recovery codes for a user without a second factor: are refused', async () => {
    const { person } = await createUser();
    await confirm(person);
    expect((await person.call(createRecoveryCodes)).problem.code).toBe('no-second-factor');
  });
});

describe('trusted device', () => {
  async function trusted() {
    const user = await userWithApp();
    const browser = app.anonymous();
    const completed = await complete(await ticketOf(user.email, browser), user.code(), {
      trustDevice: true,
      person: browser,
    });
    browser.token = completed.json.accessToken;
    const asksAgain = async () => !(await tryPassword(user.email, browser)).json.signedIn;
    expect(await asksAgain()).toBe(false);
    return { ...user, browser, asksAgain };
  }

  test('the password alone signs in on a trusted device for 30 days, and nowhere else', async () => {
    const { email, asksAgain } = await trusted();
    expect((await tryPassword(email)).json.signedIn).toBe(false);
    clock.set(clock.now() + 30 * day - minute);
    expect(await asksAgain()).toBe(false);
    clock.set(clock.now() + 2 * minute);
    expect(await asksAgain()).toBe(true);
  });

  test('device without the choice, and another user in the same browser: still need the second factor', async () => {
    const { browser } = await trusted();
    const other = await userWithApp();
    expect((await complete(await ticketOf(other.email, browser), other.code(), { person: browser })).status).toBe(200);
    expect((await tryPassword(other.email, browser)).json.signedIn).toBe(false);
  });

  test('a link signs in on a trusted device with the second factor only', async () => {
    const { userId, browser } = await trusted();
    const token = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      createOneTimeToken(tx, context, 'login', userId, isoNow(clock)),
    );
    expect((await browser.call(oneTimeLogin, { body: { token } })).json.signedIn).toBe(false);
  });

  test('ends with a new password, with Sign out everywhere, and without the second factor', async () => {
    const changed = await trusted();
    const { json } = await changed.person.call(getAccount);
    const body = { ...json, passwordString: 'another-long-password-7', currentPassword: password };
    expect((await changed.person.call(saveAccount, { body })).status).toBe(200);
    const back = { ...json, version: json.version + 1, passwordString: password, currentPassword: body.passwordString };
    expect((await changed.person.call(saveAccount, { body: back })).status).toBe(200);
    expect(await changed.asksAgain()).toBe(true);

    const left = await trusted();
    await left.browser.call(logout, { body: { kind: 'staff', everywhere: true } });
    expect(await left.asksAgain()).toBe(true);

    const removed = await trusted();
    await confirm(removed.person);
    await removed.person.call(removeAuthenticator);
    await removed.person.call(startAuthenticator).then(async ({ json: started }) => {
      const code = codeOf(fromBase32(started.secret), stepAt(clock.now()));
      await removed.person.call(confirmAuthenticator, { body: { code } });
    });
    expect(await removed.asksAgain()).toBe(true);
  });
});

describe('reset by an administrator', () => {
  test('removes the second factor, ends all sign-ins and is mailed; the password alone signs in', async () => {
    const { email, companyId, userId, person } = await userWithApp();
    await confirm(person);
    const [code = ''] = (await person.call(createRecoveryCodes)).json.codes;
    const ticket = await ticketOf(email);
    const admin = await createUser({ companyId: companyId ?? 0, role: 'A' });
    const params = { userId };
    expect((await admin.person.call(getUser, { params })).json.hasSecondFactor).toBe(true);
    expect((await admin.person.call(resetSecondFactor, { params })).status).toBe(204);
    expect((await admin.person.call(getUser, { params })).json.hasSecondFactor).toBe(false);
    expect((await person.call(getSignIn)).problem.code).toBe('sign-in-ended');
    expect((await complete(ticket, code, { method: 'recovery' })).problem.code).toBe('sign-in-expired');
    expect((await tryPassword(email)).json.signedIn).toBe(true);
    await expect.poll(() => subjectsTo(email)).toContain('Two-step sign-in was reset for your account');
  });

  test('reset of the own account or another company’s user: is refused; a Super resets an administrator’s', async () => {
    const admin = await userWithApp({ role: 'A' });
    const stranger = await createUser({ role: 'A' });
    const superUser = await createUser({ companyId: null });
    const reset = (by: Person, userId: number) => by.call(resetSecondFactor, { params: { userId } });
    expect((await reset(admin.person, admin.userId)).problem.code).toBe('own-record');
    expect((await reset(superUser.person, superUser.userId)).problem.code).toBe('own-record');
    expect((await reset(stranger.person, admin.userId)).status).toBe(404);
    expect((await tryPassword(admin.email)).json.signedIn).toBe(false);
    expect((await reset(superUser.person, admin.userId)).status).toBe(204);
    expect((await tryPassword(admin.email)).json.signedIn).toBe(true);
  });
});
