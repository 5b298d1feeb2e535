import {
  deleteAppointment,
  downloadAppointments,
  getAppointment,
  listAppointments,
  notifyAppointment,
  saveAppointment,
} from '@roomside/contract/appointments/calls.ts';
import { getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import { cancelMyAppointment, listUpcomingAppointments } from '@roomside/contract/my-appointments/calls.ts';
import { listAttention } from '@roomside/contract/numbers/calls.ts';
import {
  checkPromo,
  getPayment,
  getReceipt,
  listPaymentProcessors,
  patientPay,
  refundAppointment,
  settlePayment,
} from '@roomside/contract/payments/calls.ts';
import { getTeleappointment } from '@roomside/contract/room/calls.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPromo } from '../../../test/build-promo.ts';
import { cardToken } from '../../../test/card-token.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import {
  type AppointmentValues,
  buildAppointment,
  buildCompany,
  buildUser,
  type CompanyValues,
} from '../../demo/builders.ts';
import { reconcileCharges } from './reconcile.ts';

const app = await startTestApp();
const { context, clock } = app;
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
afterAll(() => owner.end());

/** A company that takes payments, with an appointment of 50 dollars. */
async function build(values: AppointmentValues = {}, company: CompanyValues = {}) {
  const { companyId } = await buildCompany(context, { paymentProcessor: 'sandbox', ...company });
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const appointment = await buildAppointment(context, { companyId, fee: '50', ...values });
  const params = { uid: appointment.appointmentUid };
  const patient = await app.signInPatient(appointment.accessCode);
  const pay = (outcome: string, more: { promoCode?: string; amount?: string; by?: Person } = {}) =>
    (more.by ?? patient).call(patientPay, {
      params,
      body: {
        token: outcome === '' ? null : cardToken(outcome),
        promoCode: more.promoCode ?? null,
        amount: more.amount ?? '50.00',
      },
    });
  const read = async () => (await patient.call(getPayment, { params })).json;
  return { ...appointment, admin: await app.signIn({ email, password }), patient, params, pay, read };
}

const rowsOf = async <Row>(text: string, ...values: unknown[]) => (await owner.query(text, values)).rows as Row[];
const ledgerOf = (appointmentId: number) =>
  rowsOf<{ kind: string; amount: string }>(
    'select kind, amount from ledger where appointment_id = $1 order by ledger_id',
    appointmentId,
  );
/** What the processor itself has: the sum that it took and did not return. */
const bookOf = async (uid: string) =>
  (
    await rowsOf<{ n: number; sum: string }>(
      `select count(*)::int as n, coalesce(sum(amount), 0)::numeric(10,2) as sum from sandbox_charges
       where charge_key like $1 || '-%' and state = 'paid'`,
      uid,
    )
  )[0];
const auditOf = async (companyId: number) =>
  (
    await rowsOf<{ action: string }>(
      "select action from audit_log where company_id = $1 and action ~ '^(charge|refundRefused)' order by audit_id",
      companyId,
    )
  ).map(({ action }) => action);
const noticesOf = async (appointmentId: number) =>
  (
    await rowsOf<{ kind: string }>(
      'select distinct kind from notification_logs where appointment_id = $1 order by kind',
      appointmentId,
    )
  ).map(({ kind }) => kind);

test('payment while the appointment gets another provider: waits, and is made', async () => {
  const { appointmentId, companyId, pay, read } = await build();
  const { userId } = await buildUser(context, { companyId, role: 'D', password });
  const changed = await holdUntilBlocking(context, companyId, (tx) =>
    tx.updateTable('appointments').set({ doctor_id: userId }).where('appointment_id', '=', appointmentId).execute(),
  );
  const [{ status }] = await Promise.all([pay('paid'), changed()]);
  expect(status).toBe(200);
  expect((await read()).balance).toBe('0.00');
});

