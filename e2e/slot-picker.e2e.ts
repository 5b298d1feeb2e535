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
  await expect(morning.getByRole('button', { name: '8:00 AM', exact: true })).toBeVisible();
  await expect(morning.getByRole('button').last()).toHaveAccessibleName('11:45 AM');
  await expect(afternoon.getByRole('button').first()).toHaveAccessibleName('12:00 PM');
  // Its own time is free for it, that of another appointment is not.
  await expect(afternoon.getByRole('button', { name: '3:00 PM', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await expect(morning.getByRole('button', { name: '10:00 AM, taken' })).toBeVisible();
  await expectAccessible(page);

  // A chosen taken time looks chosen and crossed out, not disabled.
  const chosen = morning.getByRole('button', { name: '10:00 AM, taken' });
  const lookOf = (button: Locator) =>
    button.evaluate((one) => {
      const { backgroundColor, color, opacity, textDecorationLine } = getComputedStyle(one);
      return { backgroundColor, color, opacity, textDecorationLine };
    });
  const usual = await lookOf(afternoon.getByRole('button', { name: '3:00 PM', exact: true }));
  await chosen.click();
  await expect(chosen).toHaveAttribute('aria-pressed', 'true');
  await page.mouse.move(0, 0);
  await expect.poll(() => lookOf(chosen)).toEqual({ ...usual, textDecorationLine: 'line-through' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Tanaka');
  await expect(question).toContainText('Available instead:');
  await question.getByRole('button', { name: 'Pick Another Time' }).click();
  await morning.getByRole('button', { name: '8:30 AM', exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('The appointment has been updated.')).toBeVisible();
  const moved = await api<{ startDate: string }>('GET', `/api/appointments/${other.appointmentId}`);
  expect(Date.parse(taken.startDate) - Date.parse(moved.startDate)).toBe(90 * 60_000);

  // Another day of the same provider: no one can be booked on a Sunday.
  const toSunday = 7 - new Date(`${date}T00:00:00Z`).getUTCDay();
  for (let day = 0; day < toSunday; day += 1) await page.getByRole('button', { name: 'Next day' }).click();
  await expect(page.getByText('This provider has no times on this day.')).toBeVisible();
});
