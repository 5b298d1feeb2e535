import { linkOf } from './support/outbox.ts';
import { expect, expectAccessibleEverywhere, phone, test } from './support/story.ts';

test('new clinic: from the sign-in page by a mail to its own administrator, with the password that was generated @ACCOUNT-1', async ({
  someone,
  allow,
}) => {
  // The wrong password, and the link that was used.
  allow(/422|401/);
  const { page, context } = await someone({ viewport: phone });
  await page.goto('/#/login');
  await page.getByRole('link', { name: 'Sign Up' }).click();
  await expect(page).toHaveURL(/#\/signup$/);
  await expect(page.getByRole('heading', { name: 'Create a New Account' })).toBeVisible();
  const submit = page.getByRole('button', { name: 'Create account', exact: true });
  await submit.click();
  await expect(page.getByLabel('Company name')).toHaveAccessibleDescription('Required');
  await expect(page.getByLabel('Time zone')).toHaveValue('America/New_York');
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(phone);

  await page.getByLabel('Company name').fill('Harbor Family Care');
  await page.getByLabel('First name').fill('Noor');
  await page.getByLabel('Last name').fill('Haddad');
  await page.getByLabel('Email').fill('noor@harbor.test');
  await page.getByLabel('Phone (optional)').fill('2125550142');
  await page.getByRole('button', { name: 'Generate a password' }).click();
  const password = await page.getByLabel(/^Password/).inputValue();
  expect(password).toHaveLength(12);
  await submit.click();
  await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
  await expect(page.getByText('noor@harbor.test')).toBeVisible();

  const outbox = await context.newPage();
  const link = await linkOf(outbox, 'noor@harbor.test', /#\/signup\/[\w-]+/);
  await outbox.close();

  await page.goto(`/${link}`);
  await expect(page.getByRole('heading', { name: 'One last step' })).toBeVisible();
  await page.getByLabel(/^Password/).fill('not this one');
  await page.getByRole('button', { name: 'Create account and sign in' }).click();
  await expect(page.getByText('This isn’t the password that you chose.', { exact: true })).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Create account and sign in' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Your account has been created.' })).toBeVisible();
  await expect(page).toHaveURL(/#\/admin\/home$/);
  await page.getByRole('listitem').getByRole('link', { name: 'Company Info', exact: true }).first().click();
  await expect(page.getByLabel('Company name')).toHaveValue('Harbor Family Care');

  const { page: other } = await someone();
  await other.goto(`/${link}`);
  await other.getByLabel(/^Password/).fill(password);
  await other.getByRole('button', { name: 'Create account and sign in' }).click();
  await expect(other.getByText('This link has already been used or has expired.')).toBeVisible();
  await other.getByRole('link', { name: 'Sign up again' }).click();
  await expect(other).toHaveURL(/#\/signup$/);
});
