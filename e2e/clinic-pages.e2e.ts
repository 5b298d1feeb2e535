import type { Locator, Page } from '@playwright/test';
import { apiAs, bookAppointment, dayAhead, daysToWeekday } from './support/api.ts';
import { demoPassword } from './support/server.ts';
import { expect, expectAccessible, headingOf, phone, signIn, signInByForm, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

const home = (page: Page) => expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();

test('scheduling pages: open without a redirect; a signed-out person signs in there and comes back @ROUTE-9', async ({
  someone,
}) => {
  const { page } = await someone({ viewport: phone });
  await page.goto('/#/admin/scheduling');
  await expect(page.getByText('You’re signed out. Sign in to see this page.')).toBeVisible();
  await expect(page).toHaveURL(/#\/admin\/scheduling$/);
  await expectAccessible(page);
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill('admin@demo.test');
  await page.getByLabel('Password', { exact: true }).fill('roomside-demo-2026');
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page).toHaveURL(/#\/admin\/scheduling$/);
  await expect(page.getByRole('link', { name: 'Office hours' })).toBeVisible();
});

test('clinic page opened by a Super: redirects to the administration without a refusal @ROUTE-9', async ({
  someone,
}) => {
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await expect(page).toHaveURL(/#\/admin\/home$/);
  const days = dayAhead(1);
  for (const path of [
    'waiting-room',
    'patient-list',
    'appointment-list',
    `schedule/daily/${days}`,
    'appointment-edit/0/0',
  ]) {
    await page.goto(`/#/${path}`);
    await expect(page).toHaveURL(/#\/admin\/home$/);
    await expect(page.getByRole('button', { name: 'Try Again' })).toHaveCount(0);
  }
});

test('/schedule: asks for the sign-in, and shows the current month @ROUTE-7', async ({ someone }) => {
  const { page } = await someone();
  for (const path of ['monthly', `monthly/${dayAhead(0)}`, 'daily', `daily/${dayAhead(0)}`]) {
    await page.goto(`/#/schedule/${path}`);
    await expect(page).toHaveURL(/#\/login$/);
  }
  await page.goto('/#/schedule');
  await expect(page).toHaveURL(/#\/login$/);
  await page.getByLabel('Email').fill('doctor@demo.test');
  await page.getByLabel('Password', { exact: true }).fill(demoPassword);
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page).toHaveURL(new RegExp(`#/schedule/monthly/${dayAhead(0)}$`));
});

test('search: is not kept for the next person at the browser @ABOUT-5', async ({ someone }) => {
  const { page } = await someone();
  await signInByForm(page, 'admin@demo.test');
  await home(page);
  await page.goto('/#/patient-list');
  await page.getByRole('searchbox').fill("O'Brien");
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(1 + (await count(page, "O'Brien")));
  await page.getByRole('link', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/#\/login$/);
  const kept = await page.evaluate(() => JSON.stringify([Object.values(sessionStorage), Object.values(localStorage)]));
  expect(kept).not.toContain('Brien');
  await signInByForm(page, 'staff@demo.test');
  await home(page);
  await page.goto('/#/patient-list');
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(21);
  await expect(page.getByRole('searchbox')).toHaveValue('');
});

/** Returns the number of rows once all of them have this name. */
async function count(page: Page, name: string): Promise<number> {
  const rows = page
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });
  await expect(rows.filter({ hasNotText: name })).toHaveCount(0);
  return rows.count();
}

test('Refresh: reloads each list from its first page @ABOUT-7', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await buildAppointmentInRoom(demo, { minutesAhead: 3 * 24 * 60, patient: 12 });
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await home(page);
  for (const [address, path] of [
    ['patient-list', '/api/patients'],
    ['admin/scheduling', '/api/rules'],
    ['admin/scheduling/time-off', '/api/time-off'],
    [`patient-edit/${visit.patientId}`, '/api/appointments'],
    [`appointment-list/${dayAhead(3)}`, '/api/appointments'],
  ] as const) {
    const read = () => page.waitForResponse((response) => new URL(response.url()).pathname === path);
    const [shown] = await Promise.all([read(), page.goto(`/#/${address}`)]);
    // While a list is read for the first time, Refresh has nothing to add to it.
    await shown.finished();
    const [again] = await Promise.all([read(), page.getByRole('button', { name: 'Refresh', exact: true }).click()]);
    await again.finished();
    expect(new URL(again.url()).searchParams.get('skip') ?? '0').toBe('0');
  }
  // From a later page to the first, with a row that was added since.
  await page.goto('/#/patient-list');
  await page.getByRole('button', { name: 'Go to next page' }).click();
  await expect(page.getByText(/^21 – \d+ of \d+$/)).toBeVisible();
  await api('POST', '/api/patients', {
    patientId: 0,
    version: 0,
    firstName: 'Ann',
    lastName: 'Aaberg',
    doB: '1990-02-03',
    externalId: '',
    email: 'ann.aaberg@patients.test',
    patientPhones: [],
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText(/^1 – 20 of \d+$/)).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'Aaberg' })).toBeVisible();
});

test('new appointment: takes the day of the list, or the provider of a time request @APPT-1 @LIST-3', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const { companyUid } = await api<{ companyUid: string }>('GET', '/api/companies/0');
  const doctors = await api<{ data: { userId: number; lastName: string }[] }>('GET', '/api/doctors');
  const wished = doctors.data.find(({ lastName }) => lastName === 'Lindqvist');
  await api('POST', `/api/booking/${companyUid}/request`, {
    doctorId: wished?.userId,
    wish: 'Only Mondays',
    firstName: 'Wanda',
    lastName: 'Wisher',
    doB: '1984-03-02',
    email: 'wanda@example.test',
    phone: '',
  });
  // Clinics are closed at weekends.
  const date = dayAhead(daysToWeekday(75));
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  await home(page);
  await page.goto(`/#/appointment-list/${date}`);
  await page.getByRole('banner').getByRole('link', { name: 'New Appointment' }).click();
  await expect(page).toHaveURL(new RegExp(`#/appointment-edit/0/0\\?date=${date}$`));
  const [year, month, day] = date.split('-');
  const shown = async () =>
    ((await page.getByRole('group', { name: 'Date' }).textContent()) ?? '').replaceAll(/[\u200b\u2066-\u2069]/g, '');
  await expect.poll(shown).toContain(`${month}/${day}/${year}`);

  await page.goto(`/#/schedule/daily/${dayAhead(76)}`);
  await page
    .getByRole('link', { name: 'Make an appointment for Wanda Wisher' })
    .or(page.getByRole('link', { name: /Wanda Wisher/ }).filter({ hasText: 'Make appointment' }))
    .first()
    .click();
  await expect(page.getByRole('combobox', { name: 'Provider' })).toHaveText('Jonas Lindqvist');
  await expect(page.getByRole('combobox', { name: 'Patient' })).toHaveValue(/Wisher/);
});

