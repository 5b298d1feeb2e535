import { saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { downloadLedger, getLedgerTotals, listLedger, listOpenBalances } from '@roomside/contract/ledger/calls.ts';
import { toCents } from '@roomside/contract/money.ts';
import { patientPay, refundAppointment } from '@roomside/contract/payments/calls.ts';
import { expect, test } from 'vitest';
import { buildPromo } from '../../../test/build-promo.ts';
import { cardToken } from '../../../test/card-token.ts';
import { startAtNoon } from '../../../test/start-at-noon.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context, clock } = app;
clock.freeze();
const today = startAtNoon(clock);

test('list, sums, download and open balances agree to the cent, whatever the filter', async () => {
  const { companyId } = await buildCompany(context, { paymentProcessor: 'sandbox', timeZone: 'UTC' });
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const admin = await app.signIn({ email, password });
  const doctors = [
    await buildUser(context, { companyId, firstName: 'Ana', lastName: 'Alpha' }),
    await buildUser(context, { companyId, firstName: 'Bo', lastName: '=Beta' }),
  ].map(({ userId }) => userId);
  await buildPromo(context, { companyId, code: 'THIRD', discountRate: 33 });
  const fees = ['50', '49.99', '0.60', '75.5', '20', '19.99'];
  for (const [index, fee] of fees.entries()) {
    const { patientId } = await buildPatient(context, { companyId, lastName: `Patient${index}` });
    const startDate = new Date(clock.now() + index * 3_600_000).toISOString();
    const doctorId = doctors[index % 2] ?? 0;
    const built = await buildAppointment(context, { companyId, patientId, doctorId, fee, startDate });
    const { appointmentId } = built;
    const patient = await app.signInPatient(built.accessCode);
    const pay = (amount: string, promoCode: string | null) =>
      patient.call(patientPay, {
        params: { uid: built.appointmentUid },
        body: { token: cardToken(), promoCode, amount },
      });
    if (index === 0) {
      await pay('50.00', null);
      await admin.call(refundAppointment, { params: { appointmentId }, body: { reason: 'Sick' } });
    }
    if (index === 1) expect((await pay('33.49', 'THIRD')).status).toBe(200);
    if (index === 2) expect((await pay('0.60', null)).status).toBe(200);
    if (index === 3) {
      const { status } = await admin.call(saveAppointment, {
        body: {
          appointmentId,
          version: 0,
          startDate,
          doctorId,
          patientId,
          cancelled: false,
          cancellationNotes: '',
          externalId: '',
          welcomeMessage: '',
          collected: '25.25',
        },
      });
      expect(status).toBe(200);
    }
  }
  const range = { from: today, to: today };
  const { json } = await admin.call(getLedgerTotals, { query: range });
  expect(json.total).toEqual({
    charge: '84.09',
    manual: '25.25',
    promo: '16.50',
    refund: '-50.00',
    collected: '75.84',
  });
  expect(json.providers.map(({ lastName, sums }) => [lastName, sums.collected])).toEqual([
    ['=Beta', '75.24'],
    ['Alpha', '0.60'],
  ]);
  expect(json.processors.map(({ processor, sums }) => [processor, sums.collected])).toEqual([
    ['', '41.75'],
    ['sandbox', '34.09'],
  ]);
  const filters = [
    {},
    ...doctors.map((doctorId) => ({ doctorId })),
    ...(['manual', 'charge', 'refund', 'promo'] as const).map((kind) => ({ kind })),
    { doctorId: doctors[1] ?? 0, kind: 'promo' as const },
  ];
  for (const filter of filters) {
    const query = { ...range, ...filter };
    const rows = (await admin.call(listLedger, { query: { ...query, top: 50, skip: 0 } })).json.data;
    const cents = rows.reduce((sum, { amount }) => sum + toCents(amount), 0);
    const { total, providers } = (await admin.call(getLedgerTotals, { query })).json;
    expect([filter, toCents(total.collected)]).toEqual([filter, cents]);
    expect(providers.reduce((sum, { sums }) => sum + toCents(sums.collected), 0)).toBe(cents);
    const lines = (await admin.call(downloadLedger, { query })).text.trim().split('\r\n').slice(1);
    expect(lines.reduce((sum, line) => sum + toCents(line.split(',').at(-5) ?? ''), 0)).toBe(cents);
    const { processors } = (await admin.call(getLedgerTotals, { query })).json;
    for (const { processor, sums } of processors) {
      const of = lines.filter((line) => line.split(',').at(-3) === processor);
      expect([filter, processor, of.reduce((sum, line) => sum + toCents(line.split(',').at(-5) ?? ''), 0)]).toEqual([
        filter,
        processor,
        toCents(sums.collected),
      ]);
    }
  }
  const open = (await admin.call(listOpenBalances, { query: { ...range, top: 50, skip: 0, orderBy: 'balance desc' } }))
    .json;
  expect(open.data.map(({ balance }) => balance)).toEqual(['50.25', '50.00', '20.00', '19.99']);
  const inRange = (await admin.call(getLedgerTotals, { query: range })).json.open;
  expect(inRange.count).toBe(open.data.length);
  expect(toCents(inRange.balance)).toBe(open.data.reduce((sum, { balance }) => sum + toCents(balance), 0));
});

test('sums of providers: are in the order of a directory, not of bytes', async () => {
  const { companyId } = await buildCompany(context, { timeZone: 'UTC' });
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const admin = await app.signIn({ email, password });
  for (const lastName of ['Zimmer', 'Ávila', 'de la Cruz', 'adams']) {
    const { userId: doctorId } = await buildUser(context, { companyId, lastName });
    await buildAppointment(context, { companyId, doctorId, fee: '10', collected: '10' });
  }
  const { json } = await admin.call(getLedgerTotals, { query: { from: today, to: today } });
  expect(json.providers.map(({ lastName }) => lastName)).toEqual(['adams', 'Ávila', 'de la Cruz', 'Zimmer']);
});

test('download: amounts keep their sign, names that begin with a formula are guarded', async () => {
  const { companyId } = await buildCompany(context, { timeZone: 'UTC' });
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const admin = await app.signIn({ email, password });
  const { patientId } = await buildPatient(context, { companyId, lastName: '=cmd', firstName: "O'Neil" });
  await buildAppointment(context, { companyId, patientId, fee: '10', collected: '10' });
  const { text } = await admin.call(downloadLedger, { query: { from: today, to: today } });
  expect(text).toContain('"\'=cmd, O\'Neil"');
  expect(text).toContain(',Other payment,10.00,USD,');
});

test('pages by key, and ranges that are too long are refused', async () => {
  const { companyId } = await buildCompany(context, { timeZone: 'UTC' });
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const admin = await app.signIn({ email, password });
  for (const amount of ['9', '10', '100'])
    await buildAppointment(context, { companyId, fee: '100', collected: amount });
  const query = { from: today, to: today, top: 2, skip: 0, orderBy: 'amount asc' as const };
  const first = (await admin.call(listLedger, { query })).json;
  expect([first.total, ...first.data.map(({ amount }) => amount)]).toEqual([3, '9.00', '10.00']);
  const { json } = await admin.call(listLedger, { query: { ...query, after: first.last ?? '' } });
  expect(json.data.map(({ amount }) => amount)).toEqual(['100.00']);
  expect((await admin.call(listLedger, { query: { ...query, from: '2020-01-01' } })).status).toBe(400);
});
