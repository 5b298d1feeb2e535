import fs from 'node:fs';
import type { Page } from '@playwright/test';
import { type Api, apiAs, bookAppointment, dayAhead } from './support/api.ts';
import {
  expect,
  expectAccessible,
  expectRowsOf,
  expectToast,
  headingOf,
  jumpErrors,
  phone,
  signIn,
  test,
} from './support/story.ts';

/** '11/21/2026' and '1/5/2026' of '2026-01-05'. */
const padded = (date: string) => `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`;
const short = (date: string) => padded(date).replaceAll(/(^|\/)0/g, '$1');

const rows = (page: Page) => page.getByRole('table', { name: 'Appointments' }).locator('tbody tr');
const row = (page: Page, patient: string) => rows(page).filter({ hasText: patient });
const open = (page: Page, date: string) => page.goto(`/#/appointment-list/${date}`);

test('list of a doctor: starts with their own appointments of today, and shows other days and providers @LIST-2 @LIST-3 @LIST-4 @LIST-5 @LIST-7 @LIST-22 @ROUTE-4', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(60);
  await bookAppointment(api, { doctor: 'Reyes', patient: 'Nguyen', date, time: '0900' });
  await bookAppointment(api, { doctor: 'Lindqvist', patient: 'Silva', date, time: '0900' });
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  await page.getByRole('link', { name: 'Today' }).click();
  await expect(page).toHaveURL(new RegExp(`#/appointment-list/${dayAhead(0)}$`));
  await expect(headingOf(page)).toHaveText('Appointments');
  const provider = page.getByRole('combobox', { name: 'Provider' });
  await expect(provider).toHaveText('Maya Reyes');
  await expect(page.getByRole('link', { name: 'New Appointment' })).toHaveAttribute('href', '#/appointment-edit/0/0');

  await open(page, date);
  await expect(headingOf(page)).toHaveText(`Appointments for ${padded(date)}`);
  await expect(row(page, 'Nguyen')).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await provider.click();
  await expect(page.getByRole('option').first()).toHaveText('All Providers');
  await page.getByRole('option', { name: 'All Providers' }).click();
  await expect(rows(page)).toHaveCount(2);

  const next = page.getByRole('link', { name: 'Next day' });
  await expect(next).toHaveText(short(dayAhead(61)));
  await next.click();
  await expect(page).toHaveURL(new RegExp(`#/appointment-list/${dayAhead(61)}$`));
  await expect(page.getByText('No appointments found.')).toBeVisible();
  const add = page.getByRole('main').getByRole('link', { name: 'New Appointment' });
  await expect(add).toHaveAttribute('href', `#/appointment-edit/0/0?date=${dayAhead(61)}`);
  const previous = page.getByRole('link', { name: 'Previous day' });
  await expect(previous).toHaveText(short(date));
  await previous.click();
  // The choice is kept.
  await expect(rows(page)).toHaveCount(2);
  await page.reload();
  await expect(rows(page)).toHaveCount(2);
  await expect(provider).toHaveText('All Providers');

  await page.goto('/#/appointment-list/2026-02-30');
  await expect(page).toHaveURL(/#\/not-found$/);
});

