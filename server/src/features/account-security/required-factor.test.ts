import {
  addPasskey,
  confirmAuthenticator,
  confirmIdentity,
  getSecondFactor,
  listSignIns,
  removeAuthenticator,
  removePasskey,
  startAuthenticator,
  startPasskey,
} from '@roomside/contract/account-security/calls.ts';
import { getSignIn, logout } from '@roomside/contract/auth/calls.ts';
import { getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import { listFiles, uploadFile } from '@roomside/contract/files/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { getTeleappointment } from '@roomside/contract/room/calls.ts';
import { factorError, signedOutError } from '@roomside/contract/room/messages.ts';
import { getAccount, resetSecondFactor } from '@roomside/contract/users/calls.ts';
import { memory } from '@roomside/signalr';
import { describe, expect, test } from 'vitest';
import { jpeg } from '../../../test/build-file.ts';
import { type BuiltRoom, buildRoom } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { createSoftwarePasskey } from '../../../test/software-passkey.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildUser } from '../../demo/builders.ts';
import { codeOf, stepAt } from '../second-factor/totp.ts';

/** Two servers of one database and one backplane. */
const backplane = memory();
const app = await startTestApp({ backplane });
const other = await startTestApp({ backplane, database: app.database });
const { context, clock } = app;
clock.freeze();
const minute = 60_000;
const listed = { query: { top: 5, skip: 0 } };

const utcDay = (offset: number) => new Date(clock.now() + offset * 24 * 60 * minute).toISOString().slice(0, 10);

/** Requires a second factor of a company's users from a day on ('' = not), by one of its administrators or a Super. */
async function require(person: Person, secondFactorFrom: string, companyId = 0): Promise<void> {
  const { json } = await person.call(getCompany, { params: { companyId } });
  const { status } = await person.call(saveCompany, {
    body: { ...onlyOwn(json), version: json.version, companyId, secondFactorFrom },
  });
  expect(status).toBe(200);
}

/** What an administrator may send. */
function onlyOwn(company: Awaited<ReturnType<typeof readCompany>>) {
  const { providerCount: _p, expirationDate: _e, supportEmail: _s, smsPhone: _m, ...rest } = company;
  const { allowReq: _a, frontEndUrl: _f, disabled: _d, ...own } = rest;
  return own;
}
const readCompany = async (person: Person) => (await person.call(getCompany, { params: { companyId: 0 } })).json;

const patientsOf = async (person: Person) => (await person.call(listPatients, listed)).problem.code ?? 'listed';
const signInOf = async (person: Person) => (await person.call(getSignIn)).json.lacksFactor;

async function superPerson(): Promise<Person> {
  const { email } = await buildUser(context, { companyId: null, password });
  return app.signIn({ email, password });
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Adds an authenticator app by the password. */
async function addApp(person: Person): Promise<void> {
  await person.call(confirmIdentity, { body: { currentPassword: password } });
  const { json } = await person.call(startAuthenticator);
  const bits = Array.from(json.secret, (letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const code = codeOf(secret, stepAt(clock.now()));
  expect((await person.call(confirmAuthenticator, { body: { code } })).status).toBe(204);
}
async function addKey(person: Person): Promise<number> {
  const { json } = await person.call(startPasskey);
  const response = createSoftwarePasskey().register(String(json.options['challenge']));
  return (await person.call(addPasskey, { body: { name: 'Phone', response } })).json.passkeyId;
}

async function newUser({ appointment: { companyId } }: BuiltRoom, role: 'A' | 'U' = 'U') {
  const user = await buildUser(context, { companyId, role, password });
  return { ...user, person: await app.signIn({ email: user.email, password }) };
}

describe('a company that requires the second factor', () => {
  test('an administrator without one: cannot lock the clinic out, also when the day has come already', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    await require(room.admin, utcDay(-1));
    expect((await room.admin.call(getCompany, { params: { companyId: 0 } })).problem.code).toBe(
      'second-factor-required',
    );
    await addApp(room.admin);
    await require(room.admin, '');
    const { person } = await newUser(room);
    expect(await patientsOf(person)).toBe('listed');
  });

  test('a Super: requires it of any company, has none to set up, and resets a user’s, who sets it up again', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    const root = await superPerson();
    const { companyId } = room.appointment;
    const { json } = await root.call(getCompany, { params: { companyId } });
    await root.call(saveCompany, { body: { ...json, secondFactorFrom: utcDay(0) } });
    expect((await root.call(getCompany, { params: { companyId } })).json.secondFactorFrom).toBe(utcDay(0));
    const { person, email, userId } = await newUser(room);
    await addApp(person);
    expect(await patientsOf(person)).toBe('listed');
    expect((await root.call(resetSecondFactor, { params: { userId } })).status).toBe(204);
    const again = await app.signIn({ email, password });
    expect(await patientsOf(again)).toBe('second-factor-required');
    await addApp(again);
    expect(await patientsOf(again)).toBe('listed');
  });

  test('a save without the field: leaves it as it is', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    await require(room.admin, utcDay(14));
    const { secondFactorFrom: _from, ...body } = onlyOwn(await readCompany(room.admin));
    await room.admin.call(saveCompany, { body });
    expect((await readCompany(room.admin)).secondFactorFrom).toBe(utcDay(14));
  });

  test('the last factor: cannot be removed once it is required, also by two requests at the same time', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    const { person } = await newUser(room);
    await addApp(person);
    const passkeyId = await addKey(person);
    await require(room.admin, utcDay(0));
    const answers = await Promise.all([
      person.call(removeAuthenticator),
      person.call(removePasskey, { params: { passkeyId } }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
    expect(answers.map(({ problem }) => problem?.code)).toContain('last-factor');
    expect(await signInOf(person)).toBeNull();
  });

  test('connections of users without a second factor: are closed on all servers; new ones are refused', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    const { person } = await newUser(room);
    const secured = await newUser(room);
    await addApp(secured.person);
    const [closing, staying] = [await connectHub(other, person), await connectHub(other, secured.person)];
    // The other server's clock is its own.
    await require(room.admin, '2020-01-01');
    // The poll runs every ten seconds. The bound leaves time for a busy machine.
    await expect.poll(() => `${closing.closed()}`, { timeout: 8_000, interval: 10 }).toContain(factorError);
    const next = await connectHub(app, person);
    await expect.poll(() => `${next.closed()}`, { timeout: 8_000, interval: 10 }).toContain(factorError);
    expect(staying.closed()).toBeUndefined();
    // After a sign-out that is the reason.
    await person.call(logout, { body: { kind: 'staff' } });
    const ended = await connectHub(app, person);
    await expect.poll(() => `${ended.closed()}`, { timeout: 8_000, interval: 10 }).toContain(signedOutError);
  });

  test('signed file address of a user without a second factor: opens nothing any more', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    const input = { params: { appointmentId: room.appointment.appointmentId } };
    await room.doctor.call(uploadFile, {
      ...input,
      query: { name: 'a.jpg' },
      upload: { bytes: jpeg, type: 'image/jpeg' },
    });
    const { address = '' } = (await room.doctor.call(listFiles, input)).json.data[0] ?? {};
    expect((await fetch(app.url + address)).status).toBe(200);
    await require(room.admin, utcDay(0));
    const refused = await fetch(app.url + address);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      403,
      'second-factor-required',
    ]);
  });

  test('a visit that runs: goes on with its own calls, and no other room opens', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    const elsewhere = await buildAppointment(context, { companyId: room.appointment.companyId });
    const doctor = await connectHub(app, room.doctor);
    await doctor.subscribe(room.uid);
    await require(room.admin, utcDay(0));
    const own = { params: { uid: room.uid } };
    expect((await room.doctor.call(getTeleappointment, own)).status).toBe(200);
    expect(await patientsOf(room.doctor)).toBe('second-factor-required');
    await expect(doctor.subscribe(elsewhere.appointmentUid)).rejects.toThrow('second-factor-required');
    await doctor.unsubscribe(room.uid);
    expect(await doctor.subscribe(room.uid)).toEqual([]);
    await doctor.unsubscribe(room.uid);
    clock.set(clock.now() + 6 * minute);
    expect((await room.doctor.call(getTeleappointment, own)).problem.code).toBe('second-factor-required');
    const late = await connectHub(app, room.doctor);
    await expect.poll(() => `${late.closed()}`, { timeout: 8_000, interval: 10 }).toContain(factorError);
  });

  // Last: the clock moves years ahead.
  test('users without a second factor: see the day and use everything until then; later all calls but the set-up are refused', async () => {
    const room = await buildRoom(app, { timeZone: 'America/Los_Angeles' });
    expect(await signInOf(room.admin)).toBeNull();
    await require(room.admin, '2031-01-10');
    clock.set(Date.parse('2031-01-10T07:59:59Z'));
    const { person, email } = await newUser(room);
    expect(await signInOf(person)).toEqual({ from: '2031-01-10', isDue: false });
    expect(await patientsOf(person)).toBe('listed');
    clock.set(Date.parse('2031-01-10T08:00:00Z'));
    expect(await signInOf(person)).toEqual({ from: '2031-01-10', isDue: true });
    const refused = await person.call(listPatients, listed);
    expect([refused.status, refused.problem.code]).toEqual([403, 'second-factor-required']);
    for (const call of [getAccount, listSignIns])
      expect((await person.call(call)).problem.code).toBe('second-factor-required');
    // A new sign-in by the password, and the set-up.
    const again = await app.signIn({ email, password });
    await addApp(again);
    expect((await again.call(getSecondFactor)).json.authenticatorSince).not.toBeNull();
    expect(await signInOf(again)).toBeNull();
    expect(await patientsOf(again)).toBe('listed');
  });
});
