import type { Page } from '@playwright/test';
import { apiAs, bookAppointment, dayAhead } from './support/api.ts';
import { expect, expectAccessible, signIn, test } from './support/story.ts';

/** By how much the table is wider than its place, px. */
const overflow = (page: Page) =>
  page.getByRole('table').evaluate(({ parentElement }) => {
    if (!parentElement) throw new Error('A table stands in its container.');
    return parentElement.scrollWidth - parentElement.clientWidth;
  });

/** Shows the times as those of a clinic in Alaska, which has the longest abbreviation of a zone in the US. Returns their number. */
const showAlaskanTimes = (page: Page) =>
  page.getByRole('table').evaluate((table) => {
    const times = [...table.querySelectorAll('td span')].filter(({ textContent }) =>
      /[AP]M [A-Z]{3}$/.test(textContent),
    );
    for (const time of times) time.textContent = time.textContent.replace(/[A-Z]{3}$/, 'AKDT');
    return times.length;
  });

test('lists from 768 to 1280 px in another time zone: show all columns and break no words', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(150);
  await bookAppointment(api, { doctor: 'Okafor', patient: 'Kowalski', date, time: '1130', overbook: true });
  // Times in another zone than the clinic's are the longest.
  const { page } = await someone({ timezoneId: 'Europe/Berlin' });
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await menu.getByRole('link', { name: 'Patients', exact: true }).click();
  await expect(page.getByText(/^1 – 20 of \d+$/)).toBeVisible();
  for (const width of [768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    // Under 1024 px the menu shows icons with accessible names.
    await expect(menu.getByText('Patients', { exact: true })).toHaveCount(width < 1024 ? 0 : 1);
    await expect.poll(() => overflow(page)).toBe(0);
    await expect(page.getByRole('columnheader', { name: 'Next appointment' })).toBeInViewport({ ratio: 1 });
    await expectAccessible(page);
  }
  await page.setViewportSize({ width: 768, height: 800 });
  // Other stories add patients, whose names may be longer than these.
  await page.getByRole('searchbox', { name: 'Search patients' }).fill('Kowalski');
  await expect(page.getByText(/^1 – \d of \d$/)).toBeVisible();
  await expect(page.getByRole('cell', { name: 'Kowalski' }).first()).toBeVisible();
  expect(await showAlaskanTimes(page)).toBeGreaterThan(2);
  expect(await overflow(page)).toBe(0);
  await page.goto(`/#/appointment-list/${date}`);
  for (const width of [768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(page.getByRole('columnheader', { name: 'Status' })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('columnheader', { name: 'Collected' })).toBeInViewport({ ratio: 1 });
    await expect.poll(() => overflow(page)).toBe(0);
  }
});