test('columns: show date, patient, doctor, status, duration and collected @LIST-8 @LIST-9 @LIST-10 @LIST-11 @LIST-12 @LIST-13 @LIST-14 @LIST-15 @LIST-17 @LIST-20 @VALID-32', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(62);
  const visit = await bookAppointment(api, {
    doctor: 'Reyes',
    patient: "O'Brien",
    date,
    time: '1315',
    fee: '60',
    collected: '25',
  });
  const dropped = await bookAppointment(api, { doctor: 'Reyes', patient: 'Petrov', date, time: '1400' });
  await cancel(api, dropped.appointmentId);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await open(page, date);
  await expect(page.getByRole('columnheader')).toHaveText([
    'Date/Time',
    'Patient',
    'Doctor',
    'Status',
    'Duration',
    'Collected',
    'Actions',
  ]);
  const planned = row(page, "O'Brien");
  const when = planned.getByRole('link', { name: 'edit the appointment' });
  const day = padded(date);
  await expect(when).toHaveText(`${day}, 1:15 PM`);
  await expect(when).toHaveAttribute('href', `#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  const patient = planned.getByRole('link', { name: /^O'Brien, \w+$/ });
  await expect(patient).toHaveAttribute('href', `#/patient-edit/${visit.patientId}`);
  await expect(planned.getByRole('cell', { name: 'Maya R.' })).toBeVisible();
  const status = planned.getByRole('img', { name: /^Scheduled for .+1:15 PM$/ });
  await expect(status).toHaveText('Scheduled');
  await status.hover();
  await expect(page.getByRole('tooltip')).toContainText('Scheduled for');
  await expect(planned.getByRole('cell').nth(5)).toHaveText('$25.00');
  // A collected amount: it cannot be deleted.
  await expect(planned.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
  await planned.getByRole('link', { name: /^Enter the room and wait/ }).focus();
  // The button is as high as the row, so its ring is inside of it.
  await page.keyboard.press('Shift+Tab');
  await expect(planned.getByRole('button', { name: /invitation/ })).toHaveCSS('outline', /2px/);
  await expect(planned.getByRole('button', { name: /invitation/ })).toHaveCSS('outline-offset', '-2px');

  const cancelled = row(page, 'Petrov');
  await expect(cancelled.locator('s')).toHaveText(`${day}, 2:00 PM`);
  await expect(cancelled.getByRole('img', { name: /^Cancelled/ })).toBeVisible();
  await expect(cancelled.getByRole('button', { name: /^Delete/ })).toBeVisible();
  await expect(cancelled.getByRole('button', { name: /invitation/ })).toHaveCount(0);

  // A completed appointment.
  const past = await pastVisit(api);
  await open(page, past.date);
  const done = rows(page).filter({ has: page.locator(`a[href$="/${past.appointmentId}"]`) });
  await expect(done.getByRole('img', { name: /^Completed/ })).toBeVisible();
  await expect(done.getByRole('cell').nth(4)).toHaveText(past.duration);
  await expect(done.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
  await expect(done.getByRole('link', { name: /^Enter the room/ })).toHaveCount(0);
  await expectAccessible(page);
});

test('delete: asks first, and the server may refuse @LIST-20 @ABOUT-11', async ({ someone, demo, allow }) => {
  allow(/409/);
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(63);
  await bookAppointment(api, { doctor: 'Reyes', patient: 'Tanaka', date, time: '0900' });
  const noted = await bookAppointment(api, { doctor: 'Reyes', patient: 'Mensah', date, time: '1000' });
  await api('PUT', `/api/appointments/${noted.appointmentId}/notes`, { notes: 'Called.', notesVersion: 0 });
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await open(page, date);
  await expect(page.getByText('1 – 2 of 2')).toBeVisible();
  const remove = row(page, 'Tanaka').getByRole('button', { name: /^Delete/ });
  await remove.click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Would you like to delete this record?');
  await expect(question).toContainText(/Tanaka.*9:00 AM/);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(row(page, 'Tanaka')).toBeVisible();
  await remove.click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(row(page, 'Tanaka')).toHaveCount(0);
  await expect(page.getByText('1 – 1 of 1')).toBeVisible();
  await expectToast(page, 'The appointment has been deleted.');

  await row(page, 'Mensah')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(
    page.getByText('This appointment has payments, a visit, notes, files, or recordings. Cancel it instead.'),
  ).toBeVisible();
  await expect(row(page, 'Mensah')).toBeVisible();
});

test('invitation: is sent alone, or with the room opened @LIST-18 @LIST-21 @STATE-4', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(64);
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Kowalski', date, time: '0900' });
  const logs = async () =>
    (await api<{ notificationLogs: unknown[] }>('GET', `/api/appointments/${visit.appointmentId}`)).notificationLogs
      .length;
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  await open(page, date);
  const invite = row(page, 'Kowalski').getByRole('button', { name: /^Send an invitation/ });
  await invite.click();
  const question = page.getByRole('alertdialog', { name: 'Confirmation' });
  await expect(question).toContainText('Would you like to send an invitation?');
  await expect(question).toContainText(/Kowalski.*9:00 AM.*To \S+@\S+/);
  for (const name of ['Invitation Only', 'Invite and Connect', 'Cancel']) {
    await expect(question.getByRole('button', { name })).toBeVisible();
  }
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toHaveCount(0);
  expect(await logs()).toBe(0);

  await invite.click();
  await question.getByRole('button', { name: 'Invitation Only' }).click();
  await expectToast(page, 'The patient has been notified.');
  expect(await logs()).toBeGreaterThan(0);

  const before = Date.now();
  await invite.click();
  await question.getByRole('button', { name: 'Invite and Connect' }).click();
  await expectToast(page, "We've notified the patient. Please wait in the room.");
  await expect(page).toHaveURL(new RegExp(`#/appointment/${visit.appointmentUid}$`));
  const { startDate } = await api<{ startDate: string }>('GET', `/api/appointments/${visit.appointmentId}`);
  expect(Math.abs(Date.parse(startDate) - before)).toBeLessThan(30_000);
});

test('arriving patient: appears in the list without a reload @LIST-19', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookAppointment(api, { doctor: 'Lindqvist', patient: 'Rossi' });
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/appointment-list');
  // Other stories book for today, too.
  await page.getByRole('searchbox').fill('Rossi');
  await expectRowsOf(page, 'Rossi');
  const entry = page.locator(`a[href="#/appointment/${visit.appointmentUid}"]`);
  await expect(entry).toHaveAccessibleName(/^Enter the room and wait: /);
  const tooltip = page.getByRole('tooltip');
  await entry.hover();
  await expect(tooltip).toHaveText('Enter the room and wait');
  await page.mouse.move(0, 0);
  await expect(tooltip).toHaveCount(0);
  const patient = await someone({ viewport: phone });
  await patient.page.goto(`/#/link/${visit.accessCode}`);
  await expect(entry).toHaveAccessibleName(/^Patient is waiting: /);
  const warning = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(--rs-warning)';
    return getComputedStyle(probe).color;
  });
  await expect(entry).toHaveCSS('color', warning);
  await entry.hover();
  await expect(tooltip).toHaveText('Patient is waiting');
  await patient.context.close();
});

