import { desktop, expect, expectAccessibleEverywhere, expectToast, signIn, test } from './support/story.ts';

test('a Super: creates a company, invites its administrator, changes its license, and deletes it @COMPANY-1 @COMPANY-2 @COMPANY-3 @ABOUT-3', async ({
  someone,
  allow,
}) => {
  // The list of companies, for an administrator of one.
  allow(/403/);
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await page.getByRole('link', { name: 'Companies' }).click();
  await expect(page.getByRole('heading', { name: 'Companies' })).toBeVisible();
  await expect(page.getByRole('columnheader')).toHaveText([
    'Company Name',
    'Created',
    'Provider Limit',
    'License Exp Date',
    'Status',
    'Actions',
  ]);
  await page.getByRole('searchbox').fill('no such clinic');
  await expect(page.getByText('No companies found.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear search' }).first().click();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);

  await page.getByRole('link', { name: 'Add company' }).click();
  await expect(page).toHaveURL(/#\/admin\/company\/edit\/0$/);
  await expect(page.getByRole('heading', { name: 'New Company' })).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByLabel('Company name')).toHaveAccessibleDescription('Required');
  await page.getByLabel('Company name').fill("O'Hara Clinic");
  await page.getByRole('textbox', { name: /^Providers/ }).fill('4');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The company was created. Add its first administrator under Manage Users.');
  await expect(page).toHaveURL(/#\/admin\/company\/edit\/\d{2,}$/);
  await expect(page.getByRole('heading', { name: "O'Hara Clinic" })).toBeVisible();
  await page.getByRole('link', { name: 'Manage Users' }).click();
  await expect(page.getByText('No users found')).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Add user' }).last().click();
  await page.getByLabel('First Name').fill('Grace');
  await page.getByLabel('Last Name').fill("O'Hara");
  await page.getByRole('textbox', { name: 'Email' }).fill('grace@ohara.test');
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Administrator' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'An invitation is on its way to grace@ohara.test.');

  await page.goto('/#/admin/company');
  const row = page.getByRole('row').filter({ hasText: "O'Hara Clinic" });
  await expect(row.getByRole('cell').nth(2)).toHaveText('4');
  await expect(row).toContainText('Healthy');
  await row.getByRole('link').click();
  await page.getByRole('switch', { name: 'Disabled' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/#\/admin\/company$/);
  await expect(row).toContainText('Disabled');
  await page.getByRole('button', { name: "Delete O'Hara Clinic" }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, 'The company was deleted.');
  await expect(row).toHaveCount(0);

  // An administrator of a company manages none.
  const { page: own } = await someone();
  await signIn(own, 'admin@demo.test');
  await expect(own.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await own.goto('/#/admin/home');
  await expect(own.getByRole('link', { name: 'Company Info' })).toBeVisible();
  await expect(own.getByRole('link', { name: 'Companies' })).toHaveCount(0);
  await own.goto('/#/admin/company');
  await expect(own.getByText('You don’t have permission to do this.')).toBeVisible();
});
