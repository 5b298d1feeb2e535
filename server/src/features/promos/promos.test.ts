import { deletePromo, getPromo, listPromos, type PromoBody, savePromo } from '@roomside/contract/promos/calls.ts';
import { beforeEach, expect, test } from 'vitest';
import { buildPromo } from '../../../test/build-promo.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context } = app;

let companyId: number;
let admin: Person;
let superuser: Person;

const signIn = async (company: number | null) =>
  app.signIn({ email: (await buildUser(context, { companyId: company, role: 'A', password })).email, password });

beforeEach(async () => {
  ({ companyId } = await buildCompany(context, {}));
  admin = await signIn(companyId);
  superuser = await signIn(null);
});

const blank: PromoBody = {
  patientPromoId: 0,
  version: 0,
  code: 'SPRING',
  discountRate: 25,
  expirationDate: '2031-05-31',
  maxUses: 3,
  disabled: false,
};
const save = (person: Person, values: Partial<PromoBody> = {}) =>
  person.call(savePromo, { body: { ...blank, ...values } });
const codesOf = async (person: Person, query: object = {}) =>
  (await person.call(listPromos, { query: { top: 50, skip: 0, ...query } })).json.data.map(({ code }) => code);

test('save, get, delete: keep all values; a stale version is refused @ENTITY-8 @CALL-31', async () => {
  const { json } = await save(admin, { code: '  SPRING ' });
  const params = { patientPromoId: json.patientPromoId };
  expect((await admin.call(getPromo, { params })).json).toEqual({ ...blank, ...params, uses: 0 });
  const changed = { ...params, code: 'SUMMER', discountRate: 100, expirationDate: null, maxUses: null, disabled: true };
  expect((await save(admin, changed)).json).toEqual({ ...params, version: 1 });
  expect((await admin.call(getPromo, { params })).json).toMatchObject({ ...changed, version: 1 });
  expect((await save(admin, changed)).problem).toMatchObject({ code: 'stale', current: { version: 1 } });
  expect((await admin.call(deletePromo, { params })).status).toBe(204);
  for (const attempt of [admin.call(getPromo, { params }), admin.call(deletePromo, { params }), save(admin, params)])
    expect((await attempt).status).toBe(404);
  expect(await codesOf(admin)).toEqual([]);
});

test('code: is unique in the company whatever its case, and free again once deleted', async () => {
  const { patientPromoId } = (await save(admin, { code: 'Spring' })).json;
  const { problem } = await save(admin, { code: 'SPRING' });
  expect(problem).toMatchObject({
    status: 422,
    code: 'promo-taken',
    fields: { code: 'There is already a promo code with this name.' },
  });
  const other = (await save(admin, { code: 'Autumn' })).json;
  expect((await save(admin, { ...other, code: 'spring' })).problem.code).toBe('promo-taken');
  await admin.call(deletePromo, { params: { patientPromoId } });
  expect((await save(admin, { code: 'SPRING' })).status).toBe(200);
  // The same code may also exist in another company. Codes of the installation are separate.
  const { companyId: elsewhere } = await buildCompany(context, {});
  expect((await save(await signIn(elsewhere), { code: 'SPRING' })).status).toBe(200);
  expect((await save(superuser, { code: `SPRING ${elsewhere}` })).status).toBe(200);
  expect(await codesOf(admin)).toEqual(['Autumn', 'SPRING']);
});

test.each([
  [{ code: '' }, 'code', 'Required'],
  [{ code: 'x'.repeat(51) }, 'code', 'At most 50 characters'],
  [{ discountRate: 0 }, 'discountRate', 'Not valid'],
  [{ discountRate: 101 }, 'discountRate', 'Not valid'],
  [{ discountRate: 2.5 }, 'discountRate', 'Not valid'],
  [{ expirationDate: '2031-02-30' }, 'expirationDate', 'Not valid'],
  [{ maxUses: 0 }, 'maxUses', 'Not valid'],
] as const)('save with %j: is refused at the field @CONST-15', async (values, field, text) => {
  expect((await save(admin, values)).problem.fields).toEqual({ [field]: text });
});

test('save with a discount of 1 or 100 percent: is accepted @CONST-15', async () => {
  expect((await save(admin, { discountRate: 1 })).status).toBe(200);
  expect((await save(admin, { code: 'ALL', discountRate: 100 })).status).toBe(200);
});

test('list: sorts by each column in both directions, and finds parts of codes', async () => {
  const build = (code: string, discountRate: number, expirationDate: string | null, disabled = false) =>
    buildPromo(context, { companyId, code, discountRate, expirationDate, disabled });
  await build('beta', 30, '2031-01-01');
  await build('Alpha', 20, null);
  await build('gamma', 10, '2030-01-01', true);
  const orders = {
    code: ['Alpha', 'beta', 'gamma'],
    discountRate: ['gamma', 'Alpha', 'beta'],
    expirationDate: ['gamma', 'beta', 'Alpha'],
    disabled: ['beta', 'Alpha', 'gamma'],
  };
  for (const [column, codes] of Object.entries(orders)) {
    expect(await codesOf(admin, { orderBy: `${column} asc` })).toEqual(codes);
    expect(await codesOf(admin, { orderBy: `${column} desc` })).toEqual(codes.toReversed());
    expect(await codesOf(admin, { orderBy: `${column} asc`, top: 1, skip: 1 })).toEqual([codes[1]]);
  }
  expect(await codesOf(admin, { filter: 'ET' })).toEqual(['beta']);
});

test('a Super: manages the installation’s codes and none of a company', async () => {
  const code = `LICENSE ${companyId}`;
  await save(superuser, { code });
  expect(await codesOf(superuser, { filter: code })).toEqual([code]);
  expect(await codesOf(admin)).toEqual([]);
  const patientPromoId = await buildPromo(context, { companyId, code: 'Company' });
  expect((await superuser.call(getPromo, { params: { patientPromoId } })).status).toBe(404);
  expect(await codesOf(superuser, { filter: 'Company' })).toEqual([]);
});
