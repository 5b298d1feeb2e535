import type { Locator, Page } from '@playwright/test';
import { type Api, apiAs, type BookedVisit, bookAppointment, dayAhead, daysToWeekday } from './support/api.ts';
import { createClinic } from './support/company.ts';
import { expect, expectAccessible, expectToast, headingOf, phone, signIn, test } from './support/story.ts';

const longDate = (date: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
const shortDate = (date: string) =>
  new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`));
const monthName = (month: string) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' }).format(new Date(`${month}-01T00:00:00Z`));
const column = (page: Page, provider: string) => page.getByRole('group', { name: new RegExp(`^${provider}, `) });
const read = (api: Api, { appointmentId }: BookedVisit) =>
  api<BookedVisit>('GET', `/api/appointments/${appointmentId}`);
const entry = (page: Page, words: string) => page.getByRole('link', { name: new RegExp(words) });

async function openDay(page: Page, date: string): Promise<void> {
  await page.goto(`/#/schedule/daily/${date}`);
  await expect(page.getByRole('group', { name: longDate(date) })).toBeVisible();
}

/** The position of a wall time in a provider's column, below an existing appointment. */
async function placeOf(from: Locator, of: Locator, rows: number): Promise<{ x: number; y: number }> {
  const [box, column] = [await from.boundingBox(), await of.boundingBox()];
  if (!box || !column) throw new Error('Not on the screen.');
  return { x: column.x + column.width / 2, y: box.y + 8 + rows * rowPx };
}
/** Height of a quarter of an hour with fewer than five providers, px. */
const rowPx = 26;

