import 'temporal-polyfill/global';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { patterns } from '../../paths.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { toast, toastQueue } from '../../ui/toast.ts';
import { DayPage } from './DayPage.tsx';

const names = ['Ada', 'Ben', 'Cai', 'Dee', 'Eve'];
const visit = {
  appointmentId: 5,
  version: 3,
  patientId: 9,
  doctorId: 1,
  status: 'scheduled',
  overlaps: false,
  startDate: '2026-06-10T13:00:00.000Z',
  endDate: '2026-06-10T13:30:00.000Z',
  patient: "O'Brien, Siobhan",
};

beforeEach(() => {
  sessionStorage.clear();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});

function openDay(providers: number, more: Parameters<typeof fakeServer>[0] = {}, date = '2026-06-10') {
  const server = fakeServer({
    'GET /api/sign-in': () => ({ company: { companyId: 1, timeZone: 'America/New_York' } }),
    'GET /api/schedule/settings': () => ({
      physicians: names
        .slice(0, providers)
        .map((firstName, index) => ({ userId: index + 1, firstName, lastName: 'L' })),
      settings: { startHour: 8, endHour: 17, slot: 15, duration: 30, timeZone: 'America/New_York' },
    }),
    'GET /api/schedule': () => ({ data: [visit], open: [], timeOff: [], busy: [] }),
    'GET /api/booking-requests': () => ({ data: [] }),
    'GET /api/waiting-room/count': () => 0,
    ...more,
  });
  startSignIn('staff', accessToken());
  renderScreen(
    <Routes>
      <Route path={patterns.scheduleDailyOf} element={<DayPage />} />
    </Routes>,
    `/schedule/daily/${date}`,
  );
  return server;
}
const dayGrid = () => screen.findByRole('group', { name: 'Wednesday, June 10, 2026' });

test.each([
  [4, false],
  [5, true],
])('day with %i providers: is condensed: %s @CONST-12', async (providers, condensed) => {
  openDay(providers);
  const day = await dayGrid();
  expect(within(day).getAllByRole('group')).toHaveLength(providers);
  expect(day.hasAttribute('data-condensed')).toBe(condensed);
});

test.each([
  ['2026-06-10', false, 'June 10'],
  ['2026-11-10', true, 'November 10'],
])(
  'clinic whose clock differs in winter only, %s: says that the times are clinic time: %s',
  async (date, says, name) => {
    vi.spyOn(Temporal.Now, 'timeZoneId').mockReturnValue('America/Phoenix');
    onTestFinished(() => void vi.restoreAllMocks());
    const company = { companyId: 1, timeZone: 'America/Los_Angeles' };
    openDay(1, { 'GET /api/sign-in': () => ({ company }) }, date);
    await screen.findByRole('heading', { level: 1, name: new RegExp(name) });
    expect(screen.queryByText('Times are in clinic time (Pacific Time).') !== null).toBe(says);
  },
);

test('entry alone, small, in two and three lanes, and continued from the day before: its name starts with its text', async () => {
  const times = [
    ['03:30', '04:30'],
    ['13:00', '14:00'],
    ['15:00', '15:15'],
    ...Array(2).fill(['16:00', '17:00']),
    ...Array(3).fill(['18:00', '19:00']),
  ];
  const data = times.map(([from, to], index) => ({
    ...visit,
    appointmentId: index + 1,
    startDate: `2026-06-10T${from}:00.000Z`,
    endDate: `2026-06-10T${to}:00.000Z`,
  }));
  openDay(1, { 'GET /api/schedule': () => ({ data, open: [], timeOff: [], busy: [] }) });
  const entries = within(await dayGrid()).getAllByRole('link');
  const shown = (entry: HTMLElement) => [...entry.children].map(({ textContent }) => textContent).join('');
  expect(entries.map((entry) => [shown(entry), entry.dataset['narrow'], entry.dataset['small']])).toEqual([
    ["O'Brien, Siobhan until 12:30 AM", undefined, undefined],
    ["O'Brien, Siobhan 9:00 AM", undefined, undefined],
    ["O'Brien, Siobhan 11:00 AM", undefined, 'true'],
    ...Array(2).fill(["O'Brien, Siobhan 12:00 PM", undefined, undefined]),
    ...Array(3).fill(["O'Brien, Siobhan 2:00", 'true', undefined]),
  ]);
  for (const entry of entries) expect(entry.getAttribute('aria-label')).toMatch(new RegExp(`^${shown(entry)}\\b`));
});

