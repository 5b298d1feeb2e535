import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import {
  getSignIn,
  login,
  logout,
  oneTimeLogin,
  passwordReset,
  refresh,
  requestPasswordReset,
} from '@roomside/contract/auth/calls.ts';
import { getTeleappointment } from '@roomside/contract/room/calls.ts';
import { getAccount, saveAccount } from '@roomside/contract/users/calls.ts';
import { decodeJwt } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import { createOneTimeToken } from '../../platform/one-time-token.ts';

const app = await startTestApp();
const { context, clock } = app;

const staff = async (values: Parameters<typeof buildUser>[1] = {}) => {
  const user = await buildUser(context, { ...values, password });
  return { ...user, person: await app.signIn({ email: user.email, password }) };
};
const renew = async (person: Person, kind: 'staff' | 'patient' = 'staff') =>
  person.call(refresh, { body: { kind, active: true } });

describe('login of staff', () => {
  test('returns an access token with the claims of the user @ENTITY-4', async () => {
    const { person, userId, companyId } = await staff({ role: 'D', firstName: 'Maya', lastName: "O'Neil" });
    expect(decodeJwt(person.token ?? '')).toMatchObject({
      sub: String(userId),
      company: companyId,
      roles: 'D',
      given_name: 'Maya',
      family_name: "O'Neil",
      sn: expect.stringMatching(/^[a-z0-9]{10}$/),
    });
    const signIn = await person.call(getSignIn);
    expect(signIn.json).toMatchObject({ role: 'D', userId, firstName: 'Maya', company: { companyId } });
  });

  test('Super: the token has no company', async () => {
    const { person } = await staff({ companyId: null });
    expect(decodeJwt(person.token ?? '')['company']).toBeUndefined();
    expect((await person.call(getSignIn)).json).toMatchObject({ role: 'Super', company: null });
  });

  test('unknown email, wrong or missing password, disabled user: return 401 wrong-credentials; the email is case-insensitive', async () => {
    const { email } = await staff();
    const { email: disabled } = await buildUser(context, { password, disabled: true });
    const { email: unset } = await buildUser(context);
    const tries = [
      { email: 'unknown@example.test', password },
      { email, password: 'wrong-password' },
      { email: disabled, password },
      { email: unset, password: '' },
      { email: '*', password },
    ];
    for (const user of tries) {
      const response = await app.anonymous().call(login, { body: { isPatient: false, user } });
      expect([response.status, response.problem.code]).toEqual([401, 'wrong-credentials']);
    }
    await app.signIn({ email: email.toUpperCase(), password });
  });

  test('disabled company: returns company-disabled only with the correct password', async () => {
    const { companyId } = await buildCompany(context, { disabled: true });
    const { email } = await buildUser(context, { companyId, password });
    const response = (given: string) =>
      app.anonymous().call(login, { body: { isPatient: false, user: { email, password: given } } });
    expect((await response('something-else')).problem.code).toBe('wrong-credentials');
    expect((await response(password)).problem.code).toBe('company-disabled');
  });

  test('login while the password is changed: waits, and is refused', async () => {
    const { companyId } = await buildCompany(context);
    const { userId, email } = await buildUser(context, { companyId, password });
    const password_hash = await context.passwords.hash('another good password', 'known');
    const changed = await holdUntilBlocking(context, companyId, (tx) =>
      tx.updateTable('users').set({ password_hash }).where('user_id', '=', userId).execute(),
    );
    const body = { isPatient: false, user: { email, password } };
    const [{ status, problem }] = await Promise.all([app.anonymous().call(login, { body }), changed()]);
    expect([status, problem.code]).toEqual([401, 'wrong-credentials']);
  });

  test('login after five failures: returns 429 for at most a minute, also for the correct password', async () => {
    onTestFinished(clock.freeze());
    const { email } = await staff();
    const attempt = (given: string) =>
      app.anonymous().call(login, { body: { isPatient: false, user: { email, password: given } } });
    for (let i = 0; i < 5; i += 1) expect((await attempt(`wrong-${i}`)).status).toBe(401);
    const slowed = await attempt(password);
    expect([slowed.status, slowed.problem.code]).toEqual([429, 'too-many']);
    const wait = Number(slowed.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    clock.set(clock.now() + 61_000);
    expect((await attempt(password)).status).toBe(200);
  });
});

describe('refresh', () => {
  test('rotates the token; the previous one is valid for 30 s and yields the same successor', async () => {
    const { person } = await staff();
    const first = new Map(person.cookies);
    expect((await renew(person)).json.signedIn).toBe(true);
    const second = [...person.cookies.values()][0];
    expect(second).not.toBe([...first.values()][0]);
    const tab = app.anonymous();
    tab.cookies = first;
    expect((await renew(tab)).json.signedIn).toBe(true);
    expect([...tab.cookies.values()][0]).toBe(second);
  });

  test('replay after 30 s: revokes the sign-in', async () => {
    const { person } = await staff();
    const stolen = new Map(person.cookies);
    const response = await renew(person);
    if (response.json.signedIn) person.token = response.json.accessToken;
    clock.set(clock.now() + 31_000);
    const thief = app.anonymous();
    thief.cookies = stolen;
    expect((await renew(thief)).json).toEqual({ signedIn: false });
    expect((await renew(person)).json).toEqual({ signedIn: false });
    expect((await person.call(getSignIn)).status).toBe(401);
  });

  test('refresh without a cookie, with a forged one or with another kind: returns 200 {signedIn: false}', async () => {
    const { person } = await staff();
    expect((await renew(app.anonymous())).json).toEqual({ signedIn: false });
    expect((await renew(person, 'patient')).json).toEqual({ signedIn: false });
    const forger = app.anonymous();
    const genuine = person.cookies.get('roomside-staff') ?? '';
    forger.cookies.set('roomside-staff', `${genuine.slice(0, -2)}${genuine.endsWith('AA') ? 'BB' : 'AA'}`);
    expect((await renew(forger)).json).toEqual({ signedIn: false });
    expect((await renew(person)).json.signedIn).toBe(true);
  });

  test('idle sign-in: polling does not extend it', async () => {
    const { person } = await staff();
    clock.set(clock.now() + 42 * 60_000);
    const response = await person.call(refresh, { body: { kind: 'staff', active: false } });
    expect(response.json).toEqual({ signedIn: false });
  });

  test('request from another site: returns 403', async () => {
    const { person } = await staff();
    const response = await person.call(refresh, {
      body: { kind: 'staff', active: true },
      headers: { origin: 'https://evil.test' },
    });
    expect(response.status).toBe(403);
  });
});

describe('access token', () => {
  test('expires after ten minutes; a refresh token, an unsigned token and a wrong signature are refused', async () => {
    const { person } = await staff();
    const refreshToken = [...person.cookies.values()][0] ?? '';
    const [head = '', body = ''] = (person.token ?? '').split('.');
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${body}.`;
    for (const token of [refreshToken, unsigned, `${head}.${body}.${'A'.repeat(43)}`, 'x']) {
      const response = await Object.assign(app.anonymous(), { token }).call(getSignIn);
      expect([response.status, response.problem.code]).toEqual([401, 'not-signed-in']);
    }
    clock.set(clock.now() + 601_000);
    expect((await person.call(getSignIn)).status).toBe(401);
  });

  test('disabled user or company, changed role: take effect with the next request', async () => {
    const { person, userId, companyId } = await staff({ role: 'A' });
    const change = (values: object) =>
      context.db.open({ kind: 'super' }, (tx) =>
        tx.updateTable('users').set(values).where('user_id', '=', userId).execute(),
      );
    await change({ role_id: 'U' });
    expect((await person.call(getSignIn)).json.role).toBe('U');
    await change({ disabled: true });
    expect((await person.call(getSignIn)).status).toBe(401);
    await change({ disabled: false });
    expect((await person.call(getSignIn)).status).toBe(200);
    await context.db.open({ kind: 'super' }, (tx) =>
      tx
        .updateTable('companies')
        .set({ disabled: true })
        .where('company_id', '=', companyId as number)
        .execute(),
    );
    expect((await person.call(getSignIn)).status).toBe(401);
  });
});

describe('login of a patient', () => {
  test('access code: is case-sensitive, and gives access to the patient’s own appointments only @CODE-1 @ENTITY-21', async () => {
    const own = await buildAppointment(context);
    const { companyId, patientId } = own;
    const another = await buildAppointment(context, { companyId, patientId, startDate: isoNow(clock) });
    const neighbors = await buildAppointment(context, { companyId, startDate: isoNow(clock) });
    const elsewhere = await buildAppointment(context);
    const person = await app.signInPatient(own.accessCode);
    expect(decodeJwt(person.token ?? '')).toMatchObject({
      sub: String(own.patientId),
      roles: 'P',
      appointment: own.appointmentUid,
    });
    expect((await person.call(getTeleappointment, { params: { uid: own.appointmentUid } })).status).toBe(200);
    // Another appointment of the same patient, but none of other patients, in this or another company.
    expect((await person.call(getTeleappointment, { params: { uid: another.appointmentUid } })).status).toBe(200);
    for (const { appointmentUid: uid } of [neighbors, elsewhere])
      expect((await person.call(getTeleappointment, { params: { uid } })).status).toBe(404);
    expect((await person.call(getAppointment, { params: { appointmentId: own.appointmentId } })).status).toBe(403);
    for (const email of [
      own.accessCode.toLowerCase() === own.accessCode ? '' : own.accessCode.toLowerCase(),
      '',
      '*',
      '%',
      `${own.accessCode}%`,
    ]) {
      const response = await app.anonymous().call(login, { body: { isPatient: true, user: { email } } });
      expect([response.status, response.problem.code]).toEqual([401, 'wrong-code']);
    }
  });

  test('same link in the same browser: keeps the device serial; in another browser: has a new one', async () => {
    const own = await buildAppointment(context);
    const other = await buildAppointment(context);
    const phone = app.anonymous();
    const open = async (person: Person, code: string) => {
      const { json } = await person.call(login, { body: { isPatient: true, user: { email: code } } });
      return json.signedIn ? decodeJwt(json.accessToken)['sn'] : undefined;
    };
    const first = await open(phone, own.accessCode);
    expect(await open(phone, own.accessCode)).toBe(first);
    expect(await open(app.anonymous(), own.accessCode)).not.toBe(first);
    expect(await open(phone, other.accessCode)).not.toBe(first);
  });

  test('24 hours after the appointment: the code and the sign-in expire', async () => {
    const own = await buildAppointment(context);
    const person = await app.signInPatient(own.accessCode);
    clock.set(clock.now() + 25 * 3_600_000);
    const response = await app.anonymous().call(login, { body: { isPatient: true, user: { email: own.accessCode } } });
    expect(response.problem.code).toBe('wrong-code');
    expect((await renew(person, 'patient')).json).toEqual({ signedIn: false });
  });

  test('patient and staff in one browser: sign in and out independently', async () => {
    const own = await buildAppointment(context);
    const { email } = await buildUser(context, { password });
    const browser = app.anonymous();
    await browser.call(login, { body: { isPatient: false, user: { email, password } } });
    await browser.call(login, { body: { isPatient: true, user: { email: own.accessCode } } });
    expect([...browser.cookies.keys()].sort()).toEqual(['roomside-device', 'roomside-patient', 'roomside-staff']);
    await browser.call(logout, { body: { kind: 'patient' } });
    expect((await renew(browser, 'patient')).json.signedIn).toBe(false);
    expect((await renew(browser, 'staff')).json.signedIn).toBe(true);
  });
});

describe('one-time links', () => {
  const tokenFor = (userId: number, purpose: 'login' | 'reset') =>
    context.db.open({ kind: 'unauthenticated' }, (tx) =>
      createOneTimeToken(tx, context, purpose, userId, isoNow(clock)),
    );

  test('oneTimeLogin: signs in once, within 15 minutes @LOGIN-3', async () => {
    const { userId } = await buildUser(context);
    const token = await tokenFor(userId, 'login');
    const use = (value: string) => app.anonymous().call(oneTimeLogin, { body: { token: value } });
    expect((await use(token)).status).toBe(200);
    expect((await use(token)).problem.code).toBe('link-used');
    const late = await tokenFor(userId, 'login');
    clock.set(clock.now() + 15 * 60_000 + 1000);
    expect((await use(late)).problem.code).toBe('link-used');
    expect((await use(await tokenFor(userId, 'reset'))).problem.code).toBe('link-used');
  });

  test('passwordReset: sets the password, signs in and revokes every other sign-in @ACCOUNT-3', async () => {
    const { person, userId, email } = await staff();
    const token = await tokenFor(userId, 'reset');
    const reset = (next: string) =>
      app.anonymous().call(passwordReset, { body: { user: { refreshToken: token, password: next } } });
    expect((await reset('password123')).problem.code).toBe('common-password');
    expect((await reset('quite-another-one')).status).toBe(200);
    expect((await reset('quite-another-two')).problem.code).toBe('link-used');
    expect((await person.call(getSignIn)).status).toBe(401);
    await app.signIn({ email, password: 'quite-another-one' });
  });

  test('passwordReset: refuses personal words without using up the link; success ends earlier links', async () => {
    const { userId, email } = await buildUser(context, { firstName: 'Wilhelmina', lastName: 'Oldenburg', password });
    const earlier = await tokenFor(userId, 'reset');
    clock.set(clock.now() + 60_000);
    const token = await tokenFor(userId, 'reset');
    const reset = (link: string, next: string) =>
      app.anonymous().call(passwordReset, { body: { user: { refreshToken: link, password: next } } });
    for (const word of ['Wilhelmina', 'oldenburg-1', 'OLDENBURG2026!', email]) {
      const { problem } = await reset(token, word);
      expect([word, problem.code, Object.keys(problem.fields ?? {})]).toEqual([
        word,
        'common-password',
        ['user.password'],
      ]);
    }
    const from = isoNow(clock);
    expect((await reset(token, 'quite-another-one')).status).toBe(200);
    expect((await reset(earlier, 'quite-another-two')).problem.code).toBe('link-used');
    const used = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      tx.selectFrom('one_time_tokens').select('used_at').where('user_id', '=', userId).execute(),
    );
    expect(used.map(({ used_at }) => used_at !== null && used_at >= from)).toEqual([true, true]);
  });

  test('requestPasswordReset: returns the same for known and unknown emails @ACCOUNT-2', async () => {
    const { email } = await buildUser(context);
    for (const address of [email, 'unknown@example.test']) {
      const response = await app.anonymous().call(requestPasswordReset, { body: { email: address } });
      expect([response.status, response.text]).toEqual([204, '']);
    }
  });
});

test('logout everywhere: revokes all sign-ins of the user', async () => {
  const { person, email } = await staff();
  const other = await app.signIn({ email, password });
  await person.call(logout, { body: { kind: 'staff', everywhere: true } });
  expect((await other.call(getSignIn)).status).toBe(401);
});

describe('logout everywhere with a token that cannot be renewed', () => {
  const everywhere = { body: { kind: 'staff', everywhere: true } } as const;
  const copyOf = (person: Person) => {
    const copy = app.anonymous();
    copy.cookies = new Map(person.cookies);
    return copy;
  };

  test('logout everywhere of a sign-in that has ended: later sign-ins stay, also when the first response was lost', async () => {
    const { person, email } = await staff();
    const [again, asLogout] = [copyOf(person), copyOf(person)];
    expect((await person.call(logout, everywhere)).status).toBe(204);
    const later = await app.signIn({ email, password });
    const added = await watchAudit(app);
    expect((await again.call(logout, everywhere)).status).toBe(204);
    expect((await asLogout.call(logout, { body: { kind: 'staff' } })).status).toBe(204);
    expect(again.cookies.get('roomside-staff') ?? '').toBe('');
    expect((await later.call(getSignIn)).status).toBe(200);
    expect(await added()).toEqual([]);
  });

  test('logout everywhere of a sign-in that has expired: other sign-ins stay', async () => {
    const { person, email } = await staff();
    clock.set(clock.now() + 31 * 24 * 3_600_000);
    const later = await app.signIn({ email, password });
    await person.call(logout, everywhere);
    expect((await later.call(getSignIn)).status).toBe(200);
  });

  test('logout everywhere with a rotated token: ends all sign-ins just after the rotation, only its own one long after it', async () => {
    onTestFinished(clock.freeze());
    for (const [passedMs, status] of [
      [31_000, 200],
      [29_000, 401],
    ] as const) {
      const { person, email } = await staff();
      const other = await app.signIn({ email, password });
      const old = copyOf(person);
      await person.call(refresh, { body: { kind: 'staff', active: true } });
      clock.set(clock.now() + passedMs);
      await old.call(logout, everywhere);
      expect((await person.call(getSignIn)).status).toBe(401);
      expect((await other.call(getSignIn)).status).toBe(status);
    }
  });
});

test('saveAccount: a new password requires the current one and revokes other sign-ins; a taken email is refused', async () => {
  const { person, email } = await staff();
  const other = await app.signIn({ email, password });
  const { json: account } = await person.call(getAccount);
  const save = (values: object) => person.call(saveAccount, { body: { ...account, ...values } });
  expect(
    (await save({ passwordString: 'a-brand-new-one', currentPassword: 'not-it-at-all' })).problem.fields,
  ).toHaveProperty('currentPassword');
  expect((await save({ passwordString: 'a-brand-new-one', currentPassword: password })).status).toBe(200);
  expect((await other.call(getSignIn)).status).toBe(401);
  expect((await person.call(getSignIn)).status).toBe(200);
  expect((await save({ firstName: 'Stale' })).problem.code).toBe('stale');
  const taken = await buildUser(context);
  const { json: now } = await person.call(getAccount);
  const response = await person.call(saveAccount, {
    body: { ...now, email: taken.email.toUpperCase(), currentPassword: 'a-brand-new-one' },
  });
  expect(response.problem).toMatchObject({ status: 422, code: 'email-taken', fields: { email: expect.any(String) } });
});

test('log: contains no passwords, codes and tokens', () => {
  const log = app.logged.join('\n');
  expect(log).toContain('"route":"/api/auth/login"');
  for (const secret of [password, 'a-brand-new-one', 'Bearer ']) expect(log).not.toContain(secret);
});
