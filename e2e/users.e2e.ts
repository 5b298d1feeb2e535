import type { Page } from '@playwright/test';
import { expect, expectAccessibleEverywhere, expectToast, signIn, test } from './support/story.ts';

const password = 'three blue ferries';

/** Opens the last mail to an address in the demo's outbox and returns its link to pick a password. */
async function linkTo(page: Page, address: string): Promise<string> {
  await page.goto('/dev/outbox');
  const mail = page.getByRole('article').filter({ hasText: address }).filter({ hasText: '/#/reset/' }).first();
  await expect(async () => {
    await page.reload();
    await expect(mail).toBeVisible({ timeout: 500 });
  }).toPass();
  return /#\/reset\/[\w-]+/.exec((await mail.textContent()) ?? '')?.[0] ?? '';
}

test('a colleague: is invited by mail, picks a password, gets another role and is disabled, each within a second @USERS-4 @USERS-5', async ({
  someone,
  allow,
}) => {
  allow(/40[13]|WebSocket connection to .* failed/);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.getByRole('link', { name: 'Admin', exact: true }).click();
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('link', { name: 'Add user' }).click();
  await expect(page.getByRole('heading', { name: 'User Editor' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'New User' })).toBeVisible();
  await expect(page).toHaveURL(/#\/admin\/user\/edit\/0$/);
  await expect(page.getByText("The user will pick a password if it's not provided.")).toBeVisible();
  // Only existing users can be disabled.
  await expect(page.getByRole('switch', { name: 'Disabled' })).toHaveCount(0);
  await page.getByLabel('First Name').fill('Niamh');
  await page.getByLabel('Last Name').fill("O'Shea");
  await page.getByRole('textbox', { name: 'Email' }).fill('niamh@demo.test');
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Staff' }).click();
  await expect(page.getByLabel('NPI')).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Doctor' }).click();
  await page.getByLabel('NPI').fill('12345');
  await page.getByLabel('Self-pay fee').fill('95.5');
  await expect(page.getByText('Invalid')).toBeVisible();
  await page.getByLabel('NPI').fill('1234567893');
  await page.getByRole('combobox', { name: 'For patients of' }).click();
  await page.getByRole('option').first().click();
  await page.keyboard.press('Escape');
  await expectAccessibleEverywhere(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'An invitation is on its way to niamh@demo.test.');
  const row = page.getByRole('row').filter({ hasText: 'niamh@demo.test' });
  await expect(row).toContainText('Doctor');
  await expect(row).toContainText('Invited');

  const { page: colleague } = await someone();
  await colleague.goto(`/${await linkTo(colleague, 'niamh@demo.test')}`);
  await colleague.getByLabel('New password').fill(password);
  await colleague.getByRole('button', { name: 'Save and sign in' }).click();
  await expect(colleague.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await expect(colleague.getByRole('link', { name: 'Admin', exact: true })).toHaveCount(0);

  await row.getByRole('link').first().click();
  await expect(page.getByRole('heading', { name: "Niamh O'Shea" })).toBeVisible();
  await expect(page.getByLabel('Self-pay fee')).toHaveValue('95.50');
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Administrator' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The user was saved.');
  await expect(colleague.getByRole('link', { name: 'Admin', exact: true })).toBeVisible();

  await row.getByRole('link').first().click();
  await page.getByRole('switch', { name: 'Disabled' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The user was saved.');
  await expect(colleague).toHaveURL(/#\/login$/);
  await expect(row).toContainText('Disabled');
});
