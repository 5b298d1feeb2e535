import { apiAs } from './support/api.ts';
import { desktop, expect, expectAccessibleEverywhere, expectToast, signIn, test } from './support/story.ts';

test('a Super: creates a company, invites its administrator, changes its license, and deletes it @COMPANY-1 @COMPANY-2 @COMPANY-3 @ABOUT-3', async ({
  someone,
  allow,
}) => {
  // The list of companies, for an administrator of one.
  allow(/403/);
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await page.getByRole('link', { name: 'Companies', exact: true }).click();
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
  await expect(page.getByText('No companies found.')).toBeHidden();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);

  await page.getByRole('link', { name: 'Add company' }).click();
  await expect(page).toHaveURL(/#\/admin\/company\/edit\/0$/);
  await expect(page.getByRole('heading', { name: 'New company' })).toBeVisible();
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
  await page.getByLabel('First name').fill('Grace');
  await page.getByLabel('Last name').fill("O'Hara");
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
  await expect(own.getByRole('link', { name: 'Companies', exact: true })).toHaveCount(0);
  await own.goto('/#/admin/company');
  await expect(own.getByText('You don’t have permission to do this.')).toBeVisible();
});

test('only a Super: lists and edits companies with their license, requests, support and address, and filters users by company @ROLE-6', async ({
  someone,
  demo,
}) => {
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await page.getByRole('link', { name: 'Companies', exact: true }).click();
  await page.getByRole('link', { name: 'Add company' }).click();
  await page.getByLabel('Company name').fill('Fjord Clinic');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Fjord Clinic' })).toBeVisible();
  const id = /(\d+)$/.exec(page.url())?.[1] ?? '';

  const fields = {
    providers: page.getByRole('textbox', { name: /^Providers/ }),
    supportEmail: page.getByLabel('Support email'),
    smsPhone: page.getByLabel('SMS phone'),
    frontEndUrl: page.getByLabel('Front end URL'),
  };
  await fields.providers.fill('7');
  await fields.supportEmail.fill('help@fjord.test');
  await fields.smsPhone.fill('2125550177');
  await fields.frontEndUrl.fill('https://visits.fjord.test');
  const requests = page.getByRole('switch', { name: 'Patients can request a time' });
  const disabled = page.getByRole('switch', { name: 'Disabled' });
  await requests.check();
  await disabled.check();
  const date = page.getByRole('group', { name: 'License expiration date' });
  await date.getByRole('spinbutton', { name: 'Month' }).click();
  await page.keyboard.type('12312030');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');
  await page.reload();
  await expect(fields.providers).toHaveValue('7');
  await expect(fields.supportEmail).toHaveValue('help@fjord.test');
  await expect(fields.smsPhone).toHaveValue('2125550177');
  await expect(fields.frontEndUrl).toHaveValue('https://visits.fjord.test');
  await expect(requests).toBeChecked();
  await expect(disabled).toBeChecked();
  const root = await apiAs(demo, 'super@demo.test');
  expect(await root('GET', `/api/companies/${id}`)).toMatchObject({ expirationDate: '2030-12-31' });

  await page.goto('/#/admin/user');
  await expect(page.getByRole('columnheader', { name: 'Company' })).toBeVisible();
  await page.getByRole('combobox', { name: 'Company' }).fill('Fjord');
  await page.getByRole('option', { name: 'Fjord Clinic' }).click();
  await expect(page).toHaveURL(new RegExp(`#/admin/user/${id}$`));
  await expect(page.getByText('No users found')).toBeVisible();

  // An administrator has none of it.
  const { page: admin } = await someone();
  await signIn(admin, 'admin@demo.test');
  await admin.goto('/#/admin/user');
  await expect(admin.getByRole('row').filter({ hasText: 'admin@demo.test' })).toBeVisible();
  await expect(admin.getByRole('columnheader', { name: 'Company' })).toHaveCount(0);
  await expect(admin.getByRole('combobox', { name: 'Company' })).toHaveCount(0);
  await admin.goto('/#/admin/home');
  await expect(admin.getByRole('link', { name: 'Company Info' })).toBeVisible();
  await expect(admin.getByRole('link', { name: 'Companies', exact: true })).toHaveCount(0);
  await admin.getByRole('link', { name: 'Company Info' }).click();
  await expect(admin.getByRole('textbox', { name: /^Providers/ })).toHaveAttribute('readonly', '');
  for (const label of ['License expiration date', 'Support email', 'SMS phone', 'Front end URL'])
    await expect(admin.getByLabel(label)).toHaveCount(0);
  for (const name of ['Patients can request a time', 'Disabled'])
    await expect(admin.getByRole('switch', { name })).toHaveCount(0);
  const api = await apiAs(demo, 'admin@demo.test');
  await expect(api('GET', '/api/companies?top=5&skip=0')).rejects.toThrow('403');
  await expect(api('GET', `/api/companies/${id}`)).rejects.toThrow('404');
});
