import {
  type CompanyBody,
  deleteCompany,
  getCompany,
  listCompanies,
  saveCompany,
} from '@roomside/contract/companies/calls.ts';
import { listPaymentProcessors } from '@roomside/contract/payments/calls.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { saveUser } from '@roomside/contract/users/calls.ts';
import { getArrivedCount } from '@roomside/contract/waiting-room/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context, clock } = app;
let root: Person;
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
afterAll(() => owner.end());

beforeAll(async () => {
  const { email } = await buildUser(context, { companyId: null, password });
  root = await app.signIn({ email, password });
});

const values = (more: Partial<CompanyBody> = {}): CompanyBody => ({
  companyId: 0,
  version: 0,
  companyName: 'New Clinic',
  timeZone: 'America/Chicago',
  remindBeforeMin: 30,
  startHour: 8,
  endHour: 17,
  slot: 15,
  duration: 15,
  limit: 0,
  selfPayFee: '0',
  notifyUsersMin: 0,
  noticeHours: 24,
  genericSchedule: false,
  confirmBookings: false,
  allowRecording: false,
  notifyProviders: 1,
  ...more,
});
const save = async (body: CompanyBody) => (await root.call(saveCompany, { body })).json.companyId;
const list = async (query: object) => (await root.call(listCompanies, { query: { top: 50, skip: 0, ...query } })).json;

describe('saveCompany by a Super', () => {
  test('new company: has one provider and 30 days; its first administrator is invited', async () => {
    const companyId = await save(values());
    const { json } = await root.call(getCompany, { params: { companyId } });
    const today = instantToWall(new Date(clock.now()).toISOString(), 'America/Chicago').day;
    const days = (Date.parse(json.expirationDate) - Date.parse(today)) / 86_400_000;
    expect([json.providerCount, days, json.disabled, json.companyUid.length]).toEqual([1, 30, false, 32]);
    const body = {
      userId: 0,
      version: 0,
      firstName: 'First',
      lastName: 'Admin',
      email: `first-${companyId}@example.test`,
      phone: '',
      roleId: 'A' as const,
      npi: '',
      selfPayFee: '',
      notificationType: 1,
      notifyForUsers: [],
      disabled: false,
      companyId,
    };
    expect((await root.call(saveUser, { body })).json.invited).toBe(true);
  });
});

test('calls: list with host, get, save with its id, delete, processors; a company has all its fields @CALL-20 @ENTITY-5', async () => {
  const companyId = await save(values({ companyName: 'Entity Clinic', frontEndUrl: 'https://visits.example.com' }));
  const { json } = await root.call(getCompany, { params: { companyId } });
  expect(json).toMatchObject({
    companyId,
    companyUid: expect.stringMatching(/^[0-9a-f]{32}$/),
    companyName: 'Entity Clinic',
    created: expect.any(String),
    remindBeforeMin: 30,
    providerCount: 1,
    expirationDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    startHour: 8,
    endHour: 17,
    duration: 15,
    slot: 15,
    limit: 0,
    selfPayFee: '0.00',
    notifyUsersMin: 0,
    supportEmail: '',
    smsPhone: '',
    genericSchedule: false,
    allowReq: false,
    allowRecording: false,
    notifyProviders: 1,
    frontEndUrl: 'https://visits.example.com',
    disabled: false,
    paymentProcessor: null,
    pmtUser: '',
  });
  const body = values({ ...json, paymentProcessor: 'sandbox', pmtUser: 'entity', pmtPassword: 'a-secret' });
  expect(await save(body)).toBe(companyId);
  const after = await root.call(getCompany, { params: { companyId } });
  expect(after.json).toMatchObject({ paymentProcessor: 'sandbox', pmtUser: 'entity', hasPmtPassword: true });
  // The secret key is never sent back.
  expect(after.text).not.toContain('a-secret');
  const { data } = await list({ filter: 'entity clinic' });
  expect(data).toMatchObject([{ companyId, host: 'visits.example.com' }]);
  expect((await root.call(listPaymentProcessors)).json.data.map(({ processor }) => processor)).toEqual([
    'sandbox',
    'stripe',
  ]);
  expect((await root.call(deleteCompany, { params: { companyId } })).status).toBe(204);
  expect((await root.call(getCompany, { params: { companyId } })).status).toBe(404);
});

