import { getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import { checkPromo, getPayment, patientPay, refundAppointment } from '@roomside/contract/payments/calls.ts';
import { savePromo } from '@roomside/contract/promos/calls.ts';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { cardToken } from '../../../test/card-token.ts';
import { startMailPeer, startTextPeer } from '../../../test/message-peers.ts';
import { startStripe } from '../../../test/stripe-server.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { reconcileCharges } from './reconcile.ts';

const secret = 'sk_test_canaryOfTheSecretKey';
const stripe = await startStripe({ secret });
const mail = await startMailPeer();
const text = await startTextPeer();
const peers = { SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>', SMS_URL: text.url };
const app = await startTestApp({ env: { STRIPE_URL: stripe.url, ...peers } });
const { context, clock } = app;
const owner = new pg.Client(app.database.owner);
await owner.connect();
afterAll(async () => {
  await owner.end();
  await stripe.close();
});

const card = '4242424242424242';

test('payments of every kind: no secret key and no card number is in the database, in logs, mails and texts, or in a response', async () => {
  const { companyId } = await buildCompany(context);
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const admin = await app.signIn({ email, password });
  const responses: string[] = [];
  const keep = <T extends { text: string }>(answer: T): T => {
    responses.push(answer.text);
    return answer;
  };
  const save = async (values: object) => {
    const { json } = keep(await admin.call(getCompany, { params: { companyId: 0 } }));
    const { providerCount: _1, expirationDate: _2, supportEmail: _3, smsPhone: _4, allowReq: _5, ...rest } = json;
    const { frontEndUrl: _6, disabled: _7, ...own } = rest;
    return keep(await admin.call(saveCompany, { body: { ...own, ...values } }));
  };
  const keys = { paymentProcessor: 'stripe' as const, pmtUser: 'pk_test_1' };
  expect((await save({ ...keys, pmtPassword: secret })).status).toBe(200);
  // A wrong key is refused, and is not kept either.
  expect((await save({ ...keys, pmtPassword: `${secret}Wrong` })).status).toBe(422);

  const contact = { email: 'payer@example.test', phones: ['2125550188'] };
  const { patientId } = await buildPatient(context, { companyId, ...contact });
  const tokens = ['pm_card_paid', 'pm_card_declined', 'pm_card_confirm'];
  for (const token of tokens) {
    const built = await buildAppointment(context, { companyId, patientId, fee: '50' });
    const patient = await app.signInPatient(built.accessCode);
    const params = { uid: built.appointmentUid };
    keep(await patient.call(patientPay, { params, body: { token, promoCode: null, amount: '50.00' } }));
    // Numbers that people enter where they do not belong.
    keep(await patient.call(checkPromo, { params, body: { code: card } }));
    const { appointmentId } = built;
    const refused = keep(await admin.call(refundAppointment, { params: { appointmentId }, body: { reason: card } }));
    expect(refused.problem.code).toBe('card-number');
    keep(await admin.call(refundAppointment, { params: { appointmentId }, body: { reason: 'Paid twice' } }));
  }
  const promo = {
    patientPromoId: 0,
    version: 0,
    discountRate: 5,
    expirationDate: null,
    maxUses: null,
    disabled: false,
  };
  expect(keep(await admin.call(savePromo, { body: { ...promo, code: card } })).problem.code).toBe('card-number');
  stripe.loseAnswers(2);
  const late = await buildAppointment(context, { companyId, fee: '50' });
  const patient = await app.signInPatient(late.accessCode);
  const params = { uid: late.appointmentUid };
  keep(await patient.call(patientPay, { params, body: { token: 'pm_card_paid', promoCode: null, amount: '50.00' } }));
  clock.set(clock.now() + 21_000);
  await reconcileCharges(context);
  // The server's own job may have begun with it.
  await expect.poll(async () => (await patient.call(getPayment, { params })).json.state).toBe('settled');
  await save({ paymentProcessor: 'sandbox', pmtUser: '', pmtPassword: '' });
  const last = await buildAppointment(context, { companyId, patientId, fee: '50' });
  const other = await app.signInPatient(last.accessCode);
  const body = { token: cardToken(), promoCode: null, amount: '50.00' };
  keep(await other.call(patientPay, { params: { uid: last.appointmentUid }, body }));

  // Receipts of two payments by both ways, and the notice of a refund.
  await expect.poll(() => mail.mails.length).toBeGreaterThanOrEqual(3);
  await expect.poll(() => text.texts.length).toBeGreaterThanOrEqual(2);
  const sent = JSON.stringify([mail.mails, text.texts]);
  expect(sent).toContain('payer@example.test');

  const secrets = [secret, card, ...[...stripe.endpoints.values()].map((endpoint) => endpoint.secret)];
  expect(secrets).toHaveLength(3);
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
  );
  expect(tables.length).toBeGreaterThan(25);
  for (const { name } of tables) {
    const { rows } = await owner.query<{ text: string }>(`select t::text as text from ${name} t`);
    for (const one of secrets) {
      const hex = Buffer.from(one).toString('hex');
      const showing = rows.filter(({ text }) => text.includes(one) || text.includes(hex));
      expect([name, showing]).toEqual([name, []]);
    }
    // What is charged is forgotten with the end of the charge.
    if (name === 'public.charges') expect(rows.filter(({ text }) => /pm_card_paid|sbx_paid/.test(text))).toEqual([]);
  }
  for (const one of secrets) {
    expect(app.logged.filter((line) => line.includes(one))).toEqual([]);
    expect(responses.filter((response) => response.includes(one))).toEqual([]);
    expect(sent).not.toContain(one);
  }
  expect(app.logged.length).toBeGreaterThan(20);
});
