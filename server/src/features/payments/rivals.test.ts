import { patientPay } from '@roomside/contract/payments/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPromo } from '../../../test/build-promo.ts';
import { cardToken } from '../../../test/card-token.ts';
import { startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context } = app;
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
afterAll(() => owner.end());

const rivals = 200;

test('200 simultaneous payments with the last use of a promo code: one gets the discount', async () => {
  const { companyId } = await buildCompany(context, { paymentProcessor: 'sandbox' });
  const { userId: doctorId } = await buildUser(context, { companyId });
  await buildPromo(context, { companyId, code: 'LAST', discountRate: 50, maxUses: 1 });
  const patients = await Promise.all(
    Array.from({ length: rivals }, async (_, index) => {
      const startDate = new Date(Date.UTC(2100, 0, 1) + index * 3_600_000).toISOString();
      const built = await buildAppointment(context, { companyId, doctorId, startDate, fee: '50' });
      return { uid: built.appointmentUid, person: await app.signInPatient(built.accessCode) };
    }),
  );
  const answers = await Promise.all(
    patients.map(({ uid, person }) => {
      const body = { token: cardToken(), promoCode: 'LAST', amount: '25.00' };
      return person.call(patientPay, { params: { uid }, body });
    }),
  );
  const codes = answers.map(({ status, problem }) => (status === 200 ? 'paid' : problem.code));
  expect(codes.filter((code) => code === 'paid')).toHaveLength(1);
  expect(new Set(codes)).toEqual(new Set(['paid', 'promo-not-valid']));
  const { rows } = await owner.query('select uses from promo_codes where company_id = $1', [companyId]);
  expect(rows).toEqual([{ uses: 1 }]);
});

test('200 simultaneous payments of one appointment: the processor is paid once', async () => {
  const { companyId } = await buildCompany(context, { paymentProcessor: 'sandbox' });
  const built = await buildAppointment(context, { companyId, fee: '50' });
  const person = await app.signInPatient(built.accessCode);
  const params = { uid: built.appointmentUid };
  const answers = await Promise.all(
    Array.from({ length: rivals }, () =>
      person.call(patientPay, { params, body: { token: cardToken(), promoCode: null, amount: '50.00' } }),
    ),
  );
  // Those that came while the first was on its way show that, and ask again later.
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: rivals }, () => 200));
  expect(answers.some(({ json }) => json.state === 'settled')).toBe(true);
  const { rows } = await owner.query(
    `select count(*)::int as n, sum(amount)::text as sum,
       (select collected::text from appointments where appointment_id = $2) as collected
     from sandbox_charges where charge_key like $1 || '-%' and state = 'paid'`,
    [built.appointmentUid, built.appointmentId],
  );
  expect(rows).toEqual([{ n: 1, sum: '50.00', collected: '50.00' }]);
});