test('CSV download: has the list of the day as shown @LIST-6 @CALL-7', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(65);
  for (const [index, patient] of ['Silva', 'Cohen', "O'Brien"].entries()) {
    await bookAppointment(api, { doctor: index === 1 ? 'Lindqvist' : 'Reyes', patient, date, time: `1${index}00` });
  }
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  await open(page, date);
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Patient' }).click();
  await expect(rows(page).first()).toContainText("O'Brien");
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`report_${date}.csv`);
  const lines = fs
    .readFileSync(await file.path(), 'utf8')
    .trim()
    .split(/\r?\n/);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain('Fee');
  expect(lines[1]).toContain("O'Brien");
  expect(lines[2]).toContain('America/New_York');
  expect(lines[2]).toContain('Silva');
});

test('a list remembers sort, page and search over a reload; refresh begins at the first page @ABOUT-5 @ABOUT-6 @ABOUT-7 @ABOUT-8 @ABOUT-9 @ABOUT-10 @LIST-16 @CONST-16', async ({
  someone,
  demo,
  allow,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(66);
  const names = ['Ali', 'Cohen', 'Dubois', 'Haddad', 'Johnson', 'Larsen'];
  for (const [index, patient] of names.entries()) {
    await bookAppointment(api, { doctor: 'Reyes', patient, date, time: `1${index}00` });
  }
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  const asked: URLSearchParams[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname === '/api/appointments') asked.push(url.searchParams);
  });
  const last = () => Object.fromEntries(asked.at(-1) ?? []);
  await open(page, date);
  await expect(page.getByText('1 – 6 of 6')).toBeVisible();
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await expect(page.getByRole('option')).toHaveText(['5', '10', '20', '50']);
  await page.getByRole('option', { name: '5', exact: true }).click();
  await expect(page.getByText('1 – 5 of 6')).toBeVisible();

  const sort = page.getByRole('button', { name: 'Patient' });
  await sort.click();
  await sort.click();
  await expect(rows(page).first()).toContainText('Larsen');
  await page.getByRole('button', { name: 'Go to next page' }).click();
  await expect(page.getByText('6 – 6 of 6')).toBeVisible();
  await expect(rows(page)).toHaveText([/Ali/]);
  // Pushed changes may have repeated the call, which then counts again.
  const page2 = { top: '5', skip: '5', pageIndex: '1', orderBy: 'patient desc', total: '6', startDate: date };
  expect(asked.map((query) => Object.fromEntries(query))).toContainEqual(expect.objectContaining(page2));

  await page.reload();
  await expect(page.getByText('6 – 6 of 6')).toBeVisible();
  await expect(rows(page)).toHaveText([/Ali/]);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('1 – 5 of 6')).toBeVisible();
  await expect(rows(page).first()).toContainText('Larsen');
  await sort.click();
  await expect(rows(page).first()).toContainText('Ali');
  expect(last()).not.toHaveProperty('orderBy');

  const before = asked.length;
  allow(jumpErrors);
  // The page's clock stands still while typing: on a busy machine two keys may be half a second apart.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('searchbox').pressSequentially('johnson');
  await page.clock.resume();
  await expect(page.getByText('1 – 1 of 1')).toBeVisible();
  // No partial text. Pushed changes may have repeated the call, also before the pause was over.
  const filters = asked.slice(before).flatMap((query) => query.get('filter') ?? []);
  expect([...new Set(filters)]).toEqual(['johnson']);
  await page.reload();
  await expect(page.getByRole('searchbox')).toHaveValue('johnson');
  await expect(rows(page)).toHaveText([/Johnson/]);
});

