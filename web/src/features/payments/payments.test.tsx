import type { Payment, Receipt } from '@roomside/contract/payments/calls.ts';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { setTabKind, startSignIn } from '../../api/sign-in.ts';
import type { FromFrame, ToFrame } from '../../frames/messages.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, type Handlers, problem } from '../../testing/server.ts';
import { ensureTemporal } from '../../time/temporal.ts';
import { PatientPaymentPage } from './PatientPaymentPage.tsx';
import { ReceiptPage } from './ReceiptPage.tsx';

await ensureTemporal();
const uid = '0123456789abcdef0123456789abcdef';
const user = userEvent.setup();
const due: Payment = {
  appointmentUid: uid,
  startDate: '2026-11-21T14:00:00Z',
  doctor: { firstName: 'Maya', lastName: 'Reyes' },
  companyName: 'River Clinic',
  supportEmail: 'help@river.test',
  timeZone: 'UTC',
  currency: 'USD',
  cancelled: false,
  state: 'due',
  fee: '75.00',
  discount: '0.00',
  paid: '25.00',
  balance: '50.00',
  processor: { processor: 'sandbox', publicKey: 'account' },
  actionToken: null,
  hasReceipt: false,
  endedCharges: 0,
  cancellation: { refund: 'automatic', noticeHours: 24 },
};
const settled: Payment = { ...due, state: 'settled', paid: '75.00', balance: '0.00', hasReceipt: true };
const token = 'sbx_paid_visa_4242_122030_0123456789abcdef';

function open(payment: Partial<Payment>, handlers: Handlers = {}) {
  setTabKind('patient');
  startSignIn('patient', accessToken({ roles: 'P' }));
  const server = fakeServer({ [`GET /api/payments/${uid}`]: () => ({ ...due, ...payment }), ...handlers });
  const pages = (
    <Routes>
      <Route path="/patient-payment/:uid" element={<PatientPaymentPage />} />
      <Route path="*" element={null} />
    </Routes>
  );
  return { ...server, ...renderScreen(pages, `/patient-payment/${uid}`) };
}

/** The other side of the page's frame: it is ready, and answers each question for a token; null: it does not. */
async function answerAsFrame(result: Extract<FromFrame, { type: 'card' }>['result'] | null) {
  const frame = await waitFor(() => {
    const found = document.querySelector('iframe');
    if (!found?.contentWindow) throw new Error('The page has no frame.');
    return found;
  });
  const say = (data: FromFrame) => {
    dispatchEvent(new MessageEvent('message', { data, source: frame.contentWindow }));
  };
  frame.contentWindow?.addEventListener('message', ({ data }: MessageEvent<ToFrame>) => {
    if (data.type === 'tokenize' && result) say({ type: 'card', id: data.id, result });
  });
  say({ type: 'ready' });
  return { frame, say };
}
const card = { token, brand: 'visa', last4: '4242', expiry: '12/2030' };
const pay = (amount = '$50.00') => user.click(screen.getByRole('button', { name: `Pay ${amount}` }));
const paymentsOf = (asked: readonly { method: string; path: string; body: unknown }[]) =>
  asked.filter(({ method, path }) => method === 'POST' && path === `/api/payments/${uid}`).map(({ body }) => body);

/** Resolves when the page shows what is owed; its heading is there before. */
const readPayment = () => screen.findByText('Total due');

beforeEach(() => sessionStorage.clear());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('what is owed: is shown with why, and with the clinic’s rule before the payment', async () => {
  open({ discount: '5.00', balance: '45.00' });
  await readPayment();
  expect(screen.getByRole('heading', { name: 'Pay for your visit' })).toBeDefined();
  const amounts = [...document.querySelectorAll('.pay-amounts > div')].map((line) => line.textContent);
  expect(amounts).toEqual(['Fee$75.00', 'Discount−$5.00', 'Already paid−$25.00', 'Total due$45.00']);
  expect(
    screen.getByText(/If you cancel this visit at least 24 hours before it starts, your payment goes back/),
  ).toBeDefined();
  expect(screen.getByRole('button', { name: 'Pay $45.00' })).toBeDefined();
});

