import { getAppointment, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { listUpcomingAppointments } from '@roomside/contract/my-appointments/calls.ts';
import { getPayment, patientPay, refundAppointment } from '@roomside/contract/payments/calls.ts';
import { expect, test } from 'vitest';
import { buildPromo } from '../../../test/build-promo.ts';
import { cardToken } from '../../../test/card-token.ts';
import { startMailPeer } from '../../../test/message-peers.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

const mail = await startMailPeer();
const app = await startTestApp({ env: { SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>' } });
const { context } = app;

let people = 0;

/** An appointment of 50 dollars whose patient has an email. */
async function build(values: { collected?: string } = {}) {
  const { companyId } = await buildCompany(context, { paymentProcessor: 'sandbox' });
  const { email } = await buildUser(context, { companyId, role: 'A', password });
  const address = `payer-${(people += 1)}@example.test`;
  const { patientId } = await buildPatient(context, { companyId, email: address });
  const { appointmentId, appointmentUid, accessCode } = await buildAppointment(context, {
    companyId,
    patientId,
    fee: '50',
    ...values,
  });
  const [admin, patient] = await Promise.all([app.signIn({ email, password }), app.signInPatient(accessCode)]);
  const params = { uid: appointmentUid };
  const pay = async (amount: string, { outcome = 'paid', promoCode = null as string | null } = {}) => {
    const token = amount === '0.00' ? null : cardToken(outcome);
    const { json } = await patient.call(patientPay, { params, body: { token, promoCode, amount } });
    expect(json.state).toBe('settled');
  };
  const refund = () => admin.call(refundAppointment, { params: { appointmentId }, body: { reason: 'Not needed' } });
  const raiseFee = async (fee: string) => {
    const { json } = await admin.call(getAppointment, { params: { appointmentId }, query: {} });
    expect((await admin.call(saveAppointment, { body: { ...json, fee } })).status).toBe(200);
  };
  /** The amounts of each mail, in the order of arrival. */
  const amountsOf = () =>
    mail.to(address).map(({ parts }) => {
      const text = parts.find(({ type }) => type.startsWith('text/plain'))?.text ?? '';
      return [...text.matchAll(/^(Paid|Refunded to your card|Returned by the clinic itself):? *(\$\S+)/gm)].map(
        ([, label, amount]) => `${label} ${amount}`,
      );
    });
  const read = async () => (await patient.call(getPayment, { params })).json;
  return { companyId, patient, pay, refund, raiseFee, amountsOf, read };
}

test('payment that is refunded and paid and refunded again: each mail has its own amount', async () => {
  const { patient, pay, refund, amountsOf } = await build();
  const expected: string[][] = [];
  for (const _turn of [1, 2]) {
    await pay('50.00');
    expected.push(['Paid $50.00']);
    await expect.poll(amountsOf).toEqual(expected);
    expect((await refund()).status).toBe(200);
    expected.push(['Refunded to your card $50.00']);
    await expect.poll(amountsOf).toEqual(expected);
  }
  const { data } = (await patient.call(listUpcomingAppointments)).json;
  expect(data.map(({ hasReceipt }) => hasReceipt)).toEqual([true]);
});

test('payment partly in cash, with a promo code: the mail says what goes back to the card and what does not', async () => {
  const { companyId, pay, refund, amountsOf } = await build({ collected: '10' });
  await buildPromo(context, { companyId, code: 'TEN', discountRate: 10 });
  await pay('35.00', { promoCode: 'TEN' });
  await expect.poll(amountsOf).toEqual([['Paid $45.00']]);
  await refund();
  const refunded = ['Refunded to your card $35.00', 'Returned by the clinic itself $10.00'];
  await expect.poll(amountsOf).toEqual([['Paid $45.00'], refunded]);
});

test.each(['first', 'second'])(
  'two payments, the refund of the %s is refused: the patient gets a mail about the other one',
  async (which) => {
    const { pay, refund, raiseFee, amountsOf } = await build();
    await pay('50.00', { outcome: which === 'first' ? 'norefund' : 'paid' });
    await raiseFee('80.00');
    await pay('30.00', { outcome: which === 'first' ? 'paid' : 'norefund' });
    await expect.poll(() => amountsOf().length).toBe(2);
    expect((await refund()).problem.code).toBe('refund-failed');
    const amount = which === 'first' ? '30.00' : '50.00';
    await expect.poll(() => amountsOf().slice(2)).toEqual([[`Refunded to your card $${amount}`]]);
  },
);

test('a code that covered everything before the fee was raised: is taken back with the refund', async () => {
  const { companyId, pay, refund, raiseFee, amountsOf, read } = await build();
  await buildPromo(context, { companyId, code: 'FREE', discountRate: 100 });
  await pay('0.00', { promoCode: 'FREE' });
  await raiseFee('80.00');
  await pay('30.00');
  expect((await refund()).json.collected).toBe('0.00');
  expect(await read()).toMatchObject({ state: 'due', discount: '0.00', paid: '0.00', balance: '80.00' });
  // Whenever they are sent, and in whatever order they arrive.
  const expected = ['Paid $0.00', 'Paid $30.00', 'Refunded to your card $30.00'];
  await expect.poll(() => amountsOf().flat().toSorted()).toEqual(expected);
});