test('listPaymentProcessors: has the names and the labels of the fields @ENTITY-6', async () => {
  const { admin } = await build();
  expect((await admin.call(listPaymentProcessors)).json.data).toEqual([
    {
      processor: 'sandbox',
      displayName: 'Sandbox (test payments)',
      userLabel: 'Account name',
      passwordLabel: 'Account secret',
    },
    { processor: 'stripe', displayName: 'Stripe', userLabel: 'Publishable key', passwordLabel: 'Secret key' },
  ]);
});

test('calls of an appointment: get, update, list, download; delete, notify, refund by its id @CALL-2 @CALL-5', async () => {
  const { appointmentId, appointmentUid, patientId, companyId, admin, pay } = await build();
  const { json: stored } = await admin.call(getAppointment, { params: { appointmentId }, query: {} });
  const { fee: _, ...body } = stored;
  const saved = await admin.call(saveAppointment, { body: { ...body, collected: '0.00', externalId: 'A-17' } });
  expect(saved.json).toEqual({ appointmentId, appointmentUid, version: 1 });
  const startDate = instantToWall(stored.startDate, 'America/New_York').day;
  const query = { startDate, physicians: '0', top: 5, skip: 0 };
  const listed = (await admin.call(listAppointments, { query })).json;
  expect(listed.data.map((row) => row.appointmentId)).toEqual([appointmentId]);
  const ofPatient = (await admin.call(listAppointments, { query: { patientId, top: 5, skip: 0 } })).json;
  expect([ofPatient.data.length, ofPatient.tag]).toEqual([1, { timeZone: 'America/New_York', currency: 'USD' }]);
  const csv = await admin.call(downloadAppointments, { query: { startDate, physicians: '0' } });
  expect(csv.text).toContain(',50.00,0.00');
  const params = { appointmentId };
  expect((await admin.call(notifyAppointment, { params })).status).toBeLessThan(300);
  expect(await noticesOf(appointmentId)).toEqual(['invitation']);
  await pay('paid');
  const { json } = await admin.call(refundAppointment, { params, body: { reason: 'Paid twice' } });
  expect(json.collected).toBe('0.00');
  const other = await buildAppointment(context, { companyId });
  const remove = () => admin.call(deleteAppointment, { params: { appointmentId: other.appointmentId } });
  expect((await remove()).status).toBeLessThan(300);
  expect((await remove()).status).toBe(404);
});

test('an appointment has all its fields, also those of its payment @ENTITY-1', async () => {
  const { appointmentId, appointmentUid, patientId, doctorId, accessCode, admin, pay } = await build({
    notes: 'Some notes',
    welcomeMessage: 'Welcome',
  });
  await pay('paid');
  const { json } = await admin.call(getAppointment, { params: { appointmentId }, query: {} });
  expect(json).toEqual({
    appointmentId,
    appointmentUid,
    version: 0,
    accessCode,
    startDate: expect.stringMatching(/Z$/),
    endDate: expect.stringMatching(/Z$/),
    doctorId,
    patientId,
    patient: { firstName: 'Pat', lastName: 'Patient' },
    doctor: { userId: doctorId, firstName: 'Dana', lastName: 'Doctor' },
    status: expect.any(String),
    statusTooltip: expect.any(String),
    cancelled: false,
    cancellationNotes: '',
    patientPresent: null,
    providerPresent: null,
    waitTime: 0,
    duration: 0,
    fee: '50.00',
    collected: '50.00',
    externalTransaction: expect.stringMatching(/^sbxch_/),
    chargeable: false,
    refundable: true,
    externalId: '',
    notes: 'Some notes',
    notesVersion: 0,
    welcomeMessage: 'Welcome',
    recorded: false,
    notifiedStart: json.startDate,
    expected: [{ startDate: json.startDate, doctorId: json.doctorId }],
    config: { startHour: 8, endHour: 17, slot: 15, duration: 15, timeZone: 'America/New_York' },
    notificationLogs: [expect.objectContaining({ kind: 'receipt', notificationMethod: { name: 'Email' }, user: null })],
  });
  expect(json.notificationLogs[0]).toHaveProperty('sent');
  const blank = (await admin.call(getAppointment, { params: { appointmentId: 0 }, query: {} })).json;
  expect(blank.accessCode).toBe('*');
  const { fee: _, ...body } = json;
  const save = (more: object) => admin.call(saveAppointment, { body: { ...body, ...more } });
  for (const [field, max] of [['externalId', 100] as const, ['welcomeMessage', 200] as const]) {
    expect((await save({ [field]: 'x'.repeat(max + 1) })).problem.fields).toHaveProperty(field);
    expect((await save({ [field]: 'x'.repeat(max), version: field === 'externalId' ? 0 : 1 })).status).toBe(200);
  }
  // The user who caused a message is named.
  await admin.call(notifyAppointment, { params: { appointmentId } });
  const { notificationLogs } = (await admin.call(getAppointment, { params: { appointmentId }, query: {} })).json;
  expect(notificationLogs[0]?.user).toEqual({ firstName: 'Dana', lastName: 'Doctor' });
});