async function drag(page: Page, what: Locator, to: { x: number; y: number }, drop = true): Promise<void> {
  const box = await what.boundingBox();
  if (!box) throw new Error('Not on the screen.');
  await page.mouse.move(box.x + 20, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x, (box.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  if (drop) await page.mouse.up();
}

test('calendar: leads from the month to the day to a free slot of the chosen provider @SCHED-1 @SCHED-2 @ROUTE-7 @ENTITY-15', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  // On a day with open hours.
  const days = daysToWeekday(130);
  const date = dayAhead(days);
  const mine = await bookAppointment(api, { doctor: 'Reyes', patient: 'Tanaka', date, time: '0900' });
  await bookAppointment(api, { doctor: 'Lindqvist', patient: 'Mensah', date, time: '1000' });
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  await page.getByRole('link', { name: 'Schedule' }).click();
  await expect(page).toHaveURL(new RegExp(`#/schedule/monthly/${dayAhead(0)}$`));
  await page.getByRole('group', { name: 'Go to date' }).getByRole('spinbutton', { name: 'Month' }).click();
  const [year = '', month = '', dayOfMonth = ''] = date.split('-');
  await page.keyboard.type(`${month}${dayOfMonth}${year}`);
  await expect(page).toHaveURL(new RegExp(`#/schedule/monthly/${date}$`));
  const day = page.getByRole('link', { name: new RegExp(`^${longDate(date)}, `) });
  await expect(day).toHaveAccessibleName(/, 2 appointments/);
  await expect(page.getByRole('cell').filter({ has: day })).toContainText('MR9a Tanaka');
  await expectAccessible(page);

  await page.getByRole('checkbox', { name: 'Jonas Lindqvist' }).uncheck();
  await expect(day).toHaveAccessibleName(/, 1 appointment/);
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Jonas Lindqvist' })).not.toBeChecked();
  await expect(day).toHaveAccessibleName(/, 1 appointment/);
  await page.getByRole('button', { name: 'None', exact: true }).click();
  await expect(page.getByText('No provider is selected.')).toBeVisible();
  await page.getByRole('button', { name: 'All', exact: true }).click();

  // By keyboard: each key moves the focus from the day of the one before, also on a slow computer.
  const monthOf = (months: number) =>
    new Date(Date.UTC(Number(year), Number(month) - 1 + months)).toISOString().slice(0, 7);
  const focused = page.locator('a[data-date]:focus');
  await page.locator(`a[data-date="${monthOf(0)}-15"]`).focus();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  for (const key of ['PageDown', 'ArrowRight', 'PageDown', 'ArrowDown', 'PageUp']) await page.keyboard.press(key);
  await expect(focused).toHaveAttribute('data-date', `${monthOf(1)}-23`);
  await expect(page).toHaveURL(new RegExp(`#/schedule/monthly/${monthOf(1)}-23$`));
  // To the next month and back immediately; then a link outside keeps the focus. It leads on from the month that is shown at the click.
  const followed = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const take = ({ target }: Event) => resolve((target as Element).closest('a')?.hash ?? '');
        document.addEventListener('click', take, { capture: true, once: true });
      }),
  );
  for (const key of ['PageDown', 'PageUp']) await page.keyboard.press(key);
  await page.getByRole('link', { name: 'Next month' }).click();
  const hash = await followed;
  expect([`#/schedule/monthly/${monthOf(2)}-23`, `#/schedule/monthly/${monthOf(3)}-23`]).toContain(hash);
  await expect(focused).toHaveCount(0);
  await expect(page).toHaveURL(new RegExp(`${hash}$`));
  await expect(headingOf(page)).toContainText(monthName(hash.slice(-10, -3)));
  await expect(page.getByRole('link', { name: 'Next month' })).toBeFocused();
  await devtools.detach();
  await page.goto(`/#/schedule/monthly/${date}`);
  await expect(page.getByRole('link', { name: 'Day', exact: true })).toHaveAttribute(
    'href',
    `#/schedule/daily/${date}`,
  );
  // One month on and back.
  await page.getByRole('link', { name: 'Next month' }).click();
  await expect(page).toHaveURL(new RegExp(`#/schedule/monthly/${monthOf(1)}-\\d\\d$`));
  // The link of the former month has the same name.
  await expect(page.getByRole('link', { name: 'Day', exact: true })).toHaveAttribute(
    'href',
    new RegExp(`/daily/${monthOf(1)}`),
  );
  await page.getByRole('link', { name: 'Previous month' }).click();
  await expect(page).toHaveURL(new RegExp(`#/schedule/monthly/${date.slice(0, 7)}-\\d\\d$`));
  await page.goto(`/#/schedule/monthly/${date}`);
  await day.click();
  await expect(page).toHaveURL(new RegExp(`#/schedule/daily/${date}$`));
  await expect(page.getByRole('heading', { name: longDate(date), level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Month', exact: true })).toHaveAttribute(
    'href',
    `#/schedule/monthly/${date}`,
  );
  await expect(page.getByRole('link', { name: 'Previous day' })).toHaveAttribute(
    'href',
    `#/schedule/daily/${dayAhead(days - 1)}`,
  );
  await expect(page.getByRole('link', { name: 'Next day' })).toHaveAttribute(
    'href',
    `#/schedule/daily/${dayAhead(days + 1)}`,
  );
  await expect(column(page, 'Maya Reyes')).toHaveAccessibleName('Maya Reyes, 1 appointment');
  await expectAccessible(page);

  const at = await placeOf(entry(page, 'Tanaka'), column(page, 'Jonas Lindqvist'), 9);
  // Hovering open hours shows what a click creates.
  await page.mouse.move(at.x, at.y);
  const hint = page.locator('.sch-hint');
  await expect(hint).toHaveText('+ 11:15 AM');
  const layerOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((one) => Number(getComputedStyle(one).zIndex) || 0);
  expect(await layerOf('.sch-hint')).toBeGreaterThan(await layerOf('.sch-open'));
  await page.mouse.click(at.x, at.y);
  const doctors = await api<{ data: { userId: number; lastName: string }[] }>('GET', '/api/doctors');
  const doctor = doctors.data.find(({ lastName }) => lastName === 'Lindqvist')?.userId;
  await expect(page).toHaveURL(new RegExp(`#/appointment-edit/${date}/1115/${doctor}$`));
  await expect(page.getByRole('combobox', { name: 'Provider' })).toHaveText('Jonas Lindqvist');
  await page.goBack();

  // The same by keyboard.
  const slot = page.getByRole('button', { name: /^New appointment at/ });
  await slot.focus();
  await expect(slot).toHaveAccessibleName('New appointment at 8:00 AM with Jonas Lindqvist');
  for (const key of ['ArrowRight', 'ArrowRight', 'PageDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  await expect(slot).toHaveAccessibleName('New appointment at 9:30 AM with Maya Reyes');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`#/appointment-edit/${date}/0930/${mine.doctorId}$`));
  await expect(page.getByRole('combobox', { name: 'Provider' })).toHaveText('Maya Reyes');
  await page.goto('/#/schedule/daily');
  await expect(page).toHaveURL(new RegExp(`#/schedule/daily/${dayAhead(0)}$`));
});

test('drag: moves an appointment to another provider and time; a taken slot reverts it and asks @SCHED-3 @STATE-25', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/409/);
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(121);
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Tanaka', date, time: '0900' });
  await bookAppointment(api, { doctor: 'Lindqvist', patient: 'Mensah', date, time: '1100' });
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  await openDay(page, date);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/move', async (route) => {
    await held;
    await route.continue();
  });
  const before = entry(page, '^Tanaka.* 9:00 AM to .* with Maya Reyes');
  await drag(page, before, await placeOf(before, column(page, 'Jonas Lindqvist'), 3));
  // Shown before the server has responded.
  await expect(entry(page, '^Tanaka.* 9:45 AM to .* with Jonas Lindqvist')).toBeVisible();
  expect((await read(api, visit)).startDate).toBe(visit.startDate);
  release();
  await expect(page.getByText(/ moved to \d+:\d\d [AP]M/)).toBeVisible();
  const moved = await read(api, visit);
  expect(moved.doctorId).not.toBe(visit.doctorId);
  expect(Date.parse(moved.startDate) - Date.parse(visit.startDate)).toBe(45 * 60_000);

  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(before).toBeVisible();
  // Until the server's response the page has the version from before, and takes no other move.
  await expectToast(page, ' moved back to 9:00 AM');
  expect((await read(api, visit)).doctorId).toBe(visit.doctorId);

  const taken = await placeOf(before, column(page, 'Jonas Lindqvist'), 8);
  await drag(page, before, taken);
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('The provider already has an appointment at this time.');
  await expect(question).toContainText(/Mensah, 11:00 AM to 11:30 AM/);
  await question.getByRole('button', { name: 'Pick another time' }).click();
  await expect(before).toBeVisible();
  expect((await read(api, visit)).startDate).toBe(visit.startDate);

  await drag(page, before, taken);
  await question.getByRole('button', { name: 'Book anyway' }).click();
  const beside = entry(page, '^Tanaka.* 11:00 AM to .* with Jonas Lindqvist');
  await expect(beside).toBeVisible();
  await expectToast(page, ' moved to 11:00 AM');
  const [left, right] = [await entry(page, 'Mensah').boundingBox(), await beside.boundingBox()];
  expect(Math.abs((left?.x ?? 0) - (right?.x ?? 0))).toBeGreaterThan(50);
  // A click opens it; a drag that Escape cancelled does not.
  await drag(page, beside, { x: (right?.x ?? 0) + 20, y: (right?.y ?? 0) + 100 }, false);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(beside).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`#/schedule/daily/${date}$`));
  await beside.click();
  await expect(page).toHaveURL(new RegExp(`#/appointment-edit/${visit.patientId}/${visit.appointmentId}$`));
  await expect(page.getByRole('combobox', { name: 'Provider' })).toBeVisible();
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await expect(menu.locator('.Mui-selected')).toHaveText('Schedule');
});