test('past appointment: has no invitation; a new one in the past is saved after a question @STATE-4 @LIST-18', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const past = await overVisit(api);
  const ahead = await bookAppointment(api, { doctor: 'Reyes', patient: 'Mensah', date: dayAhead(77), time: '0900' });
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await home(page);
  await page.goto(`/#/appointment-list/${past.date}`);
  const row = page
    .getByRole('row')
    .filter({ has: page.locator(`a[href="#/appointment-edit/${past.patientId}/${past.appointmentId}"]`) });
  await expect(row.getByRole('img', { name: /^Completed/ })).toBeVisible();
  await expect(row.getByRole('button', { name: /invitation/ })).toHaveCount(0);
  await page.goto(`/#/appointment-edit/${past.patientId}/${past.appointmentId}`);
  await expect(page.getByRole('region', { name: 'This visit' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send an invitation' })).toHaveCount(0);
  // Its room can still be entered, but that is not the next thing to do.
  const isFilled = (room: Locator) =>
    room.evaluate((one) => getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)');
  const room = page.getByRole('link', { name: 'Enter the room' });
  await expect(headingOf(page)).toHaveText(/ · Completed$/);
  expect(await isFilled(room)).toBe(false);
  await page.goto(`/#/appointment-edit/${ahead.patientId}/${ahead.appointmentId}`);
  await expect(page.getByRole('button', { name: 'Send an invitation' })).toBeVisible();
  expect(await isFilled(room)).toBe(true);

  await page.goto(`/#/appointment-edit/0/0?date=${dayAhead(78)}`);
  const patient = page.getByRole('combobox', { name: 'Patient' });
  await patient.click();
  await patient.pressSequentially('tanaka', { delay: 20 });
  await page
    .getByRole('option', { name: /Tanaka/ })
    .first()
    .click();
  await page.getByRole('group', { name: 'Date' }).getByRole('spinbutton', { name: 'Month' }).click();
  await page.keyboard.type('01041999');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  const question = page.getByRole('alertdialog', { name: 'This time is in the past' });
  await expect(question).toContainText('1999');
  await question.getByRole('button', { name: 'Pick another time' }).click();
  await expect(page).toHaveURL(/appointment-edit\/0\/0/);
  await save.click();
  await question.getByRole('button', { name: 'Save anyway' }).click();
  await expect(page).toHaveURL(/#\/appointment-edit\/\d+\/[1-9]\d*$/);
});

/** A completed appointment of the demo. */
async function overVisit(api: Awaited<ReturnType<typeof apiAs>>) {
  for (let days = -1; days > -15; days -= 1) {
    const date = dayAhead(days);
    const { data } = await api<{ data: { appointmentId: number; patientId: number; status: string }[] }>(
      'GET',
      `/api/appointments?top=50&skip=0&startDate=${date}`,
    );
    const visit = data.find(({ status }) => status === 'completed');
    if (visit) return { ...visit, date };
  }
  throw new Error('The demo has no visit that took place.');
}
