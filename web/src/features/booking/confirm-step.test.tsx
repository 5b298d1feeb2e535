import 'temporal-polyfill/global';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderScreen } from '../../testing/render.tsx';
import { fakeServer, problem } from '../../testing/server.ts';
import { BookingPage } from './BookingPage.tsx';
import { type Confirmation, freshBooking, saveBooking } from './booking-state.ts';

const companyUid = 'c'.repeat(32);
const clinic = {
  companyName: 'River Clinic',
  timeZone: 'UTC',
  duration: 30,
  supportEmail: '',
  providers: [{ userId: 1, firstName: 'Ada', lastName: 'Ames' }],
  firstDay: '2031-03-01',
  lastDay: '2031-05-30',
  allowReq: false,
  now: '2031-03-01T12:00:00.000Z',
};
const person = {
  firstName: 'Niamh',
  lastName: 'Brophy',
  month: '3',
  day: '4',
  year: '1979',
  phone: '',
  email: 'niamh@example.test',
};
const startDate = '2031-03-04T15:00:00.000Z';
const later = '2031-03-04T16:00:00.000Z';
const user = userEvent.setup();

/** The response to a booking without a code; it sends one. The start is held until the given second. */
const sent = (heldSeconds = 600) => {
  const now = Date.now();
  const current = {
    method: 'email',
    expires: new Date(now + heldSeconds * 1000).toISOString(),
    now: new Date(now).toISOString(),
  };
  return problem(409, 'confirm-contact', { current });
};
const wrong = () => problem(422, 'wrong-confirmation', { fields: { code: 'This code isn’t right.' } });
const taken = () => problem(409, 'slot-taken', { current: { free: [{ startDate: later, doctorId: 1 }] } });

beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined);
});

/**
 * Shows the details of a held start and books it; the server responds with these in turn. Each new hold has another uid. Returns the bodies of
 * the bookings.
 */
async function book(...responses: (() => Response)[]) {
  const held = { holdUid: '0'.repeat(32), startDate, doctorId: 1, until: Date.now() + 300_000 };
  saveBooking(companyUid, { ...freshBooking(), doctorId: 1, held, person });
  let holds = 0;
  const { asked } = fakeServer({
    [`GET /api/booking/${companyUid}`]: () => clinic,
    [`POST /api/booking/${companyUid}/hold`]: ({ body }) => {
      holds += 1;
      const now = Date.now();
      const [expires, at] = [new Date(now + 300_000).toISOString(), new Date(now).toISOString()];
      return { ...(body as object), holdUid: `${holds}`.repeat(32), expires, now: at };
    },
    [`POST /api/booking/${companyUid}/book`]: () => responses.shift()?.(),
  });
  renderScreen(
    <Routes>
      <Route path="/patient/book/:companyUid" element={<BookingPage />} />
    </Routes>,
    `/patient/book/${companyUid}?step=details`,
  );
  await user.click(await screen.findByRole('button', { name: 'Book this visit' }));
  expect(await screen.findByRole('heading', { name: 'Enter your code' })).toBe(document.activeElement);
  return () =>
    asked
      .filter(({ path }) => path.endsWith('/book'))
      .map(({ body }) => body as { holdUid: string } & Partial<Confirmation>);
}
const field = () => screen.getByLabelText<HTMLInputElement>('6-digit code');

test('typed code that has ended: the field is empty and focused, and an alert says that a new code was sent', async () => {
  const bodies = await book(sent, wrong, sent, sent);
  await user.type(field(), '123456{Enter}');
  expect(await screen.findByText('This code isn’t right.')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Book this visit' }));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toBe('That code no longer works. We sent a new one.');
  expect([field().value, document.activeElement]).toEqual(['', field()]);
  expect(screen.queryByText('This code isn’t right.')).toBeNull();
  // A code that is sent on request is not an error.
  await user.type(field(), '654');
  await user.click(screen.getByRole('button', { name: 'Send a new code' }));
  expect((await screen.findByText('We sent a new code.')).closest('[role=status]')).not.toBeNull();
  expect([field().value, screen.queryByRole('alert')]).toEqual(['', null]);
  expect(bodies().map((body) => ('code' in body ? body.code : 'sendAgain' in body))).toEqual([
    false,
    '123456',
    '123456',
    true,
  ]);
});

test('new code for a time that was taken meanwhile: free times are offered, and nothing says that a code was sent', async () => {
  const bodies = await book(sent, taken, sent);
  const again = screen.getByRole('button', { name: 'Send a new code' });
  await user.click(again);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toMatch(/^Someone else just took this time/);
  expect(screen.queryByText('We sent a new code.')).toBeNull();
  expect(document.activeElement).toBe(again);
  // The code was for the former time.
  await user.click(screen.getByRole('button', { name: /\d:00 [AP]M/ }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Your details' })));
  expect(screen.queryByLabelText('6-digit code')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Book this visit' }));
  expect(await screen.findByLabelText('6-digit code')).toBeDefined();
  expect(bodies().at(-1)?.holdUid).toBe('1'.repeat(32));
});

test('time that is held again: the details are shown again, since the code was for the former hold', async () => {
  const bodies = await book(() => sent(0), sent);
  await user.type(field(), '123');
  await user.click(await screen.findByRole('button', { name: 'Hold this time again' }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Your details' })));
  expect(screen.queryByLabelText('6-digit code')).toBeNull();
  expect(within(screen.getByRole('main')).getByText('We’re holding this time for you.')).toBeDefined();
  expect(screen.getByLabelText<HTMLInputElement>('First name').value).toBe('Niamh');
  await user.click(screen.getByRole('button', { name: 'Book this visit' }));
  expect(await screen.findByLabelText('6-digit code')).toHaveProperty('value', '');
  expect(bodies().at(-1)?.holdUid).toBe('1'.repeat(32));
});

test('Change my details: the first field has the focus', async () => {
  await book(sent);
  await user.click(screen.getByRole('button', { name: 'Change my details' }));
  expect(document.activeElement).toBe(screen.getByLabelText('First name'));
});