test('frame: is isolated, and messages of other windows are ignored', async () => {
  const { asked } = open({});
  await readPayment();
  const { frame } = await answerAsFrame(card);
  expect([frame.getAttribute('sandbox'), frame.getAttribute('src')]).toEqual(['allow-scripts', '/card-field.html']);
  for (const source of [window, null]) dispatchEvent(new MessageEvent('message', { data: { type: 'submit' }, source }));
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  await screen.findByText('Please enter a code first.');
  expect(paymentsOf(asked)).toEqual([]);
});

test.each([
  ['never', /If you cancel or miss this visit, your payment is not refunded\./],
  ['manual', /If you cancel or miss this visit, the clinic decides whether your payment is refunded\./],
  [
    'automatic',
    /goes back to your card\. If you cancel later or miss the visit, the clinic decides whether it is refunded\./,
  ],
] as const)('rule %s: is said before the payment, also for a visit that is missed', async (refund, text) => {
  open({ ...due, cancellation: { refund, noticeHours: 24 } });
  expect(await screen.findByText(text)).toBeDefined();
});

test('payment: sends the token and the shown amount, thanks, and opens the visit after a second', async () => {
  const { asked, router } = open({}, { [`POST /api/payments/${uid}`]: () => settled });
  await readPayment();
  const { say } = await answerAsFrame(card);
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  // Enter in the frame pays too.
  act(() => say({ type: 'submit' }));
  expect(await screen.findByRole('heading', { name: 'Thank you for your payment!' })).toBeDefined();
  expect(screen.getByRole('link', { name: 'View receipt' }).getAttribute('href')).toBe(`#/receipt/${uid}`);
  expect(paymentsOf(asked)).toEqual([{ token, promoCode: null, amount: '50.00' }]);
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/appointment/${uid}/pt`));
});

test('refused payment: shows the server’s text under the card field, and the next try can be made', async () => {
  const answers = [() => problem(402, 'card-declined'), () => settled];
  const { asked } = open({}, { [`POST /api/payments/${uid}`]: () => answers.shift()?.() });
  await readPayment();
  await answerAsFrame(card);
  await pay();
  const field = screen.getByRole('group', { name: 'Your card' });
  const words = await within(field).findByText('Your card was declined. Please use another card, or call your bank.');
  const frame = field.querySelector('iframe');
  expect(frame?.compareDocumentPosition(words)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  await pay();
  expect(await screen.findByRole('heading', { name: 'Thank you for your payment!' })).toBeDefined();
  expect(paymentsOf(asked)).toHaveLength(2);
});

test('reading again during the payment: keeps the card until the response', async () => {
  const response = Promise.withResolvers<Response>();
  let state: Payment['state'] = 'due';
  const { asked } = open(
    {},
    {
      [`GET /api/payments/${uid}`]: () => ({ ...due, state }),
      [`POST /api/payments/${uid}`]: () => {
        state = 'processing';
        return response.promise;
      },
    },
  );
  await readPayment();
  const { frame } = await answerAsFrame(card);
  await pay();
  expect(await screen.findByText('Please keep this page open. This can take a few seconds.')).toBeDefined();
  // The tab gets the focus again.
  act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await waitFor(() => expect(asked.filter(({ method }) => method === 'GET')).toHaveLength(2));
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  state = 'due';
  await act(async () => response.resolve(problem(402, 'card-declined')));
  expect(await screen.findByText(/Your card was declined/)).toBeDefined();
  expect(document.querySelector('iframe')).toBe(frame);
});

test('wrong card: the field shows it, and nothing is sent', async () => {
  const { asked } = open({});
  await readPayment();
  await answerAsFrame({ error: 'Enter your card number.' });
  await pay();
  expect(await screen.findByRole('button', { name: 'Pay $50.00' })).toBeDefined();
  expect(paymentsOf(asked)).toEqual([]);
});

test('lost response: the page asks whether it was paid, and does not pay twice', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  let answer: () => unknown = () => ({ ...due, state: 'processing' });
  const { asked } = open(
    {},
    {
      [`POST /api/payments/${uid}`]: () => {
        throw new TypeError('network');
      },
      [`POST /api/payments/${uid}/settle`]: () => answer(),
    },
  );
  await readPayment();
  await answerAsFrame(card);
  await pay();
  expect(await screen.findByText(/You don’t need to pay again\.$/)).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(await screen.findByText(/You don’t need to pay again\.$/)).toBeDefined();
  answer = () => settled;
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(await screen.findByRole('heading', { name: 'Thank you for your payment!' })).toBeDefined();
  expect(paymentsOf(asked)).toHaveLength(1);
});

test('no response for half a minute: the page asks whether it was paid, and does not pay twice', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  const { promise: response, reject } = Promise.withResolvers<never>();
  // The browser's own time limit, on the clock of the test.
  const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const limit = new AbortController();
    setTimeout(() => {
      limit.abort();
      reject(limit.signal.reason);
    }, ms);
    return limit.signal;
  });
  onTestFinished(() => limits.mockRestore());
  const { asked } = open(
    {},
    { [`POST /api/payments/${uid}`]: () => response, [`POST /api/payments/${uid}/settle`]: () => settled },
  );
  await readPayment();
  await answerAsFrame(card);
  await pay();
  await act(() => vi.advanceTimersByTimeAsync(29_000));
  expect(screen.getByRole('button', { name: 'Paying…' })).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(1_500));
  expect(await screen.findByText(/You don’t need to pay again\.$/)).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(await screen.findByRole('heading', { name: 'Thank you for your payment!' })).toBeDefined();
  expect(paymentsOf(asked)).toHaveLength(1);
});

test('frame that makes no token: after ten seconds the page says so, and nothing is paid', async () => {
  const { asked } = open({});
  await readPayment();
  const { say } = await answerAsFrame(null);
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  act(() => say({ type: 'submit' }));
  expect(await screen.findByRole('button', { name: 'Paying…' })).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(10_500));
  expect(await screen.findByText(/^The card field could not be loaded\./)).toBeDefined();
  expect(screen.getByRole('button', { name: 'Pay $50.00' })).toBeDefined();
  expect(paymentsOf(asked)).toEqual([]);
});

test('lost response of a payment that was not made: says so', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  open(
    {},
    {
      [`POST /api/payments/${uid}`]: () => problem(503, 'unavailable'),
      [`POST /api/payments/${uid}/settle`]: () => due,
    },
  );
  await readPayment();
  await answerAsFrame(card);
  await pay();
  await screen.findByText(/You don’t need to pay again\.$/);
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(await screen.findByText(/You have not been charged\. Please try again\.$/)).toBeDefined();
  expect(screen.getByRole('button', { name: 'Pay $50.00' })).toBeDefined();
});

test('reload while a payment is checked: shows the refusal that the card company gave', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  let state: Payment['state'] = 'processing';
  open(
    {},
    {
      [`GET /api/payments/${uid}`]: () => ({ ...due, state }),
      [`POST /api/payments/${uid}/settle`]: () => {
        state = 'due';
        return problem(402, 'card-insufficient-funds');
      },
    },
  );
  expect(await screen.findByRole('heading', { name: 'We’re checking your payment' })).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(await screen.findByText(/There isn’t enough money available on this card/)).toBeDefined();
});

test('promo code: is applied before anything is paid, and a refused one is explained under its field', async () => {
  const { asked } = open(
    {},
    {
      [`POST /api/payments/${uid}/promo`]: ({ body }) =>
        (body as { code: string }).code === 'HALF'
          ? { code: 'HALF', discountRate: 50, discount: '25.00', balance: '25.00' }
          : problem(422, 'promo-not-valid'),
      [`POST /api/payments/${uid}`]: () => settled,
    },
  );
  await readPayment();
  await answerAsFrame(card);
  const field = screen.getByLabelText('Promo code (optional)');
  await user.type(field, 'nope{Enter}');
  expect(await screen.findByText('This promo code isn’t valid.')).toBeDefined();
  await user.clear(field);
  await user.type(field, 'HALF');
  await pay();
  expect(await screen.findByText('Promo code HALF')).toBeDefined();
  expect(screen.getByText(/check the new total, then pay/)).toBeDefined();
  expect(paymentsOf(asked)).toEqual([]);
  await pay('$25.00');
  await screen.findByRole('heading', { name: 'Thank you for your payment!' });
  expect(paymentsOf(asked)).toEqual([{ token, promoCode: 'HALF', amount: '25.00' }]);
});

test('promo code that covers everything: needs no card', async () => {
  const { asked } = open(
    {},
    {
      [`POST /api/payments/${uid}/promo`]: () => ({
        code: 'FREE',
        discountRate: 100,
        discount: '50.00',
        balance: '0.00',
      }),
      [`POST /api/payments/${uid}`]: () => settled,
    },
  );
  await user.type(await screen.findByLabelText('Promo code (optional)'), 'FREE{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Confirm with promo code' }));
  await screen.findByRole('heading', { name: 'Thank you for your payment!' });
  expect(paymentsOf(asked)).toEqual([{ token: null, promoCode: 'FREE', amount: '0.00' }]);
});

test('changed amount: is shown before the next try', async () => {
  let balance = '50.00';
  open(
    {},
    {
      [`GET /api/payments/${uid}`]: () => ({ ...due, balance }),
      [`POST /api/payments/${uid}`]: () => {
        balance = '80.00';
        return problem(409, 'amount-changed');
      },
    },
  );
  await readPayment();
  await answerAsFrame(card);
  await pay();
  expect(await screen.findByRole('button', { name: 'Pay $80.00' })).toBeDefined();
  expect(screen.getByText('The amount has changed. Please check it before you pay.')).toBeDefined();
});

test('nothing owed: opens the visit immediately', async () => {
  const { router } = open(settled);
  await waitFor(() => expect(router.state.location.pathname).toBe(`/appointment/${uid}/pt`));
});

test('cancelled visit, and clinic without a processor: say so', async () => {
  const cancelled = open({ cancelled: true });
  expect(await screen.findByRole('heading', { name: 'This visit was cancelled' })).toBeDefined();
  cancelled.unmount();
  open({ processor: null });
  expect(await screen.findByText(/^\$50\.00 is still to be paid/)).toBeDefined();
  const mail = screen.getByRole('link', { name: 'Email help@river.test' });
  expect(mail.getAttribute('href')).toBe('mailto:help@river.test');
});

test('less is owed than a card can be charged: says so, and leads to the visit', async () => {
  open({ state: 'small', balance: '0.30' });
  expect(await screen.findByText(/^\$0\.30 is still to be paid for this visit, which is too little/)).toBeDefined();
  const link = screen.getByRole('link', { name: 'Go to my visit' });
  expect(link.getAttribute('href')).toBe(`#/appointment/${uid}/pt`);
  expect(document.querySelector('iframe')).toBeNull();
});