describe('company that has signed up', () => {
  const isTrial = async (companyId: number) => {
    const rows = await context.db.open({ kind: 'super' }, (tx) =>
      tx.selectFrom('trials').select('company_id').where('company_id', '=', companyId).execute(),
    );
    return rows.length > 0;
  };

  test('its limit of messages ends when an administrator of the installation saves it, not when its own does', async () => {
    const { companyId } = await buildCompany(context);
    await owner.query('insert into trials (company_id) values ($1)', [companyId]);
    const { email } = await buildUser(context, { companyId, role: 'A', password });
    const admin = await app.signIn({ email, password });
    expect((await admin.call(saveCompany, { body: values({ companyId }) })).status).toBe(200);
    expect(await isTrial(companyId)).toBe(true);
    expect((await root.call(saveCompany, { body: values({ companyId, version: 1 }) })).status).toBe(200);
    expect(await isTrial(companyId)).toBe(false);
  });

  test('can be deleted', async () => {
    const { companyId } = await buildCompany(context);
    await owner.query('insert into trials (company_id) values ($1)', [companyId]);
    expect((await root.call(deleteCompany, { params: { companyId } })).status).toBe(204);
  });
});

test('name with a web or email address: refused for administrators, who keep one that an administrator of the installation has set', async () => {
  const { companyId } = await buildCompany(context);
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const admin = await app.signIn({ email, password });
  for (const companyName of ['Win at evil.test', 'http://evil.test', 'www.evil', 'Write to a@b.test', 'x.to/win']) {
    const { status, problem } = await admin.call(saveCompany, { body: values({ companyId, companyName }) });
    expect([companyName, status, problem.fields]).toEqual([
      companyName,
      422,
      { companyName: 'Can’t contain a web or email address' },
    ]);
  }
  for (const [version, companyName] of [
    "St. Mary's / Westside",
    'Dr. J. Müller',
    'Women@Work',
    'A.B.C. Clinic',
  ].entries()) {
    const { status } = await admin.call(saveCompany, { body: values({ companyId, companyName, version }) });
    expect([companyName, status]).toEqual([companyName, 200]);
  }
  const named = values({ companyId, companyName: 'Care.example', version: 4 });
  expect((await root.call(saveCompany, { body: named })).status).toBe(200);
  expect((await admin.call(saveCompany, { body: { ...named, version: 5, duration: 30 } })).status).toBe(200);
});

describe('listCompanies', () => {
  test('has the status of each, sorts, searches, and has pages @STATE-23', async () => {
    const day = (offset: number) => new Date(clock.now() + offset * 86_400_000).toISOString().slice(0, 10);
    await save(values({ companyName: 'Zeta Élan', expirationDate: day(60), providerCount: 3 }));
    await save(values({ companyName: 'Zeta Bay', expirationDate: day(-3), providerCount: 9 }));
    await save(values({ companyName: 'Zeta Cove', expirationDate: day(-3), disabled: true, providerCount: 5 }));
    const names = async (query: object) => (await list(query)).data.map(({ companyName }) => companyName);
    const { data } = await list({ filter: 'zeta' });
    expect(data.map(({ companyName, status }) => [companyName, status])).toEqual([
      ['Zeta Bay', 'Expired'],
      ['Zeta Cove', 'Disabled'],
      ['Zeta Élan', 'Healthy'],
    ]);
    expect(await names({ filter: 'zeta', orderBy: 'companyName desc' })).toEqual([
      'Zeta Élan',
      'Zeta Cove',
      'Zeta Bay',
    ]);
    expect(await names({ filter: 'zeta', orderBy: 'providerCount asc' })).toEqual([
      'Zeta Élan',
      'Zeta Cove',
      'Zeta Bay',
    ]);
    expect((await names({ filter: 'zeta', orderBy: 'expirationDate desc' }))[0]).toBe('Zeta Élan');
    expect(await names({ filter: 'zeta', orderBy: 'created asc' })).toEqual(['Zeta Élan', 'Zeta Bay', 'Zeta Cove']);
    const first = await list({ filter: 'zeta', top: 2 });
    expect([first.total, first.data.length]).toEqual([3, 2]);
    expect((await list({ filter: 'zeta', top: 2, total: 3, after: first.last })).data[0]?.companyName).toBe(
      'Zeta Élan',
    );
  });
});

describe('deleteCompany', () => {
  test('company without records: is deleted with its users; a company with a patient stays', async () => {
    const { companyId } = await buildCompany(context);
    const { email } = await buildUser(context, { companyId, role: 'A', password });
    const admin = await app.signIn({ email, password });
    const remove = (id: number) => root.call(deleteCompany, { params: { companyId: id } });
    expect((await remove(companyId)).status).toBe(204);
    expect((await admin.call(getArrivedCount)).status).toBe(401);
    expect((await remove(companyId)).status).toBe(404);
    const other = await buildCompany(context);
    const user = await buildUser(context, { companyId: other.companyId, role: 'A', password });
    await buildPatient(context, { companyId: other.companyId });
    expect((await remove(other.companyId)).problem.code).toBe('company-has-records');
    await app.signIn({ email: user.email, password });
  });
});
