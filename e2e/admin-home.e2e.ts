import { dayAhead } from './support/api.ts';
import { createClinic } from './support/company.ts';
import { desktop, expect, expectAccessibleEverywhere, phone, signIn, test } from './support/story.ts';

test('administrator: sees the clinic’s numbers as charts, tables and CSV, and what needs attention', async ({
  someone,
}) => {
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.getByRole('link', { name: 'Admin', exact: true }).click();
  await expect(page).toHaveURL(/#\/admin\/home$/);
  const weeks = page.getByRole('region', { name: 'Visits and missed appointments per week' });
  await weeks.getByText('Show as table').click();
  const rows = weeks.getByRole('row');
  await expect(rows).toHaveCount(1 + 8);
  const visits = await rows.evaluateAll((all) =>
    all.slice(1).reduce((sum, row) => sum + Number(row.children[1]?.textContent), 0),
  );
  expect(visits).toBeGreaterThan(0);
  await expect(page.getByRole('region', { name: 'Numbers', exact: true })).toContainText(String(visits));
  const waits = page.getByRole('region', { name: 'Waiting time per week, in minutes' });
  await waits.getByText('Show as table').click();
  await expect(waits.getByRole('row')).toHaveCount(1 + 8);
  await expect(waits.getByRole('columnheader')).toHaveText(['Week from', 'Visits', 'Median wait', '90% wait at most']);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    weeks.getByRole('button', { name: /^Download/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^weeks_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/);
  await page.getByRole('combobox', { name: 'Period' }).click();
  await page.getByRole('option', { name: '4 weeks' }).click();
  await expect(rows).toHaveCount(1 + 4);
  await expect(page.getByRole('region', { name: 'Utilization per provider' })).toContainText(/\d% · [\d.]+ h of/);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText(/\d+ users without a second factor\./);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await attention.getByRole('link', { name: 'Show these users' }).click();
  await expect(page.getByRole('combobox', { name: 'Show' })).toHaveText('Without second factor');
  await expect(page.getByRole('row').filter({ hasText: 'admin@demo.test' })).toBeVisible();
  await expectAccessibleEverywhere(page);
});

test('what needs a company is not there for a Super, and My Account is in the menu of doctors and staff @ROLE-7', async ({
  someone,
}) => {
  const clinic = ['Today', 'Schedule', 'Patients'];
  for (const [email, entries] of [
    ['admin@demo.test', [...clinic, 'Admin', 'Logout']],
    ['doctor@demo.test', [...clinic, 'My Account', 'Logout']],
    ['staff@demo.test', [...clinic, 'My Account', 'Logout']],
    ['super@demo.test', ['Admin', 'Logout']],
  ] as const) {
    const { page } = await someone();
    await signIn(page, email);
    const isSuper = email === 'super@demo.test';
    const menu = page.getByRole('navigation', { name: 'Main menu' });
    await expect(menu.getByRole('link')).toHaveText([...entries]);
    await expect(page.getByRole('link', { name: /^Waiting Room/ })).toHaveCount(isSuper ? 0 : 1);
    if (email === 'admin@demo.test') {
      await page.goto('/#/admin/home');
      await expect(page.getByRole('link', { name: 'Scheduling Rules' })).toBeVisible();
      await expect(page.getByRole('link', { name: 'Company Info' })).toBeVisible();
      await expect(page.getByRole('link', { name: 'Companies', exact: true })).toHaveCount(0);
    }
    if (!isSuper) continue;
    await expect(page.getByRole('link', { name: 'Companies', exact: true })).toBeVisible();
    for (const name of ['Scheduling Rules', 'Company Info', /^Import Patients/])
      await expect(page.getByRole('link', { name })).toHaveCount(0);
    for (const path of [
      'patient-list',
      'appointment-list',
      'schedule/monthly',
      'waiting-room',
      'instant-appointment',
    ]) {
      await page.goto(`/#/${path}`);
      await expect(page).toHaveURL(/#\/admin\/home$/);
    }
  }
});

test('a Super: has the areas of the installation and what needs attention there, without numbers of a clinic', async ({
  someone,
  demo,
}) => {
  await createClinic(demo, [], { expirationDate: dayAhead(10) });
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  // What needs attention leads to companies, too.
  await expect(page.getByRole('link', { name: 'Companies', exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Users', exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Company Info' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Numbers', exact: true })).toHaveCount(0);
  // Other stories create clinics, too.
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const licenses = attention.getByRole('listitem').filter({ hasText: /^The licenses? of \d+ clinics? ends? / });
  await expect(licenses).toBeVisible();
  await expect(attention).toContainText(/\d+ administrators? of the installation without a second factor\./);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(phone);
  // The browser lays the page out after the change of its size.
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  await attention.getByRole('link', { name: 'Show these users' }).click();
  await expect(page.getByRole('combobox', { name: 'Show' })).toHaveText('Without second factor');
  await expect(page.getByRole('combobox', { name: 'Company' })).toHaveValue('Roomside');
  await expect(page.getByRole('listitem').filter({ hasText: 'super@demo.test' })).toContainText('Roomside');
  await expect(page.getByText('admin@demo.test', { exact: true })).toHaveCount(0);
  await page.goBack();
  await licenses.getByRole('link', { name: /^Open the compan(y|ies)$/ }).click();
  await expect(page).toHaveURL(/#\/admin\/company(\/edit\/\d+)?$/);
});