test('visit of another patient: is not found', async () => {
  open({}, { [`GET /api/payments/${uid}`]: () => problem(404, 'not-found') });
  expect((await screen.findByRole('alert')).textContent).toContain('This visit doesn’t exist');
});

const receipt: Receipt = {
  number: '9',
  companyName: 'River Clinic',
  supportEmail: 'help@river.test',
  timeZone: 'UTC',
  currency: 'USD',
  patient: { firstName: 'Ann', lastName: 'O’Lee' },
  doctor: { firstName: 'Maya', lastName: 'Reyes' },
  startDate: '2026-11-21T14:00:00Z',
  fee: '75.00',
  lines: [
    { kind: 'promo', date: '2026-11-20T10:00:00Z', amount: '25.00', cardBrand: '', cardLast4: '' },
    { kind: 'charge', date: '2026-11-20T10:00:00Z', amount: '50.00', cardBrand: 'visa', cardLast4: '4242' },
  ],
  paid: '75.00',
  balance: '0.00',
};

/** Shows a receipt; returns the texts of its rows. */
async function showReceipt(shown: Receipt) {
  setTabKind('patient');
  startSignIn('patient', accessToken({ roles: 'P' }));
  fakeServer({ [`GET /api/receipts/${uid}`]: () => shown });
  renderScreen(
    <Routes>
      <Route path="/receipt/:uid" element={<ReceiptPage />} />
    </Routes>,
    `/receipt/${uid}`,
  );
  await screen.findByRole('heading', { name: 'Receipt' });
  return (await screen.findAllByRole('row')).map((row) => row.textContent);
}

