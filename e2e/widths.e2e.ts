import type { Page } from '@playwright/test';
import { apiAs, bookVisit, dayAhead } from './support/api.ts';
import { expect, expectAccessible, signIn, test } from './support/story.ts';

/** How far the table is wider than its place, px. */
const overflow = (page: Page) =>
  page.getByRole('table').evaluate(({ parentElement }) => {
    if (!parentElement) throw new Error('A table stands in its container.');
    return parentElement.scrollWidth - parentElement.clientWidth;
  });

for (const [width, timezoneId] of [
  [768, 'America/New_York'],
  [768, 'Europe/Berlin'],
  [1024, 'Europe/Berlin'],
  [1280, 'Europe/Berlin'],
] as const) {
  test(`lists at ${width} px in ${timezoneId}: every column is in sight, and no word is broken`, async ({
    someone,
    demo,
  }) => {
    const api = await apiAs(demo, 'admin@demo.test');
    const date = dayAhead(150);
    await bookVisit(api, { doctor: 'Okafor', patient: 'Andersen', date, time: '1130', overbook: true });
    const { page } = await someone({ viewport: { width, height: 800 }, timezoneId });
    await signIn(page, 'staff@demo.test');
    await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
    // Under 1024 px the menu is icons, which keep their names.
    const menu = page.getByRole('navigation', { name: 'Main menu' });
    await expect(menu.getByText('Patients', { exact: true })).toHaveCount(width < 1024 ? 0 : 1);
    await menu.getByRole('link', { name: 'Patients', exact: true }).click();
    await expect(page.getByText(/^1 – 20 of \d+$/)).toBeVisible();
    await expect.poll(() => overflow(page)).toBe(0);
    await expect(page.getByRole('columnheader', { name: 'Next Appointment' })).toBeInViewport({ ratio: 1 });
    await expectAccessible(page);
    await page.goto(`/#/appointment-list/${date}`);
    await expect(page.getByRole('columnheader', { name: 'Status' })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('columnheader', { name: 'Collected' })).toBeInViewport({ ratio: 1 });
    await expect.poll(() => overflow(page)).toBe(0);
  });
}