test('list of one patient: has no patient column @LIST-10 @LIST-7', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(67);
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Andersen', date, time: '0900' });
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  await page.goto(`/#/patient-edit/${visit.patientId}`);
  const section = page.getByRole('region', { name: 'Appointments' });
  await expect(section.locator(`a[href="#/appointment-edit/${visit.patientId}/${visit.appointmentId}"]`)).toBeVisible();
  await expect(section.getByRole('columnheader', { name: 'Patient' })).toHaveCount(0);
  const fresh = await api<{ patientId: number }>('POST', '/api/patients', {
    patientId: 0,
    version: 0,
    firstName: 'New',
    lastName: "D'Angelo",
    doB: '1990-02-03',
    email: 'new.dangelo@patients.test',
    externalId: '',
    patientPhones: [],
  });
  await page.goto(`/#/patient-edit/${fresh.patientId}`);
  await expect(section.getByText('No appointments found.')).toBeVisible();
  const add = section.getByRole('link', { name: 'New Appointment' });
  await expect(add).toHaveAttribute('href', `#/appointment-edit/${fresh.patientId}/0`);
});

test('list on a dark phone in another time zone: is accessible', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(68);
  await bookAppointment(api, { doctor: 'Reyes', patient: 'Martin', date, time: '0900' });
  const { page } = await someone({ viewport: phone, colorScheme: 'dark', timezoneId: 'Europe/Berlin' });
  await signIn(page, 'doctor@demo.test');
  await open(page, date);
  const card = page.getByRole('list', { name: 'Appointments' }).getByRole('listitem').filter({ hasText: 'Martin' });
  await expect(card).toContainText(/9:00 AM E[SD]T/);
  await expect(card.getByRole('img', { name: /^Scheduled/ })).toBeVisible();
  await expectAccessible(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(phone.width);
});

async function cancel(api: Api, appointmentId: number): Promise<void> {
  const read = await api<Record<string, unknown>>('GET', `/api/appointments/${appointmentId}`);
  const { version, startDate, doctorId, patientId, cancellationNotes, externalId, welcomeMessage } = read;
  const same = { version, startDate, doctorId, patientId, cancellationNotes, externalId, welcomeMessage };
  await api('POST', '/api/appointments', { appointmentId, ...same, cancelled: true, accessCode: '*' });
}

/** A completed appointment of the demo, with its day in the clinic's zone and its duration as text. */
async function pastVisit(api: Api): Promise<{ appointmentId: number; date: string; duration: string }> {
  for (let days = -1; days > -15; days -= 1) {
    const date = dayAhead(days);
    const { data } = await api<{ data: { appointmentId: number; duration: number; status: string }[] }>(
      'GET',
      `/api/appointments?top=20&skip=0&startDate=${date}`,
    );
    const visit = data.find(({ status, duration }) => status === 'completed' && duration > 60);
    if (visit) {
      const duration = `${Math.floor(visit.duration / 60)}m ${visit.duration % 60}s`;
      return { appointmentId: visit.appointmentId, date, duration };
    }
  }
  throw new Error('The demo has no visit that took place.');
}