test.each([
  ['that did not reach the card: is paid as before', '75.00', ['Total paid$50.00', 'Balance due$0.00']],
  ['that did: nothing is owed', '0.00', ['Total paid$0.00']],
])('receipt after a refund %s', async (_what, paid, sums) => {
  const card = { kind: 'refund' as const, cardBrand: 'visa', cardLast4: '4242' };
  const made = { ...card, date: '2026-11-21T10:00:00Z', amount: '-50.00' };
  const failed = { ...card, date: '2026-11-25T10:00:00Z', amount: '50.00' };
  const isBack = paid !== '0.00';
  const lines = [...receipt.lines, made, ...(isBack ? [failed] : [])];
  const rows = await showReceipt({ ...receipt, lines, paid, balance: isBack ? '0.00' : '75.00' });
  expect(rows).toContain('Refunded to Visa ending in 4242 11/21/2026$50.00');
  expect(rows.includes('Refund that did not reach Visa ending in 4242 11/25/2026-$50.00')).toBe(isBack);
  expect(rows.slice(-sums.length)).toEqual(sums);
});

test('receipt of a payment that the clinic has returned itself: nothing is owed', async () => {
  const card = { kind: 'refund' as const, cardBrand: 'visa', cardLast4: '4242', date: '2026-11-21T10:00:00Z' };
  const back = { ...card, kind: 'manual' as const, cardBrand: '', cardLast4: '', amount: '-50.00' };
  const refunds = [{ ...card, amount: '-50.00' }, { ...card, amount: '50.00' }, back];
  const rows = await showReceipt({
    ...receipt,
    lines: [...receipt.lines, ...refunds],
    paid: '25.00',
    balance: '50.00',
  });
  expect(rows.slice(-2)).toEqual(['Returned by the clinic 11/21/2026$50.00', 'Total paid$0.00']);
});

