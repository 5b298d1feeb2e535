import { getSignIn } from '@roomside/contract/auth/calls.ts';
import type { BodyOf } from '@roomside/contract/call.ts';
import {
  accountPay,
  calculateLicense,
  deletePaymentCard,
  getInvoice,
  getLicense,
  getPaymentCards,
  type License,
  listInvoices,
  saveRenewal,
  settleLicense,
  updatePaymentCard,
} from '@roomside/contract/licenses/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { getUser, saveUser } from '@roomside/contract/users/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPromo } from '../../../test/build-promo.ts';
import { cardToken } from '../../../test/card-token.ts';
import { startAtNoon } from '../../../test/start-at-noon.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildUser, type CompanyValues } from '../../demo/builders.ts';
import { licenseYear } from '../charges/extend-license.ts';
import { reconcileCharges } from '../payments/reconcile.ts';
import { priceOf } from './price.ts';
import { renewLicenses } from './renew.ts';

const app = await startTestApp({ demo: true, env: { LICENSE_PRICE: '120.50', LICENSE_PROCESSOR: 'sandbox' } });
const { context, clock } = app;
startAtNoon(clock);
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
afterAll(() => owner.end());
const rowsOf = async <Row>(text: string, ...values: unknown[]) => (await owner.query(text, values)).rows as Row[];

const utcDay = (offset: number) => new Date(clock.now() + offset * 86_400_000).toISOString().slice(0, 10);
const aYearAfter = (day: string) => Temporal.PlainDate.from(day).add({ years: 1 }).toString();

/** A company in UTC whose license ends in ten days, with an administrator. */
async function build(values: CompanyValues = {}, from = app) {
  const expirationDate = values.expirationDate ?? utcDay(10);
  const { companyId, companyUid } = await buildCompany(from.context, {
    timeZone: 'UTC',
    providerCount: 2,
    ...values,
    expirationDate,
  });
  const { email } = await buildUser(from.context, { companyId, role: 'A', password });
  const signIn = () => from.signIn({ email, password });
  const admin = await signIn();
  const params = { companyId };
  type Order = Partial<BodyOf<typeof accountPay>> & { providers?: number };
  const pay = ({ providers = 2, ...more }: Order = {}, by: Person = admin) =>
    by.call(accountPay, {
      body: {
        user: { company: { companyId, providerCount: providers } },
        promoCode: null,
        card: { token: cardToken() },
        backup: null,
        amount: '241.00',
        expirationDate,
        ...more,
      },
    });
  const calculate = (providers: number, code?: string) =>
    admin.call(calculateLicense, {
      body: {
        user: { company: { companyId, providerCount: providers } },
        promoCode: code === undefined ? null : { code },
      },
    });
  const save = (position: 'primary' | 'backup', outcome = 'paid', last4 = '4242') =>
    admin.call(updatePaymentCard, { params, body: { position, token: cardToken(outcome, 'visa', last4) } });
  const read = async () => (await admin.call(getLicense, { params })).json;
  return { companyId, companyUid, email, admin, signIn, params, expirationDate, pay, calculate, save, read };
}

/** What the processor itself has taken for a company's license. */
const bookOf = async (companyUid: string) =>
  (
    await rowsOf<{ n: number; sum: string }>(
      `select count(*)::int as n, coalesce(sum(amount), 0)::numeric(10,2) as sum from sandbox_charges
       where charge_key like 'license-' || $1 || '-%' and state = 'paid'`,
      companyUid,
    )
  )[0];