test('move by keyboard: a colleague sees it immediately @SCHED-3', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(122);
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Kowalski', date, time: '0900' });
  const { page } = await someone();
  await signIn(page, 'staff@demo.test');
  await openDay(page, date);
  const { page: colleague } = await someone();
  await signIn(colleague, 'doctor2@demo.test');
  await openDay(colleague, date);
  const { page: planner } = await someone();
  await signIn(planner, 'doctor@demo.test');
  await planner.goto(`/#/schedule/monthly/${date}`);
  const cell = planner.getByRole('cell').filter({ has: planner.locator(`a[data-date="${date}"]`) });
  await expect(cell).toContainText('MR9a Kowalski');
  await expect(entry(colleague, '^Kowalski.* 9:00 AM to ')).toBeVisible();

  const before = entry(page, '^Kowalski.* 9:00 AM to .* with Maya Reyes');
  await before.focus();
  await page.keyboard.press('Space');
  await expect(page.getByText(/^Kowalski.* picked up\. Arrow keys move/)).toBeAttached();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByText('9:15 AM, Maya Reyes', { exact: true })).toBeAttached();
  await page.keyboard.press('Escape');
  await expect(page.getByText(/^Kowalski.* stays where it was\.$/)).toBeAttached();
  await expect(before).toBeFocused();

  for (const key of ['Space', 'ArrowDown', 'ArrowDown', 'ArrowLeft', 'Space']) await page.keyboard.press(key);
  const after = entry(page, '^Kowalski.* 9:30 AM to .* with Avery Okafor');
  await expect(after).toBeFocused();
  await expectToast(page, ' moved to 9:30 AM');
  await expect(entry(colleague, '^Kowalski.* 9:30 AM to .* with Avery Okafor')).toBeVisible();
  await expect(cell).toContainText('AO9:30a Kowalski');
  const stored = await read(api, visit);
  expect(Date.parse(stored.startDate) - Date.parse(visit.startDate)).toBe(30 * 60_000);
});