test('keyboard cursor: stays out of the column of a former provider @SCHED-2', async () => {
  const user = userEvent.setup();
  openDay(2, {
    'GET /api/schedule': () => ({ data: [{ ...visit, doctorId: 99 }], open: [], timeOff: [], busy: [] }),
  });
  const day = await dayGrid();
  expect(within(day).getByRole('heading', { name: /Former provider/ })).toBeTruthy();
  within(day)
    .getByRole('button', { name: /^New appointment at 8:00 AM with Ada L/ })
    .focus();
  await user.keyboard('{ArrowRight}{ArrowRight}{ArrowRight}');
  expect(document.activeElement?.getAttribute('aria-label')).toMatch(/with Ben L/);
  await user.keyboard('{ArrowLeft}');
  expect(document.activeElement?.getAttribute('aria-label')).toMatch(/with Ada L/);
});

test.each([
  ['stale', 409, 'Someone else has changed this in the meantime.'],
  ['server-error', 500, 'Something went wrong on our side. Please try again.'],
] as const)('move refused with %s: is reverted with a message @STATE-25', async (code, status, words) => {
  const user = userEvent.setup();
  const refuse = Promise.withResolvers<void>();
  const { asked } = openDay(2, {
    'POST /api/appointments/5/move': () => problem(status, code),
  });
  const real = globalThis.fetch;
  vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) => {
    if ((args[0] as string).endsWith('/move')) await refuse.promise;
    return real(...args);
  });
  const before = await screen.findByRole('link', { name: /^O'Brien, Siobhan 9:00 AM to 9:30 AM/ });
  before.focus();
  await user.keyboard(' {ArrowRight}{ArrowDown} ');
  const moved = await screen.findByRole('link', { name: /^O'Brien, Siobhan 9:15 AM to 9:45 AM, with Ben L/ });
  await waitFor(() => expect(moved).toBe(document.activeElement));
  const reads = () => asked.filter(({ path }) => path === '/api/schedule').length;
  const read = reads();
  refuse.resolve();
  expect(await screen.findByText(words)).toBeTruthy();
  expect(await screen.findByRole('link', { name: /^O'Brien, Siobhan 9:00 AM to 9:30 AM, with Ada L/ })).toBeTruthy();
  await waitFor(() => expect(reads()).toBe(read + 1));
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({
    startDate: '2026-06-10T13:15:00.000Z',
    doctorId: 2,
    version: 3,
  });
});

test.each([
  ['held', "Siobhan O'Brien moved to 9:15 AM\\b.* They’ll be notified in 10 s."],
  ['notInvited', "Siobhan O'Brien moved to 9:15 AM\\b.* They haven’t been invited yet, so nothing is sent."],
])('move with the notice %s: says who moved and what is sent', async (notice, words) => {
  const user = userEvent.setup();
  const place = (version: number, startDate: string, endDate: string) => ({ version, startDate, endDate });
  const answers = [
    { ...place(4, '2026-06-10T13:15:00.000Z', '2026-06-10T13:45:00.000Z'), notice },
    { ...place(5, visit.startDate, visit.endDate), notice: 'none' },
  ];
  const { asked } = openDay(2, { 'POST /api/appointments/5/move': () => answers.shift() });
  (await screen.findByRole('link', { name: /^O'Brien, Siobhan 9:00 AM/ })).focus();
  await user.keyboard(' {ArrowDown} ');
  expect(await screen.findByText(new RegExp(words))).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText(/Siobhan O'Brien moved back to 9:00 AM\b.* Nothing is sent\./)).toBeTruthy();
  expect(asked.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    { startDate: '2026-06-10T13:15:00.000Z', doctorId: 1, version: 3 },
    { startDate: visit.startDate, doctorId: 1, version: 4 },
  ]);
});

test('move to another provider at the same time: says the provider', async () => {
  const user = userEvent.setup();
  const place = { startDate: visit.startDate, endDate: visit.endDate, notice: 'held' };
  openDay(2, { 'POST /api/appointments/5/move': () => ({ ...place, version: 4 }) });
  (await screen.findByRole('link', { name: /^O'Brien, Siobhan 9:00 AM/ })).focus();
  await user.keyboard(' {ArrowRight} ');
  expect(await screen.findByText(/Siobhan O'Brien moved to Ben L\. They’ll be notified in 10 s/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText(/Siobhan O'Brien moved back to Ada L\./)).toBeTruthy();
});

test('move to a taken time: is made to the free time that is chosen instead', async () => {
  const user = userEvent.setup();
  const [chosen, end] = ['2026-06-10T14:00:00.000Z', '2026-06-10T14:30:00.000Z'];
  const taken = { appointmentId: 6, startDate: visit.startDate, endDate: visit.endDate };
  const current = {
    appointment: { ...taken, patient: { firstName: 'Ann', lastName: 'Lee' } },
    free: [{ startDate: chosen, doctorId: 1 }],
  };
  const answers = [
    () => problem(409, 'slot-taken', { current }),
    () => ({ version: 4, startDate: chosen, endDate: end, notice: 'none' }),
  ];
  const { asked } = openDay(2, { 'POST /api/appointments/5/move': () => answers.shift()?.() });
  (await screen.findByRole('link', { name: /^O'Brien, Siobhan 9:00 AM/ })).focus();
  await user.keyboard(' {ArrowDown} ');
  const question = within(await screen.findByRole('alertdialog'));
  expect(question.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Wednesday, June 10, 2026, 10:00 AM/),
    'Pick another time',
    'Book anyway',
  ]);
  // Not the red answer: a second Enter must not double-book.
  expect(document.activeElement?.textContent).toMatch(/10:00 AM/);
  await user.keyboard('{Enter}');
  expect(await screen.findByText(/Siobhan O'Brien moved to 10:00 AM/)).toBeTruthy();
  expect(asked.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    { startDate: '2026-06-10T13:15:00.000Z', doctorId: 1, version: 3 },
    { startDate: chosen, doctorId: 1, version: 3 },
  ]);
});

test('started appointment: cannot be picked up', async () => {
  const user = userEvent.setup();
  const { asked } = openDay(2, {
    'GET /api/schedule': () => ({ data: [{ ...visit, status: 'completed' }], open: [], timeOff: [], busy: [] }),
  });
  const link = await screen.findByRole('link', { name: /O'Brien.*completed$/ });
  link.focus();
  await user.keyboard(' {ArrowDown} ');
  expect(await screen.findByText('This visit has already started or is over. It can’t be moved.')).toBeTruthy();
  expect(asked.some(({ method }) => method === 'POST')).toBe(false);
});

test('time request: opens a new appointment, and is removed when marked as handled', async () => {
  const user = userEvent.setup();
  const request = {
    requestId: 4,
    created: '2026-06-01T12:00:00Z',
    patientId: 9,
    doctor: null,
    wish: 'Evenings, please.',
    patient: { firstName: 'Siobhan', lastName: "O'Brien" },
    phone: '2125551000',
    email: '',
  };
  let open = [request];
  openDay(2, {
    'GET /api/booking-requests': () => ({ data: open }),
    'POST /api/booking-requests/4/close': () => {
      open = [];
      return undefined;
    },
  });
  await dayGrid();
  await user.click(screen.getByRole('button', { name: 'Date and providers' }));
  const requests = await screen.findByRole('region', { name: 'Time requests (1)' });
  expect(within(requests).getByText('Evenings, please.')).toBeTruthy();
  const make = within(requests).getByRole('link', { name: "Make appointment for Siobhan O'Brien" });
  expect(make.getAttribute('href')).toBe('/appointment-edit/9/0');
  await user.click(within(requests).getByRole('button', { name: "Mark as handled: the request from Siobhan O'Brien" }));
  await waitFor(() => expect(screen.queryByRole('region', { name: /^Requests/ })).toBeNull());
  expect(await screen.findByText('The request has been marked as handled.')).toBeTruthy();
});

test('closures and leave: are shown in the columns, also outside of the clinic’s hours', async () => {
  openDay(2, {
    'GET /api/schedule': () => ({
      data: [{ ...visit, startDate: '2026-06-10T10:30:00.000Z', endDate: '2026-06-10T11:00:00.000Z' }],
      open: [{ date: '2026-06-10', doctorId: 1, start: 1020, end: 1110 }],
      timeOff: [
        { timeOffId: 1, userId: null, firstDay: '2026-06-10', lastDay: '2026-06-10', reason: 'Painting' },
        { timeOffId: 2, userId: 2, firstDay: '2026-06-09', lastDay: '2026-06-11', reason: '' },
        { timeOffId: 3, userId: 1, firstDay: '2026-06-11', lastDay: '2026-06-11', reason: 'Elsewhere' },
      ],
      busy: [],
    }),
  });
  const day = await dayGrid();
  expect(within(day).getAllByText('Closed: Painting')).toHaveLength(2);
  expect(within(day).getAllByText('On leave')).toHaveLength(1);
  expect(within(day).queryByText(/Elsewhere/)).toBeNull();
  expect(within(day).getByText('6 AM')).toBeTruthy();
  expect(within(day).getByText('6 PM')).toBeTruthy();
  expect(within(day).queryByText('7 PM')).toBeNull();
});

test('appointment from the day before: is shown until its end, and cannot be moved here', async () => {
  const user = userEvent.setup();
  const late = { ...visit, startDate: '2026-06-10T03:30:00.000Z', endDate: '2026-06-10T05:15:00.000Z' };
  openDay(1, { 'GET /api/schedule': () => ({ data: [late], open: [], timeOff: [], busy: [] }) });
  const box = await screen.findByRole('link', {
    name: "O'Brien, Siobhan until 1:15 AM, from 11:30 PM the day before, with Ada L, scheduled",
  });
  // The accessible name starts with the visible text (WCAG 2.5.3).
  expect(box.getAttribute('aria-label')).toContain(box.textContent.trim());
  expect(box.textContent).toContain('until 1:15 AM');
  box.focus();
  await user.keyboard(' ');
  expect(toastQueue.get().map(({ text }) => text)).toEqual(['It started the day before. Move it there.']);
  expect(document.querySelector('.sch-ghost')).toBeNull();
});

test('busy times of external calendars: are in the provider’s column, with their times, within the shown hours', async () => {
  openDay(2, {
    'GET /api/schedule': () => ({
      data: [],
      open: [],
      timeOff: [],
      busy: [
        { doctorId: 1, startDate: '2026-06-10T13:00:00.000Z', endDate: '2026-06-10T14:30:00.000Z' },
        { doctorId: 1, startDate: '2026-06-09T00:00:00.000Z', endDate: '2026-06-10T00:00:00.000Z' },
        { doctorId: 2, startDate: '2026-06-11T00:00:00.000Z', endDate: '2026-06-12T00:00:00.000Z' },
      ],
    }),
  });
  const day = await dayGrid();
  expect(
    within(day)
      .getAllByText(/Busy \(external calendar\)/)
      .map((one) => one.textContent),
  ).toEqual([expect.stringMatching(/^Busy \(external calendar\) from \d+:00 [AP]M to \d+:30 [AP]M$/)]);
});