test('lost response after an earlier refusal: the page asks about its own payment only', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  let ended = 0;
  let isDown = false;
  const { asked } = open(
    {},
    {
      [`GET /api/payments/${uid}`]: () => ({ ...due, endedCharges: ended }),
      [`POST /api/payments/${uid}`]: () => {
        if (isDown) throw new TypeError('network');
        ended += 1;
        return problem(402, 'card-declined');
      },
      [`POST /api/payments/${uid}/settle`]: () => ({ ...due, endedCharges: ended }),
    },
  );
  await readPayment();
  await answerAsFrame(card);
  await pay();
  await screen.findByText(/Your card was declined/);
  isDown = true;
  await answerAsFrame(card);
  await pay();
  await screen.findByText(/You don’t need to pay again\.$/);
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(await screen.findByText(/You have not been charged\. Please try again\.$/)).toBeDefined();
  expect(asked.filter(({ path }) => path.endsWith('/settle')).map(({ body }) => body)).toEqual([{ endedCharges: 1 }]);
});

test('receipt: lists what was charged and discounted, with the card’s brand and last four digits', async () => {
  expect(await showReceipt(receipt)).toEqual([
    'Fee$75.00',
    'Promo code 11/20/2026-$25.00',
    'Paid with Visa ending in 4242 11/20/2026-$50.00',
    'Total paid$50.00',
    'Balance due$0.00',
  ]);
  expect(screen.getByRole('button', { name: 'Print' })).toBeDefined();
  expect(document.title).toBe('River Clinic · Roomside');
});
