import {
  accountPay,
  deletePaymentCard,
  getLicense,
  getPaymentCards,
  listInvoices,
  saveRenewal,
  settleLicense,
  updatePaymentCard,
} from '@roomside/contract/licenses/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startAtNoon } from '../../../test/start-at-noon.ts';
import { startStripe } from '../../../test/stripe-server.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildUser } from '../../demo/builders.ts';
import { reconcileCharges } from '../payments/reconcile.ts';
import { renewLicenses } from './renew.ts';

const stripe = await startStripe();
const app = await startTestApp({
  env: {
    STRIPE_URL: stripe.url,
    LICENSE_PRICE: '120.50',
    LICENSE_PROCESSOR: 'stripe',
    LICENSE_USER: 'pk_test_1',
    LICENSE_PASSWORD: stripe.secret,
  },
});
const { context, clock } = app;
startAtNoon(clock);
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
afterAll(async () => {
  await owner.end();
  await stripe.close();
});

const day = (offset: number) => new Date(clock.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** A company in UTC whose license ends in some days, with an administrator. */
async function build(daysLeft = 40) {
  const expirationDate = day(daysLeft);
  const { companyId, companyUid } = await buildCompany(context, { timeZone: 'UTC', providerCount: 2, expirationDate });
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const signIn = () => app.signIn({ email, password });
  const admin = await signIn();
  const params = { companyId };
  const save = async (position: 'primary' | 'backup', card: string) =>
    (await admin.call(updatePaymentCard, { params, body: { position, token: `pm_card_${card}` } })).json.data;
  const cards = async () => (await admin.call(getPaymentCards, { params })).json.data;
  type Card = { token: string } | { cardId: number };
  const pay = (card: Card, backup: Card | null = null) =>
    admin.call(accountPay, {
      body: {
        user: { company: { companyId, providerCount: 2 } },
        promoCode: null,
        card,
        backup,
        amount: '241.00',
        expirationDate,
      },
    });
  const intents = () => [...stripe.intents.values()].filter(({ key }) => key.startsWith(`license-${companyUid}-`));
  const read = async () => (await admin.call(getLicense, { params })).json;
  return { admin, signIn, params, expirationDate, save, cards, pay, intents, read };
}

test('cards: are kept as customers, charged by their references, and deleted at Stripe with the card', async () => {
  const { admin, params, save, cards, pay, intents } = await build();
  const before = stripe.customers.size;
  await save('primary', 'declined');
  await save('backup', 'paid');
  expect(stripe.customers.size - before).toBe(2);
  const [primary, backup] = await cards();
  const both = [{ cardId: primary?.cardId ?? 0 }, { cardId: backup?.cardId ?? 0 }] as const;
  expect((await pay(...both)).json).toMatchObject({ state: 'paid', chargedBackup: true });
  expect(intents().map(({ status }) => status)).toEqual(['requires_payment_method', 'succeeded']);
  expect((await admin.call(listInvoices, { params })).json.data).toHaveLength(1);

  // A replaced card and a deleted one: no card stays at Stripe that the company does not see.
  await save('primary', 'paid');
  expect(stripe.customers.size - before).toBe(2);
  const [, second] = await cards();
  const deleted = await admin.call(deletePaymentCard, { params: { ...params, cardId: second?.cardId ?? 0 } });
  expect(deleted.json.data).toHaveLength(1);
  expect(stripe.customers.size - before).toBe(1);
  expect([...stripe.customers.values()].at(-1)).toBe('pm_kept_card_paid');
});

test('a card that Stripe has deleted: its deletion here succeeds, and a payment with it is refused', async () => {
  const { admin, params, save, cards, pay } = await build();
  await save('primary', 'paid');
  await save('backup', 'paid');
  for (const customer of [...stripe.customers.keys()].slice(-2)) stripe.customers.delete(customer);
  const [primary, backup] = await cards();
  expect((await pay({ cardId: primary?.cardId ?? 0 })).problem.code).toBe('card-error');
  const deleted = await admin.call(deletePaymentCard, { params: { ...params, cardId: backup?.cardId ?? 0 } });
  expect(deleted.status).toBe(200);
});

test('lost answer: is asked again with the same key, and charged once', async () => {
  const { pay, intents, read, expirationDate } = await build();
  // The package itself repeats a request once.
  stripe.loseAnswers(2);
  expect((await pay({ token: 'pm_card_paid' })).json.state).toBe('processing');
  clock.set(clock.now() + 21_000);
  await reconcileCharges(context);
  // The server's own job may have begun with it.
  await expect.poll(async () => (await read()).expirationDate > expirationDate).toBe(true);
  expect(intents()).toHaveLength(1);
});

test('bank that asks: the license waits for the answer', async () => {
  const { admin, params, pay, intents, read } = await build();
  expect((await pay({ token: 'pm_card_confirm' })).json.state).toBe('action');
  const [intent] = intents();
  expect((await read()).payment).toMatchObject({ state: 'action', actionToken: `${intent?.id}_secret_x` });
  Object.assign(intent ?? {}, { status: 'succeeded' });
  expect((await admin.call(settleLicense, { params, body: { endedCharges: 0 } })).json.state).toBe('paid');
});

test('automatic renewal that a restored database does not have: is found at Stripe, and not charged again', async () => {
  const { admin, params, save, intents, expirationDate } = await build(8);
  await save('primary', 'paid');
  await admin.call(saveRenewal, { params, body: { autoRenew: true } });
  await renewLicenses(context);
  clock.set(clock.now() + 5 * 86_400_000);
  await renewLicenses(context);
  await expect.poll(() => intents().map(({ status }) => status)).toEqual(['succeeded']);
  const stored = () =>
    context.db.open({ kind: 'job', ...params }, async (tx) => {
      const { expiration_date } = await tx
        .selectFrom('companies')
        .select('expiration_date')
        .where('company_id', '=', params.companyId)
        .executeTakeFirstOrThrow();
      return expiration_date;
    });
  await expect.poll(async () => (await stored()) > expirationDate).toBe(true);
  // As a restore does, from a backup of more than a day ago.
  for (const table of ['license_purchases', 'charges'])
    await owner.query(`delete from ${table} where company_id = $1`, [params.companyId]);
  await owner.query(
    'update license_renewals set tried_on = null, tried_at = null, notified_on = null where company_id = $1',
    [params.companyId],
  );
  await owner.query('update companies set expiration_date = $1 where company_id = $2', [
    expirationDate,
    params.companyId,
  ]);
  stripe.forgetKeys();
  await renewLicenses(context);
  await expect.poll(async () => (await stored()) > expirationDate).toBe(true);
  expect(intents()).toHaveLength(1);
  expect(stripe.wrong).toEqual([]);
});

test('declined card whose answer took long: the backup is charged', async () => {
  const { save, cards, pay, intents } = await build();
  await save('primary', 'declined');
  await save('backup', 'paid');
  stripe.runBefore('/v1/payment_intents', async () => clock.set(clock.now() + 16_000));
  const [primary, backup] = await cards();
  const both = [{ cardId: primary?.cardId ?? 0 }, { cardId: backup?.cardId ?? 0 }] as const;
  expect((await pay(...both)).json).toMatchObject({ state: 'paid', chargedBackup: true });
  expect(intents().map(({ status }) => status)).toEqual(['requires_payment_method', 'succeeded']);
});

test('automatic renewal by an account without search: is charged', async () => {
  stripe.allowSearch(false);
  onTestFinished(() => stripe.allowSearch(true));
  const { admin, params, save, intents } = await build(8);
  await save('primary', 'paid');
  await admin.call(saveRenewal, { params, body: { autoRenew: true } });
  await renewLicenses(context);
  clock.set(clock.now() + 5 * 86_400_000);
  await renewLicenses(context);
  await expect.poll(() => intents().map(({ status }) => status)).toEqual(['succeeded']);
});

test('automatic renewal: charges the kept card without a person', async () => {
  const { admin, signIn, params, save, intents, expirationDate } = await build(8);
  await save('primary', 'paid');
  await admin.call(saveRenewal, { params, body: { autoRenew: true } });
  // Announced on the first day, charged three days before the end.
  await renewLicenses(context);
  const announced = () =>
    context.db.open({ kind: 'job', ...params }, (tx) =>
      tx.selectFrom('license_renewals').select('noticed_on').where('company_id', '=', params.companyId).execute(),
    );
  await expect.poll(announced).toHaveLength(1);
  clock.set(clock.now() + 5 * 86_400_000);
  await renewLicenses(context);
  // The server's own job may be at it.
  await expect.poll(() => intents().map(({ status, amount }) => [status, amount])).toEqual([['succeeded', 24_100]]);
  const asked = stripe.requests.findLast(({ path, method }) => path === '/v1/payment_intents' && method === 'POST');
  expect(asked?.params).toMatchObject({ off_session: 'true', payment_method: 'pm_kept_card_paid' });
  const again = await signIn();
  const ends = async () => (await again.call(getLicense, { params })).json.expirationDate;
  await expect.poll(async () => (await ends()) > expirationDate).toBe(true);
  expect(stripe.wrong).toEqual([]);
});
