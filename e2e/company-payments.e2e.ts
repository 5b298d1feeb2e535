import { desktop, expect, expectAccessibleEverywhere, expectToast, signIn, test } from './support/story.ts';

test('payments of a company: processors with their labels, keys that are checked and never shown again, refunds @COMPANY-5 @VALID-19', async ({
  someone,
  allow,
}) => {
  // Wrong keys are refused.
  allow(/422/);
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await page.getByRole('link', { name: 'Companies', exact: true }).click();
  await page.getByRole('link', { name: 'Add company' }).click();
  await expect(page.getByRole('heading', { name: 'New company' })).toBeVisible();
  const processor = page.getByRole('combobox', { name: 'Payment processor' });
  // A new company has its account added afterwards.
  await expect(processor).toBeHidden();
  await page.getByLabel('Company name').fill('Harbor Clinic');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  await expect(page.getByRole('heading', { name: 'Harbor Clinic' })).toBeVisible();

  // The front end URL: required, at most 100 characters.
  const url = page.getByRole('textbox', { name: 'Front end URL' });
  await url.fill('');
  await save.click();
  await expect(url).toHaveAccessibleDescription(/Required/);
  await url.fill(`https://visits.example.com/${'x'.repeat(100)}`);
  await expect(url).toHaveValue(/^.{100}$/);
  await url.fill('https://visits.example.com');

  // What else a company has.
  for (const name of ['Support email', 'SMS phone']) await expect(page.getByRole('textbox', { name })).toBeVisible();
  for (const name of ['Allow recordings', 'Disabled'])
    await expect(page.getByRole('switch', { name, exact: true })).toBeVisible();

  // No processor: no keys, no rule of refunds.
  await expect(page.getByRole('combobox', { name: 'When a patient cancels in time' })).toBeHidden();
  await processor.click();
  await expect(page.getByRole('option')).toHaveText([
    'None: patients do not pay by card',
    'Sandbox (test payments)',
    'Stripe',
  ]);
  await page.getByRole('option', { name: 'Sandbox (test payments)' }).click();
  await expect(page.getByLabel('Account name')).toBeVisible();
  await expect(page.getByLabel('Account secret')).toBeVisible();
  await expect(page.getByText('patients can pay with test cards only, and no money moves')).toBeVisible();
  await processor.click();
  await page.getByRole('option', { name: 'Stripe' }).click();
  const [publicKey, secretKey] = [page.getByLabel('Publishable key'), page.getByLabel('Secret key')];
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);

  // Keys have at most 100 characters; both must belong together, and nothing is lost when they do not.
  await publicKey.fill('p'.repeat(120));
  await expect(publicKey).toHaveValue('p'.repeat(100));
  await secretKey.fill('s'.repeat(120));
  await expect(secretKey).toHaveValue('s'.repeat(100));
  await expect(secretKey).toHaveAttribute('type', 'password');
  await publicKey.fill('pk_live_1');
  await secretKey.fill('');
  await save.click();
  await expect(secretKey).toHaveAccessibleDescription(/Required/);
  await secretKey.fill('sk_test_1');
  await save.click();
  await expect(secretKey).toHaveAccessibleDescription(/does not accept these keys/);
  await expect(publicKey).toHaveValue('pk_live_1');

  await processor.click();
  await page.getByRole('option', { name: 'Sandbox (test payments)' }).click();
  await page.getByLabel('Account name').fill('harbor');
  await page.getByLabel('Account secret').fill('a secret of the sandbox'.replaceAll(' ', '-'));
  await page.getByRole('combobox', { name: 'When a patient cancels in time' }).click();
  await page.getByRole('option', { name: 'Refund automatically' }).click();
  await save.click();
  await expectToast(page, 'The record has been saved.');
  await expect(page.getByLabel('Account secret')).toHaveValue('');
  await page.reload();
  await expect(processor).toHaveText('Sandbox (test payments)');
  await expect(page.getByLabel('Account name')).toHaveValue('harbor');
  await expect(page.getByLabel('Account secret')).toHaveValue('');
  await expect(page.getByLabel('Account secret')).toHaveAccessibleDescription(/A key is stored/);
  await expect(page.getByRole('combobox', { name: 'When a patient cancels in time' })).toHaveText(
    'Refund automatically',
  );
});