describe('patientPay', () => {
  test('approved card: the ledger, the reference, the receipt and the room follow', async () => {
    const { appointmentId, appointmentUid, patient, params, pay, read, admin } = await build();
    expect(await read()).toMatchObject({
      state: 'due',
      fee: '50.00',
      paid: '0.00',
      discount: '0.00',
      balance: '50.00',
    });
    expect((await patient.call(getTeleappointment, { params })).json.appointment.chargeable).toBe(true);
    expect((await pay('paid')).json).toMatchObject({
      state: 'settled',
      paid: '50.00',
      balance: '0.00',
      hasReceipt: true,
    });
    expect((await patient.call(getTeleappointment, { params })).json.appointment.chargeable).toBe(false);
    expect(await ledgerOf(appointmentId)).toEqual([{ kind: 'charge', amount: '50.00' }]);
    expect(await bookOf(appointmentUid)).toEqual({ n: 1, sum: '50.00' });
    const stored = (await admin.call(getAppointment, { params: { appointmentId }, query: {} })).json;
    expect(stored).toMatchObject({ collected: '50.00', chargeable: false, refundable: true });
    expect(stored.externalTransaction).toMatch(/^sbxch_/);
    expect(await noticesOf(appointmentId)).toEqual(['receipt']);
    const { json } = await patient.call(getReceipt, { params });
    expect(json).toMatchObject({ number: String(appointmentId), paid: '50.00', balance: '0.00', fee: '50.00' });
    expect(json.lines).toEqual([
      { kind: 'charge', date: expect.any(String), amount: '50.00', cardBrand: 'visa', cardLast4: '4242' },
    ]);
    // Paying again, in another tab, charges nothing.
    expect((await pay('paid')).json.state).toBe('settled');
    expect(await bookOf(appointmentUid)).toEqual({ n: 1, sum: '50.00' });
  });

  test.each([
    ['declined', 'card-declined'],
    ['insufficient', 'card-insufficient-funds'],
    ['expired', 'card-expired'],
    ['code', 'card-code-wrong'],
    ['error', 'card-error'],
  ])('card %s: is refused with %s, and another card can pay', async (outcome, code) => {
    const { appointmentId, pay, read } = await build();
    const { status, problem } = await pay(outcome);
    expect([status, problem.code]).toEqual([402, code]);
    expect(await read()).toMatchObject({ state: 'due', balance: '50.00', hasReceipt: false });
    expect((await pay('paid')).json.state).toBe('settled');
    expect(await ledgerOf(appointmentId)).toHaveLength(1);
  });

  test('3-D Secure: waits for the bank; approved it is paid, refused it is not', async () => {
    const { appointmentId, patient, params, pay, read } = await build();
    const confirm = async (passed: boolean) => {
      const { actionToken } = await read();
      const response = await fetch(`${app.url}/sandbox/challenges/${actionToken}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ passed }),
      });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      return patient.call(settlePayment, { params, body: { endedCharges: 0 } });
    };
    expect((await pay('confirm')).json).toMatchObject({
      state: 'action',
      actionToken: expect.stringMatching(/^sbxact_/),
    });
    // Another card is not charged meanwhile.
    expect((await pay('paid')).json.state).toBe('action');
    expect((await confirm(false)).problem.code).toBe('card-not-confirmed');
    expect((await pay('confirm')).json.state).toBe('action');
    expect((await confirm(true)).json.state).toBe('settled');
    expect(await ledgerOf(appointmentId)).toEqual([{ kind: 'charge', amount: '50.00' }]);
  });

  test('3-D Secure that no one answers: is given up after half an hour', async () => {
    const { appointmentId, pay } = await build();
    await pay('confirm');
    clock.set(clock.now() + 31 * 60_000);
    await reconcileCharges(context);
    // The server's own job may have begun with it.
    const states = () => rowsOf('select state, failure from charges where appointment_id = $1', appointmentId);
    await expect.poll(states).toEqual([{ state: 'failed', failure: 'card-not-confirmed' }]);
  });

  test('settlePayment: the refusal of an earlier charge is not said of a request that has not arrived', async () => {
    const { patient, params, pay, read } = await build();
    expect((await pay('declined')).problem.code).toBe('card-declined');
    const { endedCharges } = await read();
    const settle = (known: number) => patient.call(settlePayment, { params, body: { endedCharges: known } });
    expect((await settle(endedCharges)).json.state).toBe('due');
    expect((await settle(endedCharges - 1)).problem.code).toBe('card-declined');
  });

  test('amount that is none: is refused without a trace of it', async () => {
    const { pay } = await build();
    for (const amount of ['4000 0000 0000 0002', '4000000000000002', '-1', '1e3', 'NaN']) {
      const { status, text } = await pay('paid', { amount });
      expect([status, text.includes(amount)]).toEqual([422, false]);
    }
  });

  test('lost answer: is asked again with the same key, and charged once', async () => {
    const { appointmentId, appointmentUid, patient, params, pay } = await build();
    expect((await pay('silent')).json.state).toBe('processing');
    expect((await patient.call(settlePayment, { params, body: { endedCharges: 0 } })).json.state).toBe('settled');
    expect(await ledgerOf(appointmentId)).toEqual([{ kind: 'charge', amount: '50.00' }]);
    expect(await bookOf(appointmentUid)).toEqual({ n: 1, sum: '50.00' });
  });

  test('lost answer and a closed page: the server itself asks again', async () => {
    const { appointmentId, pay } = await build();
    await pay('silent');
    clock.set(clock.now() + 21_000);
    await reconcileCharges(context);
    await expect.poll(() => ledgerOf(appointmentId)).toEqual([{ kind: 'charge', amount: '50.00' }]);
  });

  test('slow card: another tab that pays meanwhile charges nothing more', async () => {
    const { appointmentId, appointmentUid, patient, params, pay } = await build();
    const first = pay('slow');
    const states = () => rowsOf('select state from charges where appointment_id = $1', appointmentId);
    await expect.poll(states).toEqual([{ state: 'asked' }]);
    expect((await patient.call(getPayment, { params })).json.state).toBe('processing');
    // It asks the processor how the open charge stands.
    expect((await pay('paid')).json.state).toBe('settled');
    expect((await first).json.state).toBe('settled');
    expect(await ledgerOf(appointmentId)).toEqual([{ kind: 'charge', amount: '50.00' }]);
    expect(await bookOf(appointmentUid)).toEqual({ n: 1, sum: '50.00' });
  });

  test('another amount than shown, no processor, no card: are refused', async () => {
    const one = await build({ collected: '20' });
    expect((await one.pay('paid')).problem.code).toBe('amount-changed');
    expect((await one.pay('paid', { amount: '30.00' })).json).toMatchObject({ state: 'settled', paid: '50.00' });
    const two = await build({}, { paymentProcessor: null });
    expect([(await two.read()).processor, (await two.pay('paid')).problem.code]).toEqual([null, 'payments-off']);
    const three = await build();
    expect((await three.pay('')).problem.fields).toEqual({ token: 'Required' });
  });

  test('less is owed than a card can be charged: the patient may join, and the clinic still sees it as open', async () => {
    const { appointmentId, admin, patient, params, pay, read } = await build({ collected: '49.51' });
    expect(await read()).toMatchObject({ state: 'small', balance: '0.49' });
    expect((await patient.call(getTeleappointment, { params })).json.appointment.chargeable).toBe(false);
    expect((await pay('paid', { amount: '0.49' })).json).toMatchObject({ state: 'small', balance: '0.49' });
    expect(await ledgerOf(appointmentId)).toEqual([{ kind: 'manual', amount: '49.51' }]);
    const { json } = await admin.call(getAppointment, { params: { appointmentId }, query: {} });
    expect([json.collected, json.chargeable]).toEqual(['49.51', false]);
    const most = await build({ collected: '49.50' });
    expect((await most.patient.call(getTeleappointment, { params: most.params })).json.appointment.chargeable).toBe(
      true,
    );
    expect((await most.pay('paid', { amount: '0.50' })).json.state).toBe('settled');
  });

  test('appointment with an open charge: neither fee nor collected can be changed', async () => {
    const { appointmentId, admin, pay } = await build();
    await pay('silent');
    const { json } = await admin.call(getAppointment, { params: { appointmentId }, query: {} });
    const { fee: _, ...body } = json;
    const save = (more: object) => admin.call(saveAppointment, { body: { ...body, collected: '0.00', ...more } });
    expect((await save({ collected: '10.00' })).problem.code).toBe('payment-open');
    expect((await save({ fee: '20.00' })).problem.code).toBe('payment-open');
    expect((await save({ externalId: 'A-1' })).status).toBe(200);
  });
});

test('amount typed before a card was charged: is refused as stale, also the same amount; what is typed over the payment is saved', async () => {
  const { appointmentId, admin, pay } = await build();
  const get = async () => (await admin.call(getAppointment, { params: { appointmentId }, query: {} })).json;
  const { fee: _, ...body } = await get();
  await pay('paid');
  const save = (collected: string, collectedBefore: string) =>
    admin.call(saveAppointment, { body: { ...body, collected, collectedBefore } });
  for (const typed of ['20', '50.00']) expect((await save(typed, '0.00')).problem.code).toBe('stale');
  expect(await get()).toMatchObject({ collected: '50.00', version: body.version, refundable: true });
  expect((await save('40', '50.00')).status).toBe(200);
  expect((await get()).collected).toBe('40.00');
});

/** By another account of the sandbox, or by none. */
const replaceAccount = (companyId: number, by: 'another' | 'none') =>
  owner.query(
    `update companies set ${by === 'none' ? 'payment_processor = null' : "payment_user = 'another'"} where company_id = $1`,
    [companyId],
  );

/** The refunds that were not made, as the administrators of a company see them. */
const refusedRefunds = async (admin: Person) =>
  (await admin.call(listAttention)).json.data.filter(({ kind }) => kind === 'refund-refused');

describe('an account that is replaced', () => {
  test('a payment to the former account: cannot be refunded here, and administrators see it', async () => {
    const { appointmentId, appointmentUid, patientId, companyId, admin, pay } = await build();
    await pay('paid');
    await replaceAccount(companyId, 'another');
    const get = async () => (await admin.call(getAppointment, { params: { appointmentId }, query: {} })).json;
    expect((await get()).refundable).toBe(false);
    const body = { reason: 'Paid twice' };
    const { problem } = await admin.call(refundAppointment, { params: { appointmentId }, body });
    expect(problem.code).toBe('refund-elsewhere');
    expect(await bookOf(appointmentUid)).toEqual({ n: 1, sum: '50.00' });
    expect(await auditOf(companyId)).toEqual(['chargePaid', 'refundRefused']);
    const attention = { kind: 'refund-refused', count: 1, date: '', appointment: { appointmentId, patientId } };
    expect(await refusedRefunds(admin)).toEqual([attention]);
    // Nothing is blocked, and what was returned by hand is not mentioned any more.
    const { fee: _, ...stored } = await get();
    const collect = (collected: string, version: number) =>
      admin.call(saveAppointment, { body: { ...stored, version, collected } });
    expect((await collect('0.01', 0)).status).toBe(200);
    expect(await refusedRefunds(admin)).toEqual([attention]);
    expect((await collect('0.00', 1)).status).toBe(200);
    expect(await refusedRefunds(admin)).toEqual([]);
  });

  test('account with an open charge: is not replaced until the charge has ended', async () => {
    const { admin, pay, patient, params } = await build();
    await pay('silent');
    const { json } = await admin.call(getCompany, { params: { companyId: 0 } });
    const { providerCount: _1, expirationDate: _2, supportEmail: _3, smsPhone: _4, allowReq: _5, ...rest } = json;
    const { frontEndUrl: _6, disabled: _7, ...own } = rest;
    const save = () => admin.call(saveCompany, { body: { ...own, paymentProcessor: null, pmtUser: '' } });
    expect((await save()).problem.code).toBe('payments-unsettled');
    await patient.call(settlePayment, { params, body: { endedCharges: 0 } });
    expect((await save()).status).toBe(200);
    const { data } = (await patient.call(listUpcomingAppointments)).json;
    expect(data.map(({ appointmentUid, hasReceipt }) => [appointmentUid, hasReceipt])).toEqual([[params.uid, true]]);
  });

  test.each([
    ['charge', 'another'],
    ['refund', 'another'],
    ['charge', 'none'],
    ['refund', 'none'],
  ] as const)('an open %s of the former account, now %s: is given up after a day', async (what, now) => {
    const { appointmentId, companyId, pay } = await build();
    await pay(what === 'charge' ? 'silent' : 'paid');
    if (what === 'refund')
      await owner.query(
        "update charges set state = 'refunding', refund_asked_at = $1, asked_at = $1 where appointment_id = $2",
        [new Date(clock.now()).toISOString(), appointmentId],
      );
    await replaceAccount(companyId, now);
    const states = () => rowsOf('select state from charges where appointment_id = $1', appointmentId);
    const reconcileAfter = async (hours: number) => {
      clock.set(clock.now() + hours * 3_600_000);
      await reconcileCharges(context);
    };
    await reconcileAfter(23);
    expect(await states()).toEqual([{ state: what === 'charge' ? 'asked' : 'refunding' }]);
    await reconcileAfter(2);
    await expect.poll(states).toEqual([{ state: what === 'charge' ? 'failed' : 'paid' }]);
    const audited = await rowsOf(
      "select action from audit_log where company_id = $1 and action = 'chargeAbandoned'",
      companyId,
    );
    expect(audited).toHaveLength(1);
  });
});

describe('promo codes', () => {
  test('part and all of the fee: the discount has its row in the ledger, so that the fee is collected', async () => {
    const part = await build({ fee: '49.99' });
    await buildPromo(context, { companyId: part.companyId, code: 'Spring', discountRate: 25 });
    const check = (code: string) => part.patient.call(checkPromo, { params: part.params, body: { code } });
    expect((await check(' spring ')).json).toEqual({
      code: 'Spring',
      discountRate: 25,
      discount: '12.50',
      balance: '37.49',
    });
    expect((await check('autumn')).problem.code).toBe('promo-not-valid');
    expect((await part.pay('declined', { promoCode: 'SPRING', amount: '37.49' })).problem.code).toBe('card-declined');
    expect((await part.pay('paid', { promoCode: 'SPRING', amount: '37.49' })).json).toMatchObject({
      state: 'settled',
      fee: '49.99',
      discount: '12.50',
      paid: '37.49',
    });
    expect(await ledgerOf(part.appointmentId)).toEqual([
      { kind: 'charge', amount: '37.49' },
      { kind: 'promo', amount: '12.50' },
    ]);
    // A charge that failed has given its use back.
    expect(await rowsOf('select uses from promo_codes where company_id = $1', part.companyId)).toEqual([{ uses: 1 }]);

    // It would leave 49 cents, which no card can be charged: it covers them.
    const most = await build({ fee: '49.00' });
    await buildPromo(context, { companyId: most.companyId, code: 'MOST', discountRate: 99 });
    expect((await most.pay('', { promoCode: 'MOST', amount: '0.00' })).json).toMatchObject({
      state: 'settled',
      discount: '49.00',
      balance: '0.00',
    });

    const all = await build();
    await buildPromo(context, { companyId: all.companyId, code: 'FREE', discountRate: 100 });
    expect((await all.pay('', { promoCode: 'FREE', amount: '0.00' })).json).toMatchObject({
      state: 'settled',
      paid: '0.00',
      discount: '50.00',
    });
    expect(await ledgerOf(all.appointmentId)).toEqual([{ kind: 'promo', amount: '50.00' }]);
  });

  test('guessing between valid codes: is slowed down', async () => {
    onTestFinished(clock.freeze());
    const { companyId, patient, params, pay } = await build();
    await buildPromo(context, { companyId, code: 'KNOWN' });
    const check = (code: string) => patient.call(checkPromo, { params, body: { code } });
    for (let guess = 0; guess < 10; guess += 1) {
      expect((await check(`guess ${guess}`)).problem.code).toBe('promo-not-valid');
      if (guess === 8) expect((await check('KNOWN')).status).toBe(200);
    }
    expect((await check('guess')).problem.code).toBe('too-many');
    expect((await pay('paid', { promoCode: 'guess' })).problem.code).toBe('too-many');
  });

  test.each([
    ['disabled', { disabled: true }],
    ['over', { expirationDate: '2020-01-01' }],
    ['of another company', {}],
    ['of the installation', {}],
  ])('code that is %s: is not valid', async (what, values) => {
    const { companyId, pay } = await build();
    const other = what === 'of another company' ? (await buildCompany(context)).companyId : null;
    const of = what.startsWith('of ') ? other : companyId;
    await buildPromo(context, { companyId: of, code: `CODE-${what}`, ...values });
    expect((await pay('paid', { promoCode: `CODE-${what}` })).problem.code).toBe('promo-not-valid');
  });
});

describe('refundAppointment', () => {
  test('automatic refund refused after the patient has cancelled: administrators see it until it is refunded', async () => {
    const startDate = new Date(clock.now() + 240 * 3_600_000).toISOString();
    const { appointmentId, patientId, companyId, admin, patient, params, pay } = await build({ startDate });
    await owner.query("update companies set refund_rule = 'automatic' where company_id = $1", [companyId]);
    await pay('norefund');
    expect(await refusedRefunds(admin)).toEqual([]);
    expect((await patient.call(cancelMyAppointment, { params, body: { version: 0 } })).status).toBe(204);
    clock.set(clock.now() + 21_000);
    await reconcileCharges(context);
    await expect.poll(() => auditOf(companyId)).toEqual(['chargePaid', 'refundRefused']);
    expect(await refusedRefunds(admin)).toEqual([
      { kind: 'refund-refused', count: 1, date: '', appointment: { appointmentId, patientId } },
    ]);
    // The processor accepts it now.
    await owner.query("update sandbox_charges set outcome = 'paid' where charge_key like $1 || '-%'", [params.uid]);
    const body = { reason: 'Cancelled' };
    const { json } = await admin.call(refundAppointment, { params: { appointmentId }, body });
    expect(json.collected).toBe('0.00');
    expect(await refusedRefunds(admin)).toEqual([]);
  });

  test('full refund: is made once; the ledger goes to 0, the processor returns it, the patient is notified @STATE-3', async () => {
    const { appointmentId, appointmentUid, companyId, admin, pay, read } = await build({ collected: '10' });
    await buildPromo(context, { companyId, code: 'TEN', discountRate: 10 });
    await pay('paid', { promoCode: 'TEN', amount: '35.00' });
    // Fully collected: the fee and not a cent more.
    expect(await read()).toMatchObject({ state: 'settled', balance: '0.00' });
    const refund = () => admin.call(refundAppointment, { params: { appointmentId }, body: { reason: 'Paid twice' } });
    expect((await refund()).json).toEqual({ collected: '0.00', version: 0 });
    expect(await bookOf(appointmentUid)).toEqual({ n: 0, sum: '0.00' });
    expect((await refund()).problem.code).toBe('nothing-to-refund');
    const sums = await rowsOf(
      'select kind, sum(amount) as sum from ledger where appointment_id = $1 group by kind order by kind',
      appointmentId,
    );
    expect(sums).toEqual([
      { kind: 'charge', sum: '35.00' },
      { kind: 'manual', sum: '10.00' },
      { kind: 'promo', sum: '0.00' },
      { kind: 'refund', sum: '-45.00' },
    ]);
    expect(await noticesOf(appointmentId)).toEqual(['receipt', 'refunded']);
    expect(await read()).toMatchObject({ state: 'due', balance: '50.00', discount: '0.00', paid: '0.00' });
  });

  test('sandbox: a refund comes back seconds later, each time; a charge is disputed', async () => {
    const { appointmentId, appointmentUid, admin, pay } = await build();
    await pay('comeback');
    const stateOf = async (id: number) =>
      (await rowsOf<{ state: string }>('select state from charges where appointment_id = $1', id)).map(
        (row) => row.state,
      );
    const stateLater = async (id: number) => {
      clock.set(clock.now() + 3_000);
      await reconcileCharges(context);
      return stateOf(id);
    };
    for (const _turn of [1, 2]) {
      const body = { reason: 'Sick' };
      expect((await admin.call(refundAppointment, { params: { appointmentId }, body })).json.collected).toBe('0.00');
      await expect.poll(() => stateLater(appointmentId)).toEqual(['paid']);
      const { json } = await admin.call(getAppointment, { params: { appointmentId }, query: {} });
      expect([json.collected, json.refundable]).toEqual(['50.00', true]);
    }
    expect((await noticesOf(appointmentId)).includes('refundFailed')).toBe(true);
    expect(await bookOf(appointmentUid)).toEqual({ n: 0, sum: '0.00' });
    const other = await build();
    await other.pay('dispute');
    await expect.poll(() => stateLater(other.appointmentId)).toEqual(['disputed']);
  });

  test('refund refused by the processor: changes nothing', async () => {
    const { appointmentId, admin, pay } = await build();
    await pay('norefund');
    const body = { reason: 'Paid twice' };
    expect((await admin.call(refundAppointment, { params: { appointmentId }, body })).problem.code).toBe(
      'refund-failed',
    );
    const { json } = await admin.call(getAppointment, { params: { appointmentId }, query: {} });
    expect([json.collected, json.refundable]).toEqual(['50.00', true]);
  });

  test.each([
    ['automatic', 'paid'],
    ['manual', 'paid'],
    // Its answer was lost: whether it was paid is known after the cancellation only.
    ['automatic', 'silent'],
    ['manual', 'silent'],
    ['never', 'paid'],
  ])('a patient cancels in time, rule %s, payment %s', async (rule, payment) => {
    const startDate = new Date(clock.now() + 240 * 3_600_000).toISOString();
    const { appointmentId, appointmentUid, companyId, patient, params, pay } = await build({ startDate });
    await owner.query('update companies set refund_rule = $1 where company_id = $2', [rule, companyId]);
    await pay(payment);
    expect((await patient.call(cancelMyAppointment, { params, body: { version: 0 } })).status).toBe(204);
    const noticesLater = async () => {
      clock.set(clock.now() + 21_000);
      await reconcileCharges(context);
      return noticesOf(appointmentId);
    };
    await expect.poll(noticesLater).toContain(rule === 'automatic' ? 'refunded' : 'receipt');
    expect((await bookOf(appointmentUid))?.n).toBe(rule === 'automatic' ? 0 : 1);
  });
});
