import { getAppointment, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import { listAttention } from '@roomside/contract/numbers/calls.ts';
import {
  getPayment,
  getReceipt,
  patientPay,
  refundAppointment,
  settlePayment,
} from '@roomside/contract/payments/calls.ts';
import pg from 'pg';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPromo } from '../../../test/build-promo.ts';
import { startMailPeer } from '../../../test/message-peers.ts';
import { startStripe } from '../../../test/stripe-server.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { reconcileCharges } from './reconcile.ts';

const stripe = await startStripe();
const mail = await startMailPeer();
const app = await startTestApp({
  env: { STRIPE_URL: stripe.url, SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>' },
});
const { context, clock } = app;
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
afterAll(async () => {
  await owner.end();
  await stripe.close();
});

const keys = { paymentProcessor: 'stripe' as const, pmtUser: 'pk_test_1', pmtPassword: stripe.secret };

/** A company with an account at Stripe, and an appointment of 50 dollars. */
async function build() {
  const { companyId, companyUid } = await buildCompany(context);
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const admin = await app.signIn({ email, password });
  const save = async (values: object) => {
    const { json } = await admin.call(getCompany, { params: { companyId: 0 } });
    const { providerCount: _1, expirationDate: _2, supportEmail: _3, smsPhone: _4, allowReq: _5, ...rest } = json;
    const { frontEndUrl: _6, disabled: _7, ...own } = rest;
    return admin.call(saveCompany, { body: { ...own, ...values } });
  };
  const saved = await save(keys);
  expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
  const address = `${companyUid}@example.test`;
  const { patientId } = await buildPatient(context, { companyId, email: address });
  const appointment = await buildAppointment(context, { companyId, patientId, fee: '50' });
  const patient = await app.signInPatient(appointment.accessCode);
  const params = { uid: appointment.appointmentUid };
  const pay = (token: string) =>
    patient.call(patientPay, { params, body: { token, promoCode: null, amount: '50.00' } });
  const intent = () => [...stripe.intents.values()].findLast(({ key }) => key.startsWith(appointment.appointmentUid));
  return { ...appointment, companyId, companyUid, address, admin, patient, params, save, pay, intent };
}
type Built = Awaited<ReturnType<typeof build>>;

/** Sends a signed message as Stripe does. */
async function sendEvent(
  { companyUid }: Built,
  type: string,
  object: object,
  more: { secret?: string; at?: number } = {},
) {
  const endpoint = [...stripe.endpoints.values()].find(({ url }) => url.endsWith(companyUid));
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
  const header = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: more.secret ?? endpoint?.secret ?? '',
    timestamp: Math.floor((more.at ?? clock.now()) / 1000),
  });
  const response = await fetch(`${app.url}/api/payment-webhooks/stripe/${companyUid}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': header },
    body: payload,
  });
  return response.status;
}
const stateOf = async ({ appointmentId }: Built) =>
  (
    await owner.query<{ state: string; collected: string }>(
      `select c.state, a.collected::text from charges c join appointments a using (appointment_id)
       where c.appointment_id = $1 order by c.charge_id desc limit 1`,
      [appointmentId],
    )
  ).rows[0];

describe('keys of a company', () => {
  test('are checked when they are saved, sealed, and never sent back', async () => {
    const { admin, companyId, save } = await build();
    const { json } = await admin.call(getCompany, { params: { companyId: 0 } });
    expect(json).toMatchObject({ paymentProcessor: 'stripe', pmtUser: 'pk_test_1', hasPmtPassword: true });
    expect(JSON.stringify(json)).not.toContain(stripe.secret);
    const { rows } = await owner.query('select payment_password from companies where company_id = $1', [companyId]);
    expect(String(rows[0].payment_password)).not.toContain(stripe.secret);
    expect((await save({ ...keys, pmtPassword: 'sk_test_wrong' })).problem).toMatchObject({
      code: 'wrong-processor-keys',
      fields: { pmtPassword: expect.stringContaining('does not accept these keys') },
    });
    expect((await save({ ...keys, pmtUser: 'pk_live_1' })).problem.code).toBe('wrong-processor-keys');
    expect((await save({ ...keys, pmtUser: 'x'.repeat(101) })).problem.fields).toEqual({ pmtUser: 'Invalid' });
    // Left empty, the stored secret is kept.
    expect((await save({ ...keys, pmtPassword: '' })).status).toBe(200);
    expect((await save({ paymentProcessor: null, pmtUser: '' })).status).toBe(200);
    expect((await save({ ...keys, pmtPassword: '' })).problem.fields).toEqual({ pmtPassword: 'Required' });
  });

  test('a save that is refused as stale leaves the webhook at Stripe as it is', async () => {
    const built = await build();
    const endpointsOf = () => [...stripe.endpoints.values()].filter(({ url }) => url.endsWith(built.companyUid));
    const before = structuredClone(endpointsOf());
    expect(before).toHaveLength(1);
    expect((await built.save({ ...keys, version: 0 })).problem.code).toBe('stale');
    expect(endpointsOf()).toEqual(before);
    expect(await sendEvent(built, 'charge.dispute.created', { payment_intent: 'pi_unknown' })).toBe(204);
  });
});

test('a payment that begins while the keys are checked: the account stays, and so does its webhook', async () => {
  const built = await build();
  const endpointsOf = () => [...stripe.endpoints.values()].filter(({ url }) => url.endsWith(built.companyUid));
  const before = structuredClone(endpointsOf());
  stripe.runBefore('/v1/webhook_endpoints', async () => {
    expect((await built.pay('pm_card_confirm')).json.state).toBe('action');
  });
  const renamed = { ...keys, pmtUser: 'pk_test_2' };
  expect((await built.save(renamed)).problem.code).toBe('payments-unsettled');
  expect(endpointsOf()).toEqual(before);
  Object.assign(built.intent() ?? {}, { status: 'succeeded' });
  expect(
    (await built.patient.call(settlePayment, { params: built.params, body: { endedCharges: 0 } })).json.state,
  ).toBe('settled');
  expect((await built.save(renamed)).status).toBe(200);
  // One endpoint, with the secret that is stored.
  expect(endpointsOf()).toHaveLength(1);
  expect(endpointsOf()).not.toEqual(before);
  expect(await sendEvent(built, 'charge.dispute.created', { payment_intent: 'pi_unknown' })).toBe(204);
});

describe('charges', () => {
  test('approved charge: is sent with cents, currency and idempotency key, and recorded once', async () => {
    const built = await build();
    expect((await built.pay('pm_card_paid')).json).toMatchObject({ state: 'settled', paid: '50.00' });
    const asked = stripe.requests.findLast(({ path, method }) => path === '/v1/payment_intents' && method === 'POST');
    expect(asked?.key).toBe(`${built.appointmentUid}-1`);
    expect(asked?.params).toMatchObject({
      amount: '5000',
      currency: 'usd',
      confirm: 'true',
      payment_method: 'pm_card_paid',
    });
  });

  test.each([
    ['pm_card_declined', 'card-declined'],
    ['pm_card_insufficient', 'card-insufficient-funds'],
    ['pm_card_expired', 'card-expired'],
    ['pm_card_code', 'card-code-wrong'],
    ['pm_card_error', 'card-error'],
    ['pm_card_unknown', 'card-error'],
  ])('%s: is refused with %s', async (token, code) => {
    const { pay } = await build();
    expect((await pay(token)).problem.code).toBe(code);
  });

  test('3-D Secure: waits; passed it is paid, failed it is not, unanswered it is given up', async () => {
    const one = await build();
    expect((await one.pay('pm_card_confirm')).json).toMatchObject({
      state: 'action',
      actionToken: expect.stringMatching(/_secret_/),
    });
    Object.assign(one.intent() ?? {}, { status: 'succeeded' });
    expect((await one.patient.call(settlePayment, { params: one.params, body: { endedCharges: 0 } })).json.state).toBe(
      'settled',
    );
    const two = await build();
    await two.pay('pm_card_confirm');
    const failed = { status: 'requires_payment_method', failure: 'payment_intent_authentication_failure' };
    Object.assign(two.intent() ?? {}, failed);
    const { problem } = await two.patient.call(settlePayment, { params: two.params, body: { endedCharges: 0 } });
    expect(problem.code).toBe('card-not-confirmed');
    const three = await build();
    await three.pay('pm_card_confirm');
    clock.set(clock.now() + 31 * 60_000);
    await reconcileCharges(context);
    // The server's own job may have begun with it.
    const states = async () => [three.intent()?.status, (await stateOf(three))?.state];
    await expect.poll(states).toEqual(['canceled', 'failed']);
  });

  test('3-D Secure of a payment that was deleted at Stripe, as test data are: is given up, and the others go on', async () => {
    const [one, two] = [await build(), await build()];
    for (const { pay } of [one, two]) expect((await pay('pm_card_confirm')).json.state).toBe('action');
    const deleted = one.intent()?.id ?? '';
    expect(stripe.intents.delete(deleted)).toBe(true);
    Object.assign(two.intent() ?? {}, { status: 'succeeded' });
    clock.set(clock.now() + 60_000);
    await reconcileCharges(context);
    await expect
      .poll(async () => [(await stateOf(one))?.state, (await stateOf(two))?.state])
      .toEqual(['failed', 'paid']);
  });

  test('lost answers: the same key is asked again, also by the server itself; charged once', async () => {
    const built = await build();
    // The package itself asks a second time.
    stripe.loseAnswers(2);
    expect((await built.pay('pm_card_paid')).json.state).toBe('processing');
    clock.set(clock.now() + 21_000);
    await reconcileCharges(context);
    await expect.poll(() => stateOf(built)).toEqual({ state: 'paid', collected: '50.00' });
    expect([...stripe.intents.values()].filter(({ key }) => key.startsWith(built.appointmentUid))).toHaveLength(1);
  });

  test('lost answer older than the life of a key: is looked for, not asked for again', async () => {
    const built = await build();
    stripe.loseAnswers(2);
    await built.pay('pm_card_paid');
    clock.set(clock.now() + 25 * 3_600_000);
    const before = stripe.requests.filter(
      ({ path, method }) => path === '/v1/payment_intents' && method === 'POST',
    ).length;
    await reconcileCharges(context);
    await expect.poll(() => stateOf(built)).toEqual({ state: 'paid', collected: '50.00' });
    const after = stripe.requests.filter(
      ({ path, method }) => path === '/v1/payment_intents' && method === 'POST',
    ).length;
    expect(after).toBe(before);
  });

  test('refund that Stripe has refused: is accepted when it is asked for again; a lost answer is asked by the same key', async () => {
    const built = await build();
    await built.pay('pm_card_paid');
    const { appointmentId } = built;
    const refund = () =>
      built.admin.call(refundAppointment, { params: { appointmentId }, body: { reason: 'Paid twice' } });
    stripe.refuseRefunds(1);
    expect((await refund()).problem.code).toBe('refund-failed');
    expect((await stateOf(built))?.state).toBe('paid');
    const asked = () =>
      stripe.requests.filter(
        ({ path, params }) => path === '/v1/refunds' && params['payment_intent'] === built.intent()?.id,
      );
    const before = asked().length;
    // The package itself asks a second time.
    stripe.loseAnswers(2);
    expect((await refund()).problem.code).toBe('refund-open');
    clock.set(clock.now() + 21_000);
    await reconcileCharges(context);
    await expect.poll(() => stateOf(built)).toEqual({ state: 'refunded', collected: '0.00' });
    expect(
      new Set(
        asked()
          .slice(before)
          .map(({ key }) => key),
      ).size,
    ).toBe(1);
    expect(new Set(asked().map(({ key }) => key)).size).toBe(2);
  });

  test('refund: is made once', async () => {
    const built = await build();
    await built.pay('pm_card_paid');
    const { appointmentId } = built;
    const refund = () =>
      built.admin.call(refundAppointment, { params: { appointmentId }, body: { reason: 'Paid twice' } });
    expect((await refund()).json.collected).toBe('0.00');
    expect(built.intent()?.refunded).toBe(true);
    expect((await refund()).problem.code).toBe('nothing-to-refund');
  });
});

describe('messages of Stripe', () => {
  test('wrong signature, old signature, unknown company: are refused and change nothing', async () => {
    const built = await build();
    await built.pay('pm_card_confirm');
    const intent = built.intent();
    Object.assign(intent ?? {}, { status: 'succeeded' });
    const object = { id: intent?.id, object: 'payment_intent', metadata: { charge_key: intent?.key } };
    const type = 'payment_intent.succeeded';
    expect(await sendEvent(built, type, object, { secret: 'whsec_wrong' })).toBe(400);
    expect(await sendEvent(built, type, object, { at: clock.now() - 3_600_000 })).toBe(400);
    expect(await sendEvent({ ...built, companyUid: '0'.repeat(32) }, type, object, { secret: 'x' })).toBe(404);
    expect((await stateOf(built))?.state).toBe('action');
    // Signed, and as often as it comes.
    for (let turn = 0; turn < 3; turn += 1) expect(await sendEvent(built, type, object)).toBe(204);
    expect(await stateOf(built)).toEqual({ state: 'paid', collected: '50.00' });
    expect((await built.patient.call(getPayment, { params: built.params })).json.state).toBe('settled');
  });

  test('a payment of another company: is not touched', async () => {
    const [one, two] = [await build(), await build()];
    await one.pay('pm_card_confirm');
    Object.assign(one.intent() ?? {}, { status: 'succeeded' });
    const object = { object: 'payment_intent', metadata: { charge_key: one.intent()?.key } };
    expect(await sendEvent(two, 'payment_intent.succeeded', object)).toBe(204);
    expect((await stateOf(one))?.state).toBe('action');
  });

  test('refunded and disputed at Stripe, in any order: what is recorded is what Stripe has now', async () => {
    const built = await build();
    await built.pay('pm_card_paid');
    const intent = built.intent();
    const object = { id: 'x', payment_intent: intent?.id };
    stripe.disputes.set(intent?.id ?? '', 'needs_response');
    await sendEvent(built, 'charge.dispute.created', object);
    expect((await stateOf(built))?.state).toBe('disputed');
    stripe.disputes.set(intent?.id ?? '', 'won');
    await sendEvent(built, 'charge.dispute.closed', object);
    // The first message once more, late.
    await sendEvent(built, 'charge.dispute.created', object);
    expect((await stateOf(built))?.state).toBe('paid');
    Object.assign(intent ?? {}, { refunded: true });
    await sendEvent(built, 'charge.refunded', object);
    await sendEvent(built, 'charge.refunded', object);
    expect(await stateOf(built)).toEqual({ state: 'refunded', collected: '0.00' });
    const { rows } = await owner.query<{ action: string }>(
      "select action from audit_log where company_id = $1 and action ~ '^(charge|dispute)' order by audit_id",
      [built.companyId],
    );
    // One row for each change, none for the message that came again.
    const changes = ['chargePaid', 'chargeDisputed', 'disputeWon', 'chargeRefunded'];
    expect(rows.map(({ action }) => action)).toEqual(changes);
  });
});

test('charge disputed while a refund is open, then won: administrators see that it was not refunded', async () => {
  const built = await build();
  await built.pay('pm_card_paid');
  const now = new Date(clock.now()).toISOString();
  await owner.query(
    "update charges set state = 'refunding', refund_asked_at = $1, asked_at = $1 where appointment_id = $2",
    [now, built.appointmentId],
  );
  const id = built.intent()?.id ?? '';
  stripe.disputes.set(id, 'needs_response');
  await sendEvent(built, 'charge.dispute.created', { id: 'x', payment_intent: id });
  expect((await stateOf(built))?.state).toBe('disputed');
  const kinds = async () => (await built.admin.call(listAttention)).json.data.map(({ kind }) => kind);
  expect(await kinds()).not.toContain('refund-refused');
  stripe.disputes.set(id, 'won');
  await sendEvent(built, 'charge.dispute.closed', { id: 'x', payment_intent: id });
  expect(await stateOf(built)).toEqual({ state: 'paid', collected: '50.00' });
  expect(await kinds()).toContain('refund-refused');
});

describe('a database that was restored to a state before a payment', () => {
  /** Takes everything of the payments of an appointment out of the database, as a restore does. */
  const restore = async ({ appointmentId }: Built) => {
    for (const table of ['ledger', 'charges'])
      await owner.query(`delete from ${table} where appointment_id = $1`, [appointmentId]);
    await owner.query("update appointments set external_transaction = '', collected = 0 where appointment_id = $1", [
      appointmentId,
    ]);
  };

  test('paid before: the next payment is recorded as that one, and no card is charged again', async () => {
    const built = await build();
    expect((await built.pay('pm_card_paid')).json.state).toBe('settled');
    await restore(built);
    expect((await built.patient.call(getPayment, { params: built.params })).json.state).toBe('due');
    expect((await built.pay('pm_card_another')).json.state).toBe('settled');
    expect(await stateOf(built)).toEqual({ state: 'paid', collected: '50.00' });
    expect([...stripe.intents.values()].filter(({ key }) => key.startsWith(built.appointmentUid))).toHaveLength(1);
  });

  test.each([
    ['declined', 'pm_card_declined', 50],
    ['of another amount', 'pm_card_paid', 80],
  ])('%s before: the payment is refused, and the next one is charged', async (_, card, fee) => {
    const built = await build();
    await built.pay(card);
    await restore(built);
    await owner.query('update appointments set fee = $1 where appointment_id = $2', [fee, built.appointmentId]);
    const pay = () =>
      built.patient.call(patientPay, {
        params: built.params,
        body: { token: 'pm_card_paid', promoCode: null, amount: `${fee}.00` },
      });
    const first = await pay();
    expect([first.status, first.problem.code]).toEqual([402, 'card-error']);
    expect((await pay()).json.state).toBe('settled');
    expect(await stateOf(built)).toEqual({ state: 'paid', collected: `${fee}.00` });
  });
});

describe('a refund that does not reach the card, days later', () => {
  const refund = ({ admin, appointmentId }: Built) =>
    admin.call(refundAppointment, { params: { appointmentId }, body: { reason: 'Paid twice' } });
  const fail = async (built: Built) => {
    const intent = built.intent();
    if (!intent) throw new Error('nothing was paid');
    Object.assign(intent, { refunded: false, refunds: intent.refunds.map(({ id }) => ({ id, status: 'failed' })) });
    return sendEvent(built, 'refund.failed', { id: 're_0', object: 'refund', payment_intent: intent.id });
  };
  const ledgerOf = async ({ appointmentId }: Built) =>
    (
      await owner.query<{ kind: string; amount: string }>(
        'select kind, amount::text from ledger where appointment_id = $1 order by ledger_id',
        [appointmentId],
      )
    ).rows.map(({ kind, amount }) => `${kind} ${amount}`);
  const kindsOf = async ({ admin }: Built) => (await admin.call(listAttention)).json.data.map(({ kind }) => kind);
  /** The mails about refunds that did not reach the card. */
  const mailsOf = ({ address }: Built) =>
    mail
      .to(address)
      .map(({ parts }) => parts.find(({ type }) => type.startsWith('text/plain'))?.text ?? '')
      .filter((text) => text.includes('did not reach your card'));

  test('is in the ledger again, once; administrators see it, the patient is notified; refunded again, it is over', async () => {
    const built = await build();
    await built.pay('pm_card_paid');
    expect((await refund(built)).json.collected).toBe('0.00');
    // A message for each of several reasons, and each more than once.
    for (let turn = 0; turn < 3; turn += 1) expect(await fail(built)).toBe(204);
    await sendEvent(built, 'charge.refunded', { id: 'x', payment_intent: built.intent()?.id });
    expect(await stateOf(built)).toEqual({ state: 'paid', collected: '50.00' });
    expect(await ledgerOf(built)).toEqual(['charge 50.00', 'refund -50.00', 'refund 50.00']);
    expect(await kindsOf(built)).toContain('refund-refused');
    await expect.poll(() => mailsOf(built)).toEqual([expect.stringMatching(/Not refunded yet:? *\$50\.00/)]);
    const receipt = (await built.admin.call(getReceipt, { params: built.params })).json;
    expect([receipt.paid, receipt.balance]).toEqual(['50.00', '0.00']);
    expect((await refund(built)).json.collected).toBe('0.00');
    expect(await kindsOf(built)).not.toContain('refund-refused');
    expect(await ledgerOf(built)).toEqual(['charge 50.00', 'refund -50.00', 'refund 50.00', 'refund -50.00']);
    // The card does not take the second one either.
    await fail(built);
    expect(await stateOf(built)).toEqual({ state: 'paid', collected: '50.00' });
    const { rows } = await owner.query<{ action: string }>(
      "select action from audit_log where company_id = $1 and action ~ '^(charge|refund)[A-Z]' and path = '' order by audit_id",
      [built.companyId],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'chargePaid',
      'chargeRefunded',
      'refundReturned',
      'chargeRefunded',
      'refundReturned',
    ]);
  });

  test('failed refund with a promo code: the discount is taken off again, as far as the fee leaves room for it', async () => {
    const built = await build();
    await buildPromo(context, { companyId: built.companyId, code: 'TEN', discountRate: 10 });
    const body = { token: 'pm_card_paid', promoCode: 'TEN', amount: '45.00' };
    expect((await built.patient.call(patientPay, { params: built.params, body })).json.state).toBe('settled');
    await refund(built);
    await fail(built);
    expect((await built.patient.call(getPayment, { params: built.params })).json).toMatchObject({
      state: 'settled',
      paid: '45.00',
      discount: '5.00',
      balance: '0.00',
    });
    await refund(built);
    // Paid at the clinic meanwhile.
    await owner.query(
      `insert into ledger (company_id, appointment_id, patient_id, kind, amount, occurred_at)
       select company_id, appointment_id, patient_id, 'manual', 3, now() from appointments where appointment_id = $1`,
      [built.appointmentId],
    );
    await owner.query('update appointments set collected = 3 where appointment_id = $1', [built.appointmentId]);
    await fail(built);
    expect(await stateOf(built)).toEqual({ state: 'paid', collected: '50.00' });
    expect((await ledgerOf(built)).slice(-2)).toEqual(['refund 45.00', 'promo 2.00']);
  });

  test('failed refund after another payment: more than the fee can be saved, and only what came back is refunded', async () => {
    const built = await build();
    await built.pay('pm_card_paid');
    const first = built.intent();
    await refund(built);
    await built.pay('pm_card_paid');
    Object.assign(first ?? {}, { refunded: false, refunds: [{ id: 're_1', status: 'failed' }] });
    await sendEvent(built, 'refund.failed', { id: 're_1', object: 'refund', payment_intent: first?.id });
    const read = async () =>
      (await built.admin.call(getAppointment, { params: { appointmentId: built.appointmentId }, query: {} })).json;
    const { json } = await built.admin.call(saveAppointment, { body: { ...(await read()), welcomeMessage: 'Hello' } });
    expect(json.appointmentId).toBe(built.appointmentId);
    expect(await read()).toMatchObject({ collected: '100.00', welcomeMessage: 'Hello', refundable: true });
    expect((await refund(built)).json.collected).toBe('50.00');
    expect([first?.refunded, built.intent()?.refunded]).toEqual([true, false]);
    expect(await kindsOf(built)).not.toContain('refund-refused');
  });

  test('failed refund after returned cash: administrators see it until it is returned by hand; no card gets it again', async () => {
    const built = await build();
    const { admin, appointmentId } = built;
    const params = { appointmentId };
    const setCollected = async (collected: string) => {
      const { json } = await admin.call(getAppointment, { params, query: {} });
      expect((await admin.call(saveAppointment, { body: { ...json, collected } })).status).toBe(200);
    };
    await built.pay('pm_card_paid');
    await refund(built);
    await setCollected('50.00');
    await setCollected('0.00');
    clock.set(clock.now() + 60_000);
    await fail(built);
    expect(await kindsOf(built)).toContain('refund-refused');
    clock.set(clock.now() + 60_000);
    await setCollected('0.00');
    expect(await kindsOf(built)).not.toContain('refund-refused');
    expect((await admin.call(getAppointment, { params, query: {} })).json.refundable).toBe(false);
    expect((await refund(built)).problem.code).toBe('nothing-to-refund');
  });

  test('failed refund whose accepted response was lost: is recorded as not made', async () => {
    const built = await build();
    await built.pay('pm_card_paid');
    // The package itself asks a second time.
    stripe.loseAnswers(2);
    expect((await refund(built)).problem.code).toBe('refund-open');
    await fail(built);
    clock.set(clock.now() + 21_000);
    await reconcileCharges(context);
    await expect.poll(() => stateOf(built)).toEqual({ state: 'paid', collected: '50.00' });
    expect(await kindsOf(built)).toContain('refund-refused');
    expect(mailsOf(built)).toEqual([]);
  });

  test('an old message that is read while a second refund is made: does not undo that one', async () => {
    const built = await build();
    await built.pay('pm_card_paid');
    await refund(built);
    const intent = built.intent();
    Object.assign(intent ?? {}, { refunded: false, refunds: [{ id: 're_1', status: 'failed' }] });
    const object = { id: 're_1', object: 'refund', payment_intent: intent?.id };
    await sendEvent(built, 'refund.failed', object);
    // The same message again: after Stripe was read for it, an administrator refunds the payment again.
    stripe.runAfter('/v1/disputes', async () => {
      expect((await refund(built)).json.collected).toBe('0.00');
    });
    expect(await sendEvent(built, 'refund.failed', object)).toBe(204);
    expect(await stateOf(built)).toEqual({ state: 'refunded', collected: '0.00' });
  });

  test('one of two refunds failed, the other returned the money: nothing changes', async () => {
    const built = await build();
    await built.pay('pm_card_paid');
    await refund(built);
    const intent = built.intent();
    intent?.refunds.unshift({ id: 're_first', status: 'failed' });
    await sendEvent(built, 'refund.failed', { id: 're_0', object: 'refund', payment_intent: intent?.id });
    expect(await stateOf(built)).toEqual({ state: 'refunded', collected: '0.00' });
  });
});

test('requests: have only parameters of Stripe’s description, and all that it requires', () => {
  expect(stripe.requests.length).toBeGreaterThan(50);
  expect(stripe.wrong).toEqual([]);
});