/** Answers the bank's question about the open charge. */
const answerBank = ({ payment }: License, passed: boolean) =>
  fetch(`${app.url}/sandbox/challenges/${payment?.actionToken}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ passed }),
  });

describe('calculateLicense', () => {
  test('returns providers x price less the discount, exact to the cent', async () => {
    const { calculate, expirationDate } = await build();
    expect((await calculate(3)).json).toEqual({
      subtotal: '361.50',
      discountRate: 0,
      discount: '0.00',
      total: '361.50',
      currency: 'USD',
      expirationDate: aYearAfter(expirationDate),
    });
    await buildPromo(context, { companyId: null, code: 'Third', discountRate: 33 });
    expect((await calculate(3, ' third ')).json).toMatchObject({
      discountRate: 33,
      discount: '119.30',
      total: '242.20',
    });
  });

  test.each([
    [1, '0.01', 50, '0.01', '0.00'],
    [9999, '10000', 0, '0.00', '99990000.00'],
    [3, '33.33', 33, '33.00', '66.99'],
    [2, '10', 100, '20.00', '0.00'],
    // A card cannot be charged less than 50 cents.
    [1, '49.40', 99, '49.40', '0.00'],
    [1, '50', 99, '49.50', '0.50'],
  ])('%i providers at %s less %i %%: %s off, %s due', (providers, price, discountRate, discount, total) => {
    expect(priceOf({ providers, price, currency: 'USD', discountRate })).toMatchObject({ discount, total });
  });

  test('number of providers: whole, from 1 to 9999, and not fewer than are enabled', async () => {
    const { companyId, calculate } = await build();
    for (const wrong of [0, 10_000, 1.5])
      expect((await calculate(wrong)).problem.fields).toEqual({ 'user.company.providerCount': 'Not valid' });
    await buildUser(context, { companyId });
    await buildUser(context, { companyId });
    await buildUser(context, { companyId, disabled: true });
    const refused = await calculate(1);
    expect([refused.problem.code, refused.problem.fields?.['providerCount']]).toEqual([
      'providers-in-use',
      expect.stringContaining('Enter at least as many'),
    ]);
    expect((await calculate(2)).status).toBe(200);
  });

  test.each([
    ['unknown', undefined],
    ['of a company', {}],
    ['disabled', { disabled: true }],
    ['over', { expirationDate: '2020-01-01' }],
  ])('promo code that is %s: is not valid', async (what, values) => {
    const { companyId, calculate, pay } = await build();
    const code = `LICENSE ${what}`;
    if (values) await buildPromo(context, { companyId: what === 'of a company' ? companyId : null, code, ...values });
    expect((await calculate(2, code)).problem.code).toBe('promo-not-valid');
    expect((await pay({ promoCode: { code } })).problem.code).toBe('promo-not-valid');
  });

  test('guessing promo codes: is slowed down', async () => {
    onTestFinished(clock.freeze());
    const { calculate } = await build();
    for (let guess = 0; guess < 11; guess += 1) await calculate(1, `guess ${guess}`);
    expect((await calculate(1, 'guess')).problem.code).toBe('too-many');
  });

  test('guessing promo codes between valid ones: is slowed down; valid ones are not counted', async () => {
    onTestFinished(clock.freeze());
    const { calculate } = await build();
    await buildPromo(context, { companyId: null, code: 'LICENSE known' });
    for (let valid = 0; valid < 11; valid += 1) expect((await calculate(1, 'LICENSE known')).status).toBe(200);
    for (let guess = 0; guess < 10; guess += 1) {
      await calculate(1, `guess ${guess}`);
      if (guess === 8) expect((await calculate(1, 'LICENSE known')).status).toBe(200);
    }
    expect((await calculate(1, 'guess')).problem.code).toBe('too-many');
  });
});

test.each([
  ['2031-03-10', '2031-03-01', '2032-03-10'],
  ['2031-03-01', '2031-03-10', '2032-03-10'],
  ['2031-03-10', '2031-03-10', '2032-03-10'],
  ['2028-02-29', '2028-01-01', '2029-02-28'],
  ['2027-02-28', '2027-01-01', '2028-02-28'],
])('license until %s that is renewed on %s: ends on %s', (expirationDate, today, endsOn) => {
  expect(licenseYear({ expirationDate, today }).endsOn).toBe(endsOn);
});

describe('accountPay', () => {
  test('approved card: returns the new expiration date; the license, the invoice and the audit log follow @CALL-26', async () => {
    const { companyId, companyUid, admin, params, calculate, pay, read, expirationDate } = await build();
    const endsOn = aYearAfter(expirationDate);
    expect((await calculate(3)).json).toMatchObject({ total: '361.50', expirationDate: endsOn });
    expect((await pay({ providers: 3, amount: '361.50' })).json).toEqual({
      state: 'paid',
      expirationDate: endsOn,
      actionToken: null,
      chargedBackup: false,
    });
    expect(await read()).toMatchObject({ expirationDate: endsOn, providerCount: 3, expired: false, payment: null });
    expect(await bookOf(companyUid)).toEqual({ n: 1, sum: '361.50' });
    const [row] = (await admin.call(listInvoices, { params })).json.data;
    expect(row).toMatchObject({ providers: 3, startsOn: expirationDate, endsOn, total: '361.50', date: utcDay(0) });
    expect((await admin.call(getInvoice, { params: { number: row?.number ?? 0 } })).json).toMatchObject({
      companyName: 'Test Clinic',
      issuer: 'localhost',
      price: '120.50',
      subtotal: '361.50',
      discount: '0.00',
      automatic: false,
      cardBrand: 'visa',
      cardLast4: '4242',
    });
    const actions = await rowsOf<{ action: string }>(
      "select action from audit_log where company_id = $1 and action in ('accountPay', 'chargePaid')",
      companyId,
    );
    expect(actions.map(({ action }) => action).toSorted()).toEqual(['accountPay', 'chargePaid']);
    // The same page again, in another tab, buys nothing.
    expect((await pay({ providers: 3, amount: '361.50' })).problem.code).toBe('license-changed');
    expect(await bookOf(companyUid)).toEqual({ n: 1, sum: '361.50' });
  });

  test('20 simultaneous purchases: one is charged', async () => {
    const { companyUid, pay, read, expirationDate } = await build();
    await Promise.all(Array.from({ length: 20 }, () => pay()));
    expect(await bookOf(companyUid)).toEqual({ n: 1, sum: '241.00' });
    expect((await read()).expirationDate).toBe(aYearAfter(expirationDate));
  });

  test('expired company: pays, and works again immediately', async () => {
    const { admin, signIn, pay, read } = await build({ expirationDate: utcDay(0) });
    const listed = { query: { top: 5, skip: 0 } };
    expect(await read()).toMatchObject({ expired: true });
    expect((await admin.call(listPatients, listed)).problem.code).toBe('license-expired');
    expect((await pay()).json).toMatchObject({ state: 'paid', expirationDate: aYearAfter(utcDay(0)) });
    expect((await admin.call(listPatients, listed)).status).toBe(200);
    expect((await (await signIn()).call(getSignIn)).json.company?.expired).toBe(false);
  });

  test('license that ended long ago: is valid for a year from today', async () => {
    const { pay } = await build({ expirationDate: '2020-05-05' });
    expect((await pay({ expirationDate: '2020-05-05' })).json.expirationDate).toBe(aYearAfter(utcDay(0)));
  });

  test.each([
    ['declined', 'card-declined'],
    ['insufficient', 'card-insufficient-funds'],
    ['expired', 'card-expired'],
    ['code', 'card-code-wrong'],
    ['error', 'card-error'],
  ])('card %s: is refused with %s; the license stays, and another card can pay', async (outcome, code) => {
    const { companyUid, pay, read, expirationDate } = await build();
    const { status, problem } = await pay({ card: { token: cardToken(outcome) } });
    expect([status, problem.code]).toEqual([402, code]);
    expect(await read()).toMatchObject({ expirationDate, payment: null, providerCount: 2 });
    expect((await pay()).json.state).toBe('paid');
    expect(await bookOf(companyUid)).toEqual({ n: 1, sum: '241.00' });
  });

  test('declined card: the backup is charged, and never both', async () => {
    const { companyUid, admin, params, pay, save } = await build();
    await save('primary', 'declined', '0002');
    await save('backup', 'paid', '4444');
    const [primary, backup] = (await admin.call(getPaymentCards, { params })).json.data;
    const cards = { card: { cardId: primary?.cardId ?? 0 }, backup: { cardId: backup?.cardId ?? 0 } };
    expect((await pay(cards)).json).toMatchObject({ state: 'paid', chargedBackup: true });
    expect(await bookOf(companyUid)).toEqual({ n: 1, sum: '241.00' });
    const [invoice] = (await admin.call(listInvoices, { params })).json.data;
    const shown = await admin.call(getInvoice, { params: { number: invoice?.number ?? 0 } });
    expect(shown.json.cardLast4).toBe('4444');

    const both = await build();
    const backupToken = { token: cardToken() };
    expect((await both.pay({ backup: backupToken })).json).toMatchObject({ state: 'paid', chargedBackup: false });
    expect(await bookOf(both.companyUid)).toEqual({ n: 1, sum: '241.00' });
    // The answer about the first card is lost: whether it was charged is not known, so the backup is not.
    const lost = await build();
    const sent = { card: { token: cardToken('silent') }, backup: { token: cardToken() } };
    expect((await lost.pay(sent)).json.state).toBe('processing');
    expect((await lost.admin.call(settleLicense, { params: lost.params, body: { endedCharges: 0 } })).json.state).toBe(
      'paid',
    );
    expect(await bookOf(lost.companyUid)).toEqual({ n: 1, sum: '241.00' });
  });

  test('3-D Secure: waits for the bank; approved it is paid, refused it is not', async () => {
    const { admin, companyUid, params, pay, read, expirationDate } = await build();
    const confirm = async (passed: boolean) => {
      await answerBank(await read(), passed);
      return admin.call(settleLicense, { params, body: { endedCharges: 0 } });
    };
    const card = { token: cardToken('confirm') };
    expect((await pay({ card })).json).toMatchObject({ state: 'action', expirationDate });
    // Another card is not charged meanwhile.
    expect((await pay()).json.state).toBe('action');
    expect((await confirm(false)).problem.code).toBe('card-not-confirmed');
    expect((await pay({ card })).json.state).toBe('action');
    expect((await confirm(true)).json).toMatchObject({ state: 'paid', expirationDate: aYearAfter(expirationDate) });
    expect(await bookOf(companyUid)).toEqual({ n: 1, sum: '241.00' });
  });

  test('settleLicense: the refusal of an earlier charge is not said of a request that has not arrived', async () => {
    const { admin, params, pay, read } = await build();
    expect((await pay({ card: { token: cardToken('declined') } })).problem.code).toBe('card-declined');
    const { endedCharges, expirationDate } = await read();
    const settle = (known: number) => admin.call(settleLicense, { params, body: { endedCharges: known } });
    expect((await settle(endedCharges)).json).toMatchObject({ state: 'paid', expirationDate });
    expect((await settle(endedCharges - 1)).problem.code).toBe('card-declined');
  });

  test('license for fewer providers that is being paid: no more than that can be enabled', async () => {
    const { companyId, admin, params, pay, read } = await build({ providerCount: 3 });
    for (const _ of [1, 2]) await buildUser(context, { companyId });
    const { userId } = await buildUser(context, { companyId, disabled: true });
    const enable = async () => {
      const { json } = await admin.call(getUser, { params: { userId } });
      return admin.call(saveUser, { body: { ...json, disabled: false } });
    };
    expect((await pay({ card: { token: cardToken('confirm') } })).json.state).toBe('action');
    expect((await enable()).problem.code).toBe('provider-limit');
    await answerBank(await read(), false);
    expect((await admin.call(settleLicense, { params, body: { endedCharges: 0 } })).problem.code).toBe(
      'card-not-confirmed',
    );
    expect((await enable()).status).toBe(200);
    expect(await read()).toMatchObject({ providerCount: 3, providersInUse: 3 });
  });

  test('lost answer and a closed page: the server itself asks again', async () => {
    const { pay, read, expirationDate } = await build();
    expect((await pay({ card: { token: cardToken('silent') } })).json.state).toBe('processing');
    clock.set(clock.now() + 21_000);
    await reconcileCharges(context);
    // The server's own job may have begun with it.
    await expect.poll(read).toMatchObject({ payment: null, expirationDate: aYearAfter(expirationDate) });
  });

  test('another amount than shown, fewer than enabled, no card: are refused', async () => {
    const { companyId, pay, params, admin } = await build();
    expect((await pay({ amount: '240.99' })).problem.code).toBe('amount-changed');
    expect((await pay({ card: null })).problem.fields).toEqual({ card: 'Required' });
    expect((await pay({ card: { cardId: 9_500_000_000 } })).status).toBe(404);
    for (const _ of [1, 2]) await buildUser(context, { companyId });
    expect((await pay({ providers: 1, amount: '120.50' })).problem.code).toBe('providers-in-use');
    expect((await admin.call(listInvoices, { params })).json.data).toEqual([]);
  });

  test('promo code: is used once by a payment, given back by a failed one; one for everything needs no card', async () => {
    const { pay, admin, params } = await build();
    const promoId = await buildPromo(context, { companyId: null, code: 'HALF', discountRate: 50, maxUses: 1 });
    const uses = async () =>
      (await rowsOf<{ uses: number }>('select uses from promo_codes where promo_id = $1', promoId))[0];
    const half = { promoCode: { code: 'half' }, amount: '120.50' };
    expect((await pay({ ...half, card: { token: cardToken('declined') } })).problem.code).toBe('card-declined');
    expect(await uses()).toEqual({ uses: 0 });
    expect((await pay(half)).json.state).toBe('paid');
    expect(await uses()).toEqual({ uses: 1 });
    const [invoice] = (await admin.call(listInvoices, { params })).json.data;
    const { json } = await admin.call(getInvoice, { params: { number: invoice?.number ?? 0 } });
    expect(json).toMatchObject({ promoCode: 'HALF', discountRate: 50, discount: '120.50', total: '120.50' });

    const free = await build();
    await buildPromo(context, { companyId: null, code: 'ALL', discountRate: 100 });
    const all = { promoCode: { code: 'ALL' }, amount: '0.00', card: null };
    expect((await free.pay(all)).json).toMatchObject({
      state: 'paid',
      expirationDate: aYearAfter(free.expirationDate),
    });
    expect(await bookOf(free.companyUid)).toEqual({ n: 0, sum: '0.00' });
  });

  test('company that has signed up: a payment ends its limit of messages, a license that costs nothing does not', async () => {
    await buildPromo(context, { companyId: null, code: 'FREE', discountRate: 100 });
    const { companyId, pay, read } = await build();
    await owner.query('insert into trials (company_id) values ($1)', [companyId]);
    const trials = () => rowsOf('select from trials where company_id = $1', companyId);
    expect((await pay({ promoCode: { code: 'FREE' }, amount: '0.00', card: null })).json.state).toBe('paid');
    expect(await trials()).toHaveLength(1);
    const { expirationDate } = await read();
    expect((await pay({ expirationDate })).json.state).toBe('paid');
    expect(await trials()).toEqual([]);
  });

  test('numbers of invoices: follow each other without gaps, whatever fails in between', async () => {
    const companies = await Promise.all(Array.from({ length: 6 }, () => build()));
    await Promise.all(
      companies.map(({ pay }, index) => pay({ card: { token: cardToken(index % 2 ? 'paid' : 'declined') } })),
    );
    const rows = await rowsOf<{ number: number }>(
      'select invoice_number::int as number from license_purchases where invoice_number is not null order by 1',
    );
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
  });

  test('Super: sees and buys the license of any company; another administrator finds none of it', async () => {
    const { companyId, params, pay, read, admin } = await build();
    const { email } = await buildUser(context, { companyId: null, password });
    const root = await app.signIn({ email, password });
    expect((await root.call(getLicense, { params })).json).toEqual(await read());
    expect((await pay({}, root)).json.state).toBe('paid');
    const [invoice] = (await root.call(listInvoices, { params })).json.data;
    const number = invoice?.number ?? 0;
    expect((await root.call(getInvoice, { params: { number } })).json.companyId).toBe(companyId);
    const other = await build();
    for (const attempt of [
      other.admin.call(getLicense, { params }),
      other.admin.call(getInvoice, { params: { number } }),
      other.pay({ user: { company: { companyId, providerCount: 2 } } }),
      admin.call(getLicense, { params: { companyId: 9_500_000_000 } }),
    ])
      expect((await attempt).status).toBe(404);
  });
});

describe('installation without a price', () => {
  test('license is free: no card is sent, and cards cannot be saved', async () => {
    const free = await startTestApp();
    const { pay, read, save, admin, params, expirationDate } = await build({}, free);
    expect(await read()).toMatchObject({ price: '0.00', processor: null });
    expect((await pay({ card: null, amount: '0.00', providers: 7 })).json).toMatchObject({
      state: 'paid',
      expirationDate: aYearAfter(expirationDate),
    });
    expect((await read()).providerCount).toBe(7);
    expect((await admin.call(listInvoices, { params })).json.data).toMatchObject([{ total: '0.00', providers: 7 }]);
    expect((await save('primary')).problem.code).toBe('license-payments-off');
  });
});

describe('payment cards', () => {
  test('are kept masked, replaced, and deleted while there are two @CALL-27', async () => {
    const { admin, params, save } = await build();
    expect((await admin.call(getPaymentCards, { params })).json.data).toEqual([]);
    expect((await save('primary', 'paid', '1111')).json.data).toEqual([
      {
        cardId: expect.any(Number),
        position: 'primary',
        brand: 'visa',
        cardNumber: 'XXXXXXXXXXXX1111',
        expDate: '12/2040',
      },
    ]);
    const only = (await admin.call(getPaymentCards, { params })).json.data[0];
    const remove = (cardId = 0) => admin.call(deletePaymentCard, { params: { ...params, cardId } });
    expect((await remove(only?.cardId)).problem.code).toBe('last-card');
    await save('backup', 'paid', '2222');
    const both = (await save('primary', 'paid', '3333')).json.data;
    expect(both.map(({ cardNumber }) => cardNumber.slice(-4))).toEqual(['3333', '2222']);
    // The replaced card is gone.
    expect((await remove(only?.cardId)).status).toBe(404);
    const left = (await remove(both[0]?.cardId)).json.data;
    expect(left).toMatchObject([{ position: 'primary', cardNumber: 'XXXXXXXXXXXX2222' }]);
    expect((await remove(left[0]?.cardId)).problem.code).toBe('last-card');
    const bad = { params, body: { position: 'primary', token: 'not_a_card_token' } } as const;
    expect((await admin.call(updatePaymentCard, bad)).problem.code).toBe('card-error');
  });

  test('transaction: has the user with the company, a promo code, and a card by its number here @ENTITY-7', async () => {
    const { companyId, save, pay, expirationDate } = await build();
    await buildPromo(context, { companyId: null, code: 'TENTH', discountRate: 10 });
    const [card] = (await save('primary')).json.data;
    // Masked, with its expiry; the code of a card is not kept.
    expect(Object.keys(card ?? {})).toEqual(['cardId', 'position', 'brand', 'cardNumber', 'expDate']);
    const transaction = {
      user: { company: { companyId, providerCount: 2 } },
      promoCode: { code: 'TENTH' },
      card: { cardId: card?.cardId ?? 0 },
    };
    expect((await pay({ ...transaction, amount: '216.90' })).json).toMatchObject({
      state: 'paid',
      expirationDate: aYearAfter(expirationDate),
    });
  });

  test('cards of another account of the installation: are not shown, since that account cannot charge them', async () => {
    const { companyId, admin, params, save } = await build();
    await save('primary');
    await owner.query("update payment_cards set account = 'earlier' where company_id = $1", [companyId]);
    expect((await admin.call(getPaymentCards, { params })).json.data).toEqual([]);
    expect((await save('backup')).json.data).toMatchObject([{ position: 'backup' }]);
  });

  test('a card number in the place of a token: is refused, and stored and logged nowhere', async () => {
    const { companyId, admin, params, save, pay } = await build();
    const number = '4242424242424242';
    await save('primary');
    const saved = await admin.call(updatePaymentCard, { params, body: { position: 'backup', token: number } });
    const paid = await pay({ card: { token: number } });
    expect([saved, paid].map(({ status }) => status)).toEqual([402, 402]);
    const rows = await rowsOf<{ row: string }>(
      `select to_jsonb(c)::text as row from charges c where company_id = $1
       union all select to_jsonb(p)::text from payment_cards p where company_id = $1`,
      companyId,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect([...rows.map(({ row }) => row), ...app.logged].filter((text) => text.includes(number))).toEqual([]);
  });
});

describe('automatic renewal', () => {
  const subjects = { will: 'notice', was: 'renewed', could: 'failed' } as const;
  /** What the administrator of a company was mailed, once it is as many as expected. */
  const expectMails = (email: string, expected: string[]) =>
    expect
      .poll(async () =>
        (
          await rowsOf<{ subject: string }>(
            `select subject from outbox where recipient like '%' || $1 || '%' and subject like 'The license of %'
             order by outbox_id`,
            email,
          )
        )
          .map(({ subject }) => subjects[/Clinic (will|was|could)/.exec(subject)?.[1] as 'will'])
          // Several mails are sent at the same time.
          .toSorted(),
      )
      .toEqual(expected.toSorted());
  /** The jobs of the next days at noon. */
  const passDays = async (days: number) => {
    for (let day = 0; day < days; day += 1) {
      clock.set(clock.now() + 86_400_000);
      await renewLicenses(context);
      await renewLicenses(context);
      // The server's own job may have been the first.
      await expect
        .poll(() =>
          rowsOf('select 1 from license_renewals where tried_on is not null and notified_on is distinct from tried_on'),
        )
        .toEqual([]);
    }
  };
  const buildRenewing = async (days: number) => {
    const built = await build({ expirationDate: utcDay(days) });
    await built.admin.call(saveRenewal, { params: built.params, body: { autoRenew: true } });
    return built;
  };

  test('is off by default: nothing is charged or mailed', async () => {
    const { email, companyUid, save, read } = await build();
    await save('primary');
    expect((await read()).autoRenew).toBe(false);
    await passDays(12);
    expect(await bookOf(companyUid)).toEqual({ n: 0, sum: '0.00' });
    await expectMails(email, []);
  });

  test('announces itself 14 days before, charges once 3 days before, and says how it ended', async () => {
    const { companyId, companyUid, email, expirationDate, save } = await buildRenewing(16);
    await save('primary');
    await passDays(1);
    await expectMails(email, []);
    await passDays(1);
    await expectMails(email, ['notice']);
    await passDays(10);
    expect(await bookOf(companyUid)).toEqual({ n: 0, sum: '0.00' });
    await expectMails(email, ['notice']);
    await passDays(3);
    await expect.poll(() => bookOf(companyUid)).toEqual({ n: 1, sum: '241.00' });
    await expectMails(email, ['notice', 'renewed']);
    const rows = await rowsOf('select expiration_date::text as day from companies where company_id = $1', companyId);
    expect(rows).toEqual([{ day: aYearAfter(expirationDate) }]);
  });

  test('several servers: charge once', async () => {
    const { companyUid, email, save } = await buildRenewing(4);
    await save('primary');
    await renewLicenses(context);
    clock.set(clock.now() + 86_400_000);
    await Promise.all(Array.from({ length: 5 }, () => renewLicenses(context)));
    await renewLicenses(context);
    await expect.poll(() => bookOf(companyUid)).toEqual({ n: 1, sum: '241.00' });
    await expectMails(email, ['notice', 'renewed']);
  });

  test('declined card: the backup is charged; without one it is tried once a day, and each failure is mailed', async () => {
    const two = await buildRenewing(4);
    await two.save('primary', 'declined', '0002');
    await two.save('backup');
    const one = await buildRenewing(4);
    await one.save('primary', 'declined', '0002');
    const none = await buildRenewing(4);
    await renewLicenses(context);
    await passDays(2);
    await expect.poll(() => bookOf(two.companyUid)).toEqual({ n: 1, sum: '241.00' });
    await expectMails(two.email, ['notice', 'renewed']);
    await expectMails(one.email, ['notice', 'failed', 'failed']);
    await expectMails(none.email, ['notice', 'failed', 'failed']);
    const tries = await rowsOf<{ n: number }>(
      "select count(*)::int as n from charges where company_id = $1 and purpose = 'license'",
      one.companyId,
    );
    expect(tries).toEqual([{ n: 2 }]);
    await passDays(12);
    // A week after the expiry it gives up.
    await expectMails(one.email, ['notice', ...Array.from({ length: 11 }, () => 'failed')]);
  });

  test('bank that asks for a confirmation: cannot ask anyone, so that the renewal fails', async () => {
    const { companyUid, email, save } = await buildRenewing(4);
    await save('primary', 'confirm', '3155');
    await renewLicenses(context);
    await passDays(1);
    expect(await bookOf(companyUid)).toEqual({ n: 0, sum: '0.00' });
    await expectMails(email, ['notice', 'failed']);
  });

  test('server that was killed while it charged: the next one finishes, charges once and tells it', async () => {
    const { companyUid, email, save } = await buildRenewing(4);
    await save('primary', 'silent');
    await renewLicenses(context);
    clock.set(clock.now() + 86_400_000);
    await renewLicenses(context);
    await expectMails(email, ['notice']);
    clock.set(clock.now() + 21_000);
    await reconcileCharges(context);
    clock.set(clock.now() + 16 * 60_000);
    await renewLicenses(context);
    await expect.poll(() => bookOf(companyUid)).toEqual({ n: 1, sum: '241.00' });
    await expectMails(email, ['notice', 'renewed']);
  });

  test('other number of providers after the notice: is announced again before it is charged', async () => {
    const { companyId, companyUid, email, save } = await buildRenewing(4);
    await save('primary');
    await renewLicenses(context);
    await owner.query('update companies set provider_count = 3 where company_id = $1', [companyId]);
    await passDays(1);
    expect(await bookOf(companyUid)).toEqual({ n: 0, sum: '0.00' });
    await expectMails(email, ['notice', 'notice']);
    await passDays(1);
    await expect.poll(() => bookOf(companyUid)).toEqual({ n: 1, sum: '361.50' });
  });
});
