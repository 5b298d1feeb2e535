import type { Locator } from '@playwright/test';
import { apiAs, bookAppointment, dayAhead, daysToWeekday } from './support/api.ts';
import { expect, expectAccessible, phone, signIn, test } from './support/story.ts';

test('slot picker: shows the provider’s morning and afternoon; a taken time can be double-booked @CONST-11 @CALL-3', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/409/);
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(daysToWeekday(150));
  const taken = await bookAppointment(api, { doctor: 'Reyes', patient: 'Tanaka', date, time: '1000' });
  const other = await bookAppointment(api, { doctor: 'Reyes', patient: 'Mensah', date, time: '1500' });
  const { page } = await someone({ viewport: phone });
  await signIn(page, 'staff@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto(`/#/appointment-edit/${other.patientId}/${other.appointmentId}`);
  const morning = page.getByRole('group', { name: 'Morning' });
  const afternoon = page.getByRole('group', { name: 'Afternoon' });
  await expect(morning.getByRole('radio', { name: '8:00 AM', exact: true })).toBeVisible();
  await expect(morning.getByRole('radio').last()).toHaveAccessibleName('11:45 AM');
  await expect(afternoon.getByRole('radio').first()).toHaveAccessibleName('12:00 PM');
  // Its own time is free for it, that of another appointment is not.
  await expect(afternoon.getByRole('radio', { name: '3:00 PM', exact: true })).toBeChecked();
  await expect(morning.getByRole('radio', { name: '10:00 AM, taken' })).toBeVisible();
  await expectAccessible(page);

  // A chosen taken time looks chosen and crossed out, not disabled.
  const chosen = morning.getByRole('radio', { name: '10:00 AM, taken' });
  const lookOf = (slot: Locator) =>
    slot.locator('..').evaluate((label) => {
      const { backgroundColor, color, opacity, textDecorationLine } = getComputedStyle(label);
      return { backgroundColor, color, opacity, textDecorationLine };
    });
  const present = afternoon.getByRole('radio', { name: '3:00 PM', exact: true });
  // Windows' high contrast replaces all colors; the chosen one still differs.
  await page.emulateMedia({ forcedColors: 'active' });
  const { backgroundColor } = await lookOf(afternoon.getByRole('radio', { name: '3:15 PM', exact: true }));
  await expect.poll(async () => (await lookOf(present)).backgroundColor).not.toBe(backgroundColor);
  await page.emulateMedia({ forcedColors: 'none' });
  const usual = await lookOf(present);
  await chosen.check();
  await expect(chosen).toBeChecked();
  await page.mouse.move(0, 0);
  await expect.poll(() => lookOf(chosen)).toEqual({ ...usual, textDecorationLine: 'line-through' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Tanaka');
  await expect(question).toContainText('Available instead:');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Pick another time' }).click();
  const started = async () => {
    const { startDate } = await api<{ startDate: string }>('GET', `/api/appointments/${other.appointmentId}`);
    return (Date.parse(startDate) - Date.parse(taken.startDate)) / 60_000;
  };
  const saved = page.getByText('The appointment has been updated.');
  await morning.getByRole('radio', { name: '8:30 AM', exact: true }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(saved).toBeVisible();
  expect(await started()).toBe(-90);

  // A time that is free instead is chosen in the question, by keyboard.
  await chosen.check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await question.getByRole('button', { name: /, 10:30 AM/ }).focus();
  await page.keyboard.press('Enter');
  await expect(question).toHaveCount(0);
  await expect(morning.getByRole('radio', { name: '10:30 AM', exact: true })).toBeChecked();
  await expect.poll(started).toBe(30);

  // Another day of the same provider: no one can be booked on a Sunday.
  const toSunday = 7 - new Date(`${date}T00:00:00Z`).getUTCDay();
  for (let day = 0; day < toSunday; day += 1) await page.getByRole('button', { name: 'Next day' }).click();
  await expect(page.getByText('This provider has no times on this day.')).toBeVisible();
});

test('slot picker with the keyboard: is one Tab stop; arrows choose, across morning and afternoon', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(daysToWeekday(160));
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Mensah', date, time: '1145' });
  const { page } = await someone();
  await signIn(page, 'staff@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  const slot = (name: string) => page.getByRole('radio', { name, exact: true });
  await expect(slot('11:45 AM')).toBeChecked();
  await page.getByRole('button', { name: 'Next day' }).focus();
  await page.keyboard.press('Tab');
  await expect(slot('11:45 AM')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('textbox', { name: 'Length in minutes' })).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowRight');
  await expect(slot('12:00 PM')).toBeFocused();
  await expect(slot('12:00 PM')).toBeChecked();
  await page.keyboard.press('ArrowRight');
  let saves = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/appointments') && request.method() !== 'GET') saves += 1;
  });
  // Enter does not save, as in a text field.
  await page.keyboard.press('Enter');
  await expect(slot('12:15 PM')).toBeChecked();
  const { startDate } = await api<{ startDate: string }>('GET', `/api/appointments/${visit.appointmentId}`);
  expect(startDate).toBe(visit.startDate);
  expect(saves).toBe(0);
});

test('slots of another day: until they are read those of the former day stay, and cannot be picked', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const weekday = daysToWeekday(157);
  const next = daysToWeekday(weekday + 1);
  // The clinic is open on the day after it.
  const date = dayAhead(next === weekday + 1 ? weekday : next);
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Tanaka', date, time: '1000' });
  const { page } = await someone();
  await signIn(page, 'staff@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  const former = page.getByRole('radio', { name: '10:00 AM', exact: true });
  await expect(former).toBeChecked();
  const nextDay = page.getByRole('button', { name: 'Next day' });
  await nextDay.scrollIntoViewIfNeeded();
  const fee = page.getByLabel('Fee');
  const place = await fee.boundingBox();
  const { promise: read, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/schedule/slots?*', async (route) => {
    await read;
    await route.continue().catch(() => undefined);
  });
  await nextDay.click();
  await expect(page.locator('[aria-busy="true"]').getByRole('radio').first()).toBeDisabled();
  await expect(page.locator('input[type="radio"]:enabled')).toHaveCount(0);
  await expect(former).not.toBeChecked();
  expect(await fee.boundingBox()).toEqual(place);
  release();
  await expect(former).toBeEnabled();
  await expect(former).toBeChecked();
});
