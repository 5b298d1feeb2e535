import { listAuditLog } from '@roomside/contract/audit/calls.ts';
import { login, passwordReset } from '@roomside/contract/auth/calls.ts';
import { getPatient } from '@roomside/contract/patients/calls.ts';
import {
  deleteUser,
  endUserSignIns,
  getAccount,
  getUser,
  inviteUser,
  listRoles,
  listUsers,
  resetSecondFactor,
  saveAccount,
  saveUser,
  type UserBody,
} from '@roomside/contract/users/calls.ts';
import { getArrivedCount } from '@roomside/contract/waiting-room/calls.ts';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { startMailPeer } from '../../../test/message-peers.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import type { Tx } from '../../platform/database/database.ts';
import { lockUsersOf } from './user-rows.ts';

const mail = await startMailPeer();
const app = await startTestApp({ env: { SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>' } });
const { context, clock } = app;

let companyId: number;
let admin: Person;
let adminId: number;
let adminEmail: string;
const adminSignIn = () => ({ email: adminEmail, password });

beforeEach(async () => {
  ({ companyId } = await buildCompany(context, { companyName: 'River Clinic', providerCount: 2 }));
  const built = await buildUser(context, { companyId, role: 'A', password });
  adminId = built.userId;
  adminEmail = built.email;
  admin = await app.signIn({ email: built.email, password });
});

let count = 0;
const values = (more: Partial<UserBody> = {}): UserBody => ({
  userId: 0,
  version: 0,
  firstName: 'Nora',
  lastName: 'Lind',
  email: `nora-${(count += 1)}@example.test`,
  phone: '',
  roleId: 'U',
  npi: '',
  selfPayFee: '',
  notificationType: 1,
  notifyForUsers: [],
  disabled: false,
  ...more,
});
const save = (body: UserBody, by = admin) => by.call(saveUser, { body });
const read = async (userId: number, by = admin) => (await by.call(getUser, { params: { userId } })).json;

/** The last link in the mails to an address. */
const linkTo = (address: string) =>
  mail
    .to(address)
    .map(
      ({ parts }) => /#\/reset\/(\S+)/.exec(parts.find(({ type }) => type.startsWith('text/plain'))?.text ?? '')?.[1],
    )
    .findLast((token) => token !== undefined) ?? '';

test('name with a web or email address: refused; the own record, too, which keeps a name it had', async () => {
  const refusedAt = (field: string) => ({ [field]: 'Can’t contain a web or email address' });
  for (const field of ['firstName', 'lastName']) {
    const { status, problem } = await save(values({ [field]: 'Win at http://evil.test' }));
    expect([status, problem.fields]).toEqual([422, refusedAt(field)]);
  }
  const own = (await admin.call(getAccount)).json;
  const { notifyForUsers: _, notifyOfOwn: __, ...account } = own;
  const refused = await admin.call(saveAccount, { body: { ...account, firstName: 'evil.test' } });
  expect([refused.status, refused.problem.fields]).toEqual([422, refusedAt('firstName')]);
  const { userId, email } = await buildUser(context, { companyId, firstName: 'Prof.Nora', role: 'U', password });
  const kept = { ...values({ userId, email, firstName: 'Prof.Nora', lastName: 'Lind-Ek' }) };
  expect((await save(kept)).status).toBe(200);
});

describe('listRoles', () => {
  test('has the three roles @ENTITY-22', async () => {
    expect((await admin.call(listRoles)).json.data).toEqual([
      { roleId: 'A', roleName: 'Administrator' },
      { roleId: 'D', roleName: 'Doctor' },
      { roleId: 'U', roleName: 'Staff' },
    ]);
  });
});

describe('calls about users', () => {
  test('calls: list users with company and host, return one by id, save, delete, and list the roles @CALL-17 @CALL-19', async () => {
    const { json: saved } = await save(values({ firstName: 'Ida', lastName: 'Holm' }));
    const query = { top: 1, skip: 0, orderBy: 'lastName desc' as const };
    const page = (await admin.call(listUsers, { query })).json;
    expect(page).toMatchObject({
      total: 2,
      data: [{ userId: saved.userId, company: { companyId, companyName: 'River Clinic' }, host: 'localhost' }],
    });
    const { last } = page;
    expect(last).toBeDefined();
    const second = (await admin.call(listUsers, { query: { ...query, after: last } })).json;
    expect(second.data.map(({ userId }) => userId)).toEqual([adminId]);
    const stored = await read(saved.userId);
    expect(stored).toMatchObject({ firstName: 'Ida', lastName: 'Holm', roleId: 'U' });
    expect((await save({ ...stored, firstName: 'Inga' })).status).toBe(200);
    expect(await read(saved.userId)).toMatchObject({ firstName: 'Inga', version: stored.version + 1 });
    expect((await admin.call(listRoles)).json.data.map(({ roleId }) => roleId)).toEqual(['A', 'D', 'U']);
    expect((await admin.call(deleteUser, { params: { userId: saved.userId } })).status).toBe(204);
    expect((await admin.call(getUser, { params: { userId: saved.userId } })).status).toBe(404);
    await context.db.open({ kind: 'super' }, (tx) =>
      tx
        .updateTable('companies')
        .set({ front_end_url: 'https://visits.river.test' })
        .where('company_id', '=', companyId)
        .execute(),
    );
    expect((await admin.call(listUsers, { query })).json.data[0]?.host).toBe('visits.river.test');
  });
});

test('a user has all its fields; the password is only sent @ENTITY-3', async () => {
  const doctor = await save(
    values({ firstName: 'Ida', lastName: 'Holm', roleId: 'D', npi: '1234567890', selfPayFee: '75.5' }),
  );
  const doctorId = doctor.json.userId;
  // `dummyId` is a row's id in the page, which means nothing to the server.
  const watched = [{ userId: doctorId, dummyId: 7 }];
  const body = values({
    phone: '2125550142',
    notificationType: 3,
    notifyForUsers: watched,
    passwordString: 'a-good-long-password-4',
  });
  const { userId } = (await save(body)).json;
  const { text, json } = await admin.call(getUser, { params: { userId } });
  expect(json).toMatchObject({
    userId,
    firstName: body.firstName,
    lastName: body.lastName,
    email: body.email,
    phone: '2125550142',
    roleId: 'U',
    role: { roleId: 'U', roleName: 'Staff' },
    npi: '',
    selfPayFee: '',
    notificationType: 3,
    notifyForUsers: [{ userId: doctorId }],
    disabled: false,
    companyId,
    company: { companyId, companyName: 'River Clinic' },
    externalId: '',
    host: expect.any(String),
    created: expect.stringMatching(/Z$/),
  });
  expect(text).not.toContain('a-good-long-password-4');
  // It signs in; the refresh token is a cookie.
  const person = await app.signIn({ email: body.email, password: 'a-good-long-password-4' });
  expect(person.cookies.size).toBeGreaterThan(0);
  const provider = (await admin.call(getUser, { params: { userId: doctorId } })).json;
  expect(provider).toMatchObject({ roleId: 'D', npi: '1234567890', selfPayFee: '75.50' });
});

describe('listUsers', () => {
  test('sorts by each column, searches by name and email, and has pages', async () => {
    for (const [firstName, lastName, roleId] of [
      ['Zoe', "O'Brien", 'U'],
      ['Ana', 'Álvarez', 'D'],
      ['Mia', 'Obi', 'D'],
    ] as const)
      await save(values({ firstName, lastName, roleId }));
    const list = async (query: object) => (await admin.call(listUsers, { query: { top: 10, skip: 0, ...query } })).json;
    const names = async (query: object) => (await list(query)).data.map(({ firstName }) => firstName);
    expect(await names({ orderBy: 'lastName asc' })).toEqual(['Ana', 'Dana', 'Mia', 'Zoe']);
    expect(await names({ orderBy: 'firstName desc' })).toEqual(['Zoe', 'Mia', 'Dana', 'Ana']);
    expect((await names({ orderBy: 'role asc' }))[0]).toBe('Dana');
    expect(await names({ orderBy: 'created desc' })).toEqual(['Mia', 'Ana', 'Zoe', 'Dana']);
    expect(await names({ orderBy: 'email asc', filter: 'nora-' })).toEqual(['Zoe', 'Ana', 'Mia']);
    expect(await names({ filter: 'brien' })).toEqual(['Zoe']);
    expect(await names({ filter: 'o’brien zoe' })).toEqual(['Zoe']);
    expect(await names({ filter: '%' })).toEqual([]);
    const first = await list({ top: 2, orderBy: 'lastName asc' });
    expect(first.total).toBe(4);
    const second = await list({ top: 2, orderBy: 'lastName asc', total: 4, after: first.last });
    expect([second.total, second.data.map(({ firstName }) => firstName)]).toEqual([null, ['Mia', 'Zoe']]);
  });

  test('says who has a second factor, and finds the enabled users without one', async () => {
    const list = async (query: object) => (await admin.call(listUsers, { query: { top: 10, skip: 0, ...query } })).json;
    const secured = (await save(values({ firstName: 'Kim' }))).json.userId;
    const plain = (await save(values({ firstName: 'Lou' }))).json.userId;
    await save(values({ firstName: 'Max', disabled: true }));
    await context.db.open({ kind: 'company', companyId }, (tx) =>
      tx
        .insertInto('authenticators')
        .values({ user_id: secured, secret: Buffer.from('x'), confirmed_at: new Date(clock.now()).toISOString() })
        .execute(),
    );
    const all = (await list({})).data;
    expect(all.filter(({ hasSecondFactor }) => hasSecondFactor).map(({ userId }) => userId)).toEqual([secured]);
    const { data, total } = await list({ withoutFactor: true });
    expect(data.map(({ userId }) => userId).toSorted((a, b) => a - b)).toEqual(
      [adminId, plain].toSorted((a, b) => a - b),
    );
    expect(total).toBe(2);
  });

  test('a Super sees the users of all companies or of one, an administrator those of the own one', async () => {
    const other = await buildCompany(context, { companyName: 'Hill Clinic' });
    await buildUser(context, { companyId: other.companyId, firstName: 'Far', lastName: 'Away' });
    const superUser = await buildUser(context, { companyId: null, password, email: `super-${companyId}@example.test` });
    const root = await app.signIn({ email: superUser.email, password });
    const list = async (by: Person, query: object = {}) =>
      (await by.call(listUsers, { query: { top: 50, skip: 0, ...query } })).json.data;
    expect((await list(admin)).map(({ company }) => company)).toEqual([{ companyId, companyName: 'River Clinic' }]);
    expect((await list(admin, { companyId: other.companyId })).map(({ userId }) => userId)).toEqual([adminId]);
    expect((await list(root, { companyId: other.companyId })).map(({ lastName }) => lastName)).toEqual(['Away']);
    const supers = await list(root, { companyId: 0 });
    expect(supers.map(({ userId }) => userId)).toContain(superUser.userId);
    expect(new Set(supers.map(({ company }) => company))).toEqual(new Set([null]));
    expect((await list(admin, { companyId: 0 })).map(({ userId }) => userId)).toEqual([adminId]);
    const companies = (await list(root, { orderBy: 'company asc' })).map(({ company }) => company?.companyName ?? '');
    expect(companies).toEqual(companies.toSorted((a, b) => a.localeCompare(b)));
    expect(companies).toEqual(expect.arrayContaining(['', 'Hill Clinic', 'River Clinic']));
  });
});

describe('saveUser', () => {
  test('new user without a password: is mailed a link that lasts seven days and signs in', async () => {
    const body = values({ email: `new-${companyId}@example.test` });
    const { json } = await save(body);
    expect(json).toMatchObject({ invited: true, version: 0 });
    await expect.poll(() => mail.to(body.email).length).toBe(1);
    const [sent] = mail.to(body.email);
    expect(sent?.headers.get('subject')).toBe('Your account at River Clinic');
    const token = linkTo(body.email);
    expect(await read(json.userId)).toMatchObject({ hasPassword: false, invitedAt: expect.any(String) });
    clock.set(clock.now() + (7 * 24 - 1) * 3_600_000);
    const chosen = await app.anonymous().call(passwordReset, {
      body: { user: { refreshToken: token, password: 'three blue ferries' } },
    });
    expect(chosen.status).toBe(200);
    expect(await read(json.userId, await app.signIn(adminSignIn()))).toMatchObject({ hasPassword: true });
    await app.signIn({ email: body.email, password: 'three blue ferries' });
  });

  test('an invitation expires after seven days, can be sent again, and not to a disabled user', async () => {
    const body = values({ email: `again-${companyId}@example.test` });
    const { json } = await save(body);
    await expect.poll(() => mail.to(body.email).length).toBe(1);
    clock.set(clock.now() + 7 * 24 * 3_600_000 + 1_000);
    const token = linkTo(body.email);
    const late = await app.anonymous().call(passwordReset, {
      body: { user: { refreshToken: token, password: 'three blue ferries' } },
    });
    expect(late.problem.code).toBe('link-used');
    const again = await app.signIn(adminSignIn());
    const invite = () => again.call(inviteUser, { params: { userId: json.userId } });
    expect((await invite()).status).toBe(204);
    await expect.poll(() => mail.to(body.email).length).toBe(2);
    await save({ ...body, userId: json.userId, disabled: true }, again);
    expect((await invite()).status).toBe(403);
  });

  test('invitation: five mails within an hour, then 429 with the wait; the same for a new email', async () => {
    const body = values();
    const { json } = await save(body);
    const params = { userId: json.userId };
    for (let mails = 1; mails <= 5; mails += 1) {
      await expect.poll(() => mail.to(body.email).length).toBe(mails);
      if (mails < 5) expect((await admin.call(inviteUser, { params })).status).toBe(204);
    }
    const stored = await read(json.userId);
    const refused = await admin.call(inviteUser, { params });
    expect([refused.status, refused.problem.code]).toEqual([429, 'too-many']);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3500);
    expect(wait).toBeLessThanOrEqual(3600);
    expect((await save({ ...stored, email: `other-${body.email}` })).status).toBe(429);
    expect(await read(json.userId)).toEqual(stored);
    clock.set(clock.now() + wait * 1000);
    const later = await app.signIn(adminSignIn());
    expect((await later.call(inviteUser, { params })).status).toBe(204);
    await expect.poll(() => mail.to(body.email).length).toBe(6);
  });

  test('invitation sent again five times in one second: each that is accepted is mailed', async () => {
    const body = values();
    const { json } = await save(body);
    await expect.poll(() => mail.to(body.email).length).toBe(1);
    const params = { userId: json.userId };
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.call(inviteUser, { params })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 204, 204, 204, 429]);
    await expect.poll(() => mail.to(body.email).length).toBe(5);
  });

  test.each(['signed out on all devices', 'second factor reset', 'disabled and enabled', 'new password'] as const)(
    'invited user, %s: the link and the invitation end, and a new invitation works',
    async (what) => {
      const body = values();
      const { json } = await save(body);
      const params = { userId: json.userId };
      await expect.poll(() => mail.to(body.email).length).toBe(1);
      const first = linkTo(body.email);
      expect(await read(json.userId)).toMatchObject({ invitedAt: expect.any(String), invitationEndedAt: null });
      if (what === 'signed out on all devices') await admin.call(endUserSignIns, { params });
      if (what === 'second factor reset') await admin.call(resetSecondFactor, { params });
      if (what === 'disabled and enabled')
        for (const disabled of [true, false]) await save({ ...(await read(json.userId)), disabled });
      if (what === 'new password') await save({ ...(await read(json.userId)), passwordString: 'three blue ferries' });
      const use = (refreshToken: string) =>
        app.anonymous().call(passwordReset, { body: { user: { refreshToken, password: 'four green ferries' } } });
      expect((await use(first)).problem.code).toBe('link-used');
      expect(await read(json.userId)).toMatchObject({ invitedAt: null, invitationEndedAt: expect.any(String) });
      if (what === 'new password') return;
      expect((await admin.call(inviteUser, { params })).status).toBe(204);
      await expect.poll(() => linkTo(body.email) !== first).toBe(true);
      expect(await read(json.userId)).toMatchObject({ invitedAt: expect.any(String), invitationEndedAt: null });
      expect((await use(linkTo(body.email))).status).toBe(200);
    },
  );

  test('invited user with a new email: the first link ends, the second invitation is open', async () => {
    const body = values();
    const { json } = await save(body);
    await expect.poll(() => mail.to(body.email).length).toBe(1);
    const email = `moved-${body.email}`;
    expect((await save({ ...(await read(json.userId)), email })).json.invited).toBe(true);
    expect(await read(json.userId)).toMatchObject({ invitedAt: expect.any(String), invitationEndedAt: null });
    await expect.poll(() => mail.to(email).length).toBe(1);
    const use = (refreshToken: string) =>
      app.anonymous().call(passwordReset, { body: { user: { refreshToken, password: 'four green ferries' } } });
    expect((await use(linkTo(body.email))).problem.code).toBe('link-used');
    expect((await use(linkTo(email))).status).toBe(200);
  });

  test('new user, sent again with the same key: is the same one, and not an email that is taken', async () => {
    const body = values();
    const headers = { 'idempotency-key': 'a-lost-response' };
    const first = await admin.call(saveUser, { body, headers });
    expect((await admin.call(saveUser, { body, headers })).json).toEqual(first.json);
    expect((await save(body)).problem.code).toBe('email-taken');
  });

  test('many passwords by one administrator: are slowed down, those of a colleague are not', async () => {
    const colleague = await buildUser(context, { companyId, role: 'A', password });
    const other = await app.signIn({ email: colleague.email, password });
    const weak = (by = admin) => save(values({ passwordString: 'RiverClinic1' }), by);
    const codes = [];
    for (let i = 0; i < 66; i += 1) codes.push((await weak()).problem.code);
    expect(new Set(codes.slice(0, 60))).toEqual(new Set(['common-password']));
    expect(codes.slice(60)).toContain('too-many');
    expect((await weak(other)).problem.code).toBe('common-password');
  });

  test('password of an administrator’s choice: signs in; a common one, a taken email, a stale version are refused', async () => {
    const body = values({ passwordString: 'three blue ferries' });
    const { json } = await save(body);
    expect(json.invited).toBe(false);
    await app.signIn({ email: body.email, password: 'three blue ferries' });
    expect((await save(values({ passwordString: 'RiverClinic1' }))).problem.code).toBe('common-password');
    expect((await save(values({ email: body.email.toUpperCase() }))).problem.fields).toEqual({
      email: expect.any(String),
    });
    const { passwordString: _, ...kept } = body;
    expect((await save({ ...kept, userId: json.userId, version: 7 })).problem).toMatchObject({
      code: 'stale',
      current: { version: 0 },
    });
  });

  test('password: 8 to 100 characters or none, and never for a user of an external provider @VALID-9', async () => {
    for (const passwordString of ['x'.repeat(7), 'x'.repeat(101), '']) {
      const refused = await save(values({ passwordString }));
      expect([refused.status, Object.keys(refused.problem.fields ?? {})]).toEqual([422, ['passwordString']]);
    }
    for (const passwordString of ['k7$Qz!m2', 'four green ferries '.repeat(5) + 'again'])
      expect((await save(values({ passwordString }))).json.invited).toBe(false);
    const { json: picks } = await save(values());
    expect(picks.invited).toBe(true);
    await context.db.open({ kind: 'super' }, (tx) =>
      tx.updateTable('users').set({ external_id: 'clinic-login:77' }).where('user_id', '=', picks.userId).execute(),
    );
    const external = await read(picks.userId);
    expect(external).toMatchObject({ isExternal: true, hasPassword: false });
    const refused = await save({ ...external, passwordString: 'three blue ferries' });
    expect([refused.status, refused.problem.code]).toEqual([403, 'not-allowed']);
    expect((await save({ ...external, firstName: 'Una' })).json.invited).toBe(false);
  });

  test('NPI and fee: are for doctors and administrators only; a phone is needed for texts @VALID-10', async () => {
    const refusedFields = async (body: UserBody) => Object.keys((await save(body)).problem.fields ?? {});
    expect(await refusedFields(values({ npi: '12345' }))).toEqual(['npi']);
    expect(await refusedFields(values({ roleId: 'U', npi: '1234567893' }))).toEqual(['npi']);
    expect(await refusedFields(values({ notificationType: 2 }))).toEqual(['phone']);
    const { json } = await save(values({ roleId: 'D', npi: '1234567893', selfPayFee: '80', phone: '2125550143' }));
    expect(await read(json.userId)).toMatchObject({ npi: '1234567893', selfPayFee: '80.00', phone: '2125550143' });
  });

  test('users whose arrivals are reported: must be providers of the company', async () => {
    const doctor = await buildUser(context, { companyId, role: 'D' });
    const stranger = await buildUser(context, { role: 'D' });
    const { json } = await save(values({ notifyForUsers: [{ userId: doctor.userId }] }));
    expect((await read(json.userId)).notifyForUsers).toEqual([{ userId: doctor.userId }]);
    expect((await save(values({ notifyForUsers: [{ userId: stranger.userId }] }))).problem.code).toBe('invalid');
  });

  test('role, disabled, password: take effect on the user’s devices immediately', async () => {
    const doctor = await buildUser(context, { companyId, role: 'D', password });
    const person = await app.signIn({ email: doctor.email, password });
    const stored = await read(doctor.userId);
    const { company: _c, created: _d, isExternal: _e, hasPassword: _h, invitedAt: _i, ...fields } = stored;
    const changed = await save({ ...fields, roleId: 'U' });
    expect(changed.json).toMatchObject({ version: 1, upcoming: 0 });
    expect((await person.call(listUsers, { query: { top: 5, skip: 0 } })).status).toBe(403);
    await buildAppointment(context, { companyId, doctorId: doctor.userId, startDate: '2035-01-01T10:00:00.000Z' });
    const disabled = await save({ ...fields, version: 1, disabled: true });
    expect(disabled.json).toMatchObject({ version: 2, upcoming: 1 });
    expect((await person.call(getArrivedCount)).status).toBe(401);
    const refused = await app.anonymous().call(login, {
      body: { isPatient: false, user: { email: doctor.email, password, remember: false } },
    });
    expect(refused.status).toBe(401);
  });

  test('a new email: is announced to the old one and ends the sign-ins', async () => {
    const user = await buildUser(context, { companyId, role: 'U', password });
    const person = await app.signIn({ email: user.email, password });
    const {
      company: _c,
      created: _d,
      isExternal: _e,
      hasPassword: _h,
      invitedAt: _i,
      ...fields
    } = await read(user.userId);
    expect((await save({ ...fields, email: `moved-${user.email}` })).json.invited).toBe(false);
    expect((await person.call(getArrivedCount)).status).toBe(401);
    await expect.poll(() => mail.to(user.email).length).toBe(1);
  });

  test('a new email of a user of an external provider: is announced to the old one', async () => {
    const body = values({ email: `external-${companyId}@example.test` });
    const { json } = await save(body);
    await expect.poll(() => mail.to(body.email).length).toBe(1);
    await context.db.open({ kind: 'job', companyId }, (tx) =>
      tx.updateTable('users').set({ external_id: 'clinic-login:78' }).where('user_id', '=', json.userId).execute(),
    );
    expect((await save({ ...(await read(json.userId)), email: `moved-${body.email}` })).status).toBe(200);
    await expect.poll(() => mail.to(body.email).length).toBe(2);
    expect(mail.to(body.email)[1]?.headers.get('subject')).toBe('Your email address was changed');
  });

  test('own record: a new contact or password needs My Account', async () => {
    const { company: _c, created: _d, isExternal: _e, hasPassword: _h, invitedAt: _i, ...fields } = await read(adminId);
    for (const change of [
      { email: 'x@example.test' },
      { phone: '2125550143' },
      { passwordString: 'three blue ferries' },
    ])
      expect([change, (await save({ ...fields, ...change })).problem.code]).toEqual([change, 'own-record']);
    expect((await save({ ...fields, firstName: 'Ada' })).status).toBe(200);
  });

  test('provider licenses: the next provider is refused, also two at the same time', async () => {
    await save(values({ roleId: 'D' }));
    const both = await Promise.all([save(values({ roleId: 'D' })), save(values({ roleId: 'A', npi: '1234567893' }))]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
    expect((await save(values({ roleId: 'D' }))).problem.code).toBe('provider-limit');
    // An administrator without an NPI takes none.
    expect((await save(values({ roleId: 'A' }))).status).toBe(200);
  });
});

describe('last administrator', () => {
  test('is neither demoted, disabled nor deleted, also by two who remove each other at the same time', async () => {
    const second = await buildUser(context, { companyId, role: 'A', password });
    const other = await app.signIn({ email: second.email, password });
    const without = async (userId: number) => {
      const {
        company: _c,
        created: _d,
        isExternal: _e,
        hasPassword: _h,
        invitedAt: _i,
        ...fields
      } = await read(userId);
      return fields;
    };
    const [mine, theirs] = [await without(adminId), await without(second.userId)];
    const both = await Promise.all([save({ ...theirs, roleId: 'U' }), save({ ...mine, disabled: true }, other)]);
    // The loser is refused as the last one, or is signed out or no administrator any more.
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = both[0]?.status === 200 ? admin : other;
    const last = both[0]?.status === 200 ? mine : theirs;
    expect((await save({ ...last, roleId: 'D' }, winner)).problem.code).toBe('last-administrator');
    expect((await save({ ...last, disabled: true }, winner)).problem.code).toBe('last-administrator');
    // Someone who has not picked a password yet cannot take over.
    await save(values({ roleId: 'A' }), winner);
    expect((await save({ ...last, roleId: 'D' }, winner)).problem.code).toBe('last-administrator');
    const root = await app.signIn({
      email: (await buildUser(context, { companyId: null, password, email: `root-${companyId}@example.test` })).email,
      password,
    });
    const remove = await root.call(deleteUser, { params: { userId: last.userId } });
    expect(remove.problem.code).toBe('last-administrator');
  });
});

describe('deleteUser and endUserSignIns', () => {
  test('someone who became the last administrator while the deletion waited stays', async () => {
    const clerk = await buildUser(context, { companyId, role: 'U', password });
    const { email } = await buildUser(context, { companyId: null, password });
    const root = await app.signIn({ email, password });
    const setRole = (tx: Tx, userId: number, role: 'A' | 'U') =>
      tx.updateTable('users').set({ role_id: role }).where('user_id', '=', userId).execute();
    const exchanged = await holdUntilBlocking(
      context,
      companyId,
      (tx) => lockUsersOf(tx, companyId),
      async (tx) => {
        await setRole(tx, clerk.userId, 'A');
        await setRole(tx, adminId, 'U');
      },
    );
    const removing = root.call(deleteUser, { params: { userId: clerk.userId } });
    await exchanged();
    expect((await removing).problem.code).toBe('last-administrator');
    expect((await root.call(getUser, { params: { userId: clerk.userId } })).status).toBe(200);
  });

  test('someone without records is deleted, someone with appointments stays; no one deletes their own record', async () => {
    const clerk = await buildUser(context, { companyId, role: 'U', password });
    const person = await app.signIn({ email: clerk.email, password });
    const remove = (userId: number) => admin.call(deleteUser, { params: { userId } });
    expect((await remove(clerk.userId)).status).toBe(204);
    expect((await person.call(getArrivedCount)).status).toBe(401);
    expect((await admin.call(getUser, { params: { userId: clerk.userId } })).status).toBe(404);
    const doctor = await buildUser(context, { companyId, role: 'D' });
    await buildAppointment(context, { companyId, doctorId: doctor.userId });
    expect((await remove(doctor.userId)).problem.code).toBe('user-has-records');
    expect(await read(doctor.userId)).toMatchObject({ disabled: false });
    expect((await remove(adminId)).problem.code).toBe('own-record');
  });

  test('someone who has only viewed a patient stays, and the audit log has their name', async () => {
    const { patientId } = await buildPatient(context, { companyId });
    const clerk = await buildUser(context, { companyId, role: 'U', firstName: 'Gil', lastName: 'Sand', password });
    const person = await app.signIn({ email: clerk.email, password });
    await person.call(getPatient, { params: { patientId } });
    const { problem } = await admin.call(deleteUser, { params: { userId: clerk.userId } });
    expect(problem.code).toBe('user-has-records');
    const user = await read(clerk.userId);
    expect((await save({ ...user, disabled: true })).status).toBe(200);
    const { data } = (await admin.call(listAuditLog, { query: { top: 50, skip: 0, patientId } })).json;
    expect(data.find(({ action }) => action === 'getPatient')?.actor).toMatchObject({ name: 'Gil Sand' });
  });

  test('a Super who has changed something stays, one who has only signed in does not', async () => {
    const [root, idle] = await Promise.all([1, 2].map(() => buildUser(context, { companyId: null, password })));
    if (!root || !idle) throw new Error('There are no administrators.');
    const person = await app.signIn({ email: root.email, password });
    const other = await app.signIn({ email: idle.email, password });
    expect((await save(values({ companyId: 0, roleId: 'A' }), person)).status).toBe(200);
    const removing = { params: { userId: root.userId } };
    expect((await other.call(deleteUser, removing)).problem.code).toBe('user-has-records');
    expect((await person.call(deleteUser, { params: { userId: idle.userId } })).status).toBe(204);
  });

  test('a provider of whose patients a colleague is notified: is deleted', async () => {
    const doctor = await buildUser(context, { companyId, role: 'D' });
    const { json: saved } = await save(values({ notifyForUsers: [{ userId: doctor.userId }] }));
    expect((await admin.call(deleteUser, { params: { userId: doctor.userId } })).status).toBe(204);
    expect((await read(saved.userId)).notifyForUsers).toEqual([]);
  });

  test('the audit log: is searched by its index of people, and the index of sign-ins fits its function', async () => {
    const owner = new pg.Client(app.database.owner);
    await owner.connect();
    await owner.query('set enable_seqscan = off');
    const explain = async (condition: string) => {
      const { rows } = await owner.query<Record<string, string>>(`explain select from audit_log a where ${condition}`);
      return rows.map((row) => row['QUERY PLAN'] ?? '');
    };
    for (const company of [`= ${companyId}`, 'is null']) {
      const plan = await explain(`a.company_id ${company} and audit_person(a.actor) = 7 and not audit_signs(a.action)`);
      const conditions = plan.filter((line) => line.includes('Index Cond'));
      expect(conditions.length).toBeGreaterThan(1);
      expect(conditions.filter((line) => !line.includes('(actor'))).toEqual([]);
      expect(plan.filter((line) => line.includes('Seq Scan'))).toEqual([]);
    }
    const signed = await explain(`a.company_id = ${companyId} and audit_signs(a.action) and a.occurred_at > now()`);
    expect(signed.filter((line) => line.includes('Filter') || line.includes('Seq Scan'))).toEqual([]);
    await owner.end();
  });

  test('signs a user out on all devices', async () => {
    const clerk = await buildUser(context, { companyId, role: 'U', password });
    const devices = await Promise.all([1, 2].map(() => app.signIn({ email: clerk.email, password })));
    expect((await admin.call(endUserSignIns, { params: { userId: clerk.userId } })).status).toBe(204);
    for (const device of devices) expect((await device.call(getArrivedCount)).status).toBe(401);
    expect((await admin.call(endUserSignIns, { params: { userId: adminId } })).problem.code).toBe('own-record');
  });
});