test('calendars on a dark phone in another time zone: are accessible @SCHED-2', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(123);
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Rossi', date, time: '0830' });
  const { page } = await someone({ viewport: phone, colorScheme: 'dark', timezoneId: 'Europe/Berlin' });
  await signIn(page, 'staff@demo.test');
  // Another day of the same month.
  await page.goto(`/#/schedule/monthly/${date.slice(0, 8)}${date.endsWith('-01') ? '02' : '01'}`);
  await page.getByRole('link', { name: new RegExp(`^${longDate(date)}, 1 appointment`) }).click();
  // SCHED-2: one tap opens a day; the month keeps the agenda of its date.
  await expect(page).toHaveURL(new RegExp(`#/schedule/daily/${date}$`));
  // The whole date, in its short form.
  const title = page.getByRole('heading', { level: 1, name: shortDate(date), exact: true });
  expect(await title.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
  await page.goto(`/#/schedule/monthly/${date}`);
  const agenda = page.getByRole('region', { name: longDate(date) });
  await expect(agenda.getByRole('link', { name: /8:30 AM.*Rossi.*Maya Reyes/ })).toBeVisible();
  await expect(page.getByText('Times are in clinic time (Eastern Time).')).toBeVisible();
  await expectFits(page);
  await agenda.getByRole('link', { name: 'Open the day' }).click();
  await page.getByRole('tab', { name: 'Maya Reyes' }).click();
  const box = entry(page, '^Rossi.* 8:30 AM to ');
  await expect(box).toBeVisible();
  await expectFits(page);

  // A long press picks up.
  const place = await box.boundingBox();
  const cdp = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', down: number) =>
    cdp.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: (place?.x ?? 0) + 60, y: (place?.y ?? 0) + 10 + down }],
    });
  await touch('touchStart', 0);
  await expect(page.locator('.sch-ghost')).toBeVisible();
  for (const down of [10, 30, rowPx * 2]) await touch('touchMove', down);
  await touch('touchEnd', 0);
  await expect(entry(page, '^Rossi.* 9:00 AM to ')).toBeVisible();
  await expect
    .poll(async () => Date.parse((await read(api, visit)).startDate))
    .toBe(Date.parse(visit.startDate) + 30 * 60_000);

  await page.getByRole('button', { name: 'Date and providers' }).click();
  const panel = page.getByRole('dialog', { name: 'Calendar' });
  await expect(panel.getByRole('checkbox', { name: 'Maya Reyes' })).toBeChecked();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
});

async function expectFits(page: Page): Promise<void> {
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
}

test('time zone of the company: is changed in one tab, and an open calendar in another shows the same day in it', async ({
  someone,
  demo,
}) => {
  const { emails } = await createClinic(demo, ['A', 'D'], { timeZone: 'America/New_York' });
  const [admin = ''] = emails;
  const api = await apiAs(demo, admin);
  const { data: doctors } = await api<{ data: { userId: number }[] }>('GET', '/api/doctors');
  const doctor = doctors[0]?.userId;
  const date = dayAhead(daysToWeekday(20));
  const { page, context } = await someone();
  await signIn(page, admin);
  await openDay(page, date);
  const slot = page.getByRole('button', { name: /^New appointment at/ });
  await expect(slot).toBeVisible();
  await expect(page.getByText(/Times are in clinic time/)).toHaveCount(0);
  const settings = await context.newPage();
  await settings.goto('/#/admin/company/edit');
  await settings.getByRole('combobox', { name: 'Time zone' }).fill('Los_Angeles');
  await settings.getByRole('option', { name: 'America/Los_Angeles' }).click();
  await settings.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(settings, 'The record has been saved.');
  await expect(page.getByText('Times are in clinic time (Pacific Time).')).toBeVisible();
  // The tab that saved it.
  await settings.getByRole('link', { name: 'Schedule' }).click();
  await expect(settings.getByText('Times are in clinic time (Pacific Time).')).toBeVisible();
  // A slot of the calendar that stayed open is a time of the new zone.
  await slot.press('Enter');
  await expect(page).toHaveURL(new RegExp(`#/appointment-edit/${date}/0800/${doctor}$`));
});

test('providers: a new one and a changed name show immediately on an open calendar, a deleted one is gone', async ({
  someone,
  demo,
}) => {
  const { emails } = await createClinic(demo, ['A', 'D']);
  const [admin = '', doctor = ''] = emails;
  const api = await apiAs(demo, admin);
  const { page } = await someone();
  await signIn(page, doctor);
  await openDay(page, dayAhead(daysToWeekday(20)));
  const named = (name: string) => page.getByRole('checkbox', { name });
  await expect(named('Ada Key')).toHaveCount(2);
  const contact = { phone: '', notificationType: 0, notifyForUsers: [], npi: '', selfPayFee: '', disabled: false };
  const user = { firstName: 'Niamh', lastName: "O'Shea", email: `new-${doctor}`, roleId: 'D', ...contact };
  const saved = await api<{ userId: number; version: number }>('PUT', '/api/users', { ...user, userId: 0, version: 0 });
  await expect(named("Niamh O'Shea")).toBeVisible();
  await api('PUT', '/api/users', { ...user, ...saved, lastName: 'Doyle' });
  await expect(named('Niamh Doyle')).toBeVisible();
  await api('DELETE', `/api/users/${saved.userId}`);
  await expect(named('Niamh Doyle')).toHaveCount(0);
});
