import { demoPassword } from './support/server.ts';
import { desktop, expect, expectAccessible, expectToast, phone, signIn, test } from './support/story.ts';

test('My Account: saves the user’s own record, and a new password needs the current one @VALID-8', async ({
  someone,
  allow,
}) => {
  allow(/422/);
  const { page } = await someone({ viewport: phone, colorScheme: 'dark' });
  await signIn(page, 'doctor2@demo.test');
  await page.getByRole('button', { name: 'Open menu' }).click();
  await page.getByRole('link', { name: 'My Account' }).click();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const saved = 'Your information has been successfully updated.';

  await expect(
    page.getByText('You’re notified about your own patients. An administrator chooses whose.'),
  ).toBeVisible();
  await page.getByLabel('Last name').fill("O'Lindqvist");
  await page.getByRole('switch', { name: 'Send me a text message' }).check();
  await save.click();
  // Text messages need a phone number.
  await expect(page.getByText('Required', { exact: true })).toBeVisible();
  await page.getByLabel('Phone', { exact: true }).fill('1125550100');
  await expect(page.getByText('Not valid', { exact: true })).toBeVisible();
  await page.getByLabel('Phone', { exact: true }).fill('2125550100');
  await expect(page.getByText('10/10')).toBeVisible();
  // A changed contact needs the current password, so that a passer-by at an open page cannot change it.
  const current = page.getByLabel('Current password');
  await current.fill(demoPassword);
  await expectAccessible(page);
  await save.click();
  await expectToast(page, saved);
  await page.reload();
  await expect(page.getByLabel('Last name')).toHaveValue("O'Lindqvist");
  await expect(page.getByLabel('Phone', { exact: true })).toHaveValue('(212) 555-0100');
  await expect(page.getByRole('switch', { name: 'Send me a text message' })).toBeChecked();

  await expect(current).toHaveCount(0);
  await page.getByRole('button', { name: 'Generate a password' }).click();
  const next = await page.getByLabel('New password').inputValue();
  expect(next).toHaveLength(12);
  await current.fill('not this one');
  await save.click();
  await expect(page.getByText('Current password: The current password isn’t right.')).toBeVisible();
  await current.fill(demoPassword);
  await save.click();
  await expectToast(page, saved);
  await expect(current).toHaveCount(0);

  await page.getByLabel('New password').fill(demoPassword);
  await current.fill(next);
  await page.getByLabel('Last name').fill('Lindqvist');
  await save.click();
  await expect(current).toHaveCount(0);
});

test('unsaved input: survives a click on another page', async ({ someone }) => {
  const { page } = await someone();
  await signIn(page, 'staff@demo.test');
  await page.getByRole('link', { name: 'My Account' }).click();
  await page.getByLabel('First name').fill('Samuel');
  await page.getByRole('link', { name: 'Patients' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stay' }).click();
  await expect(page.getByLabel('First name')).toHaveValue('Samuel');
  await page.getByRole('link', { name: 'Patients' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();
});

test('sign out everywhere: signs the other device out immediately', async ({ someone, allow }) => {
  // A page whose connection the server closed tries once to renew its sign-in, and is refused.
  allow(/401|WebSocket connection to .* failed/);
  const [{ page }, { page: other }] = [await someone(), await someone()];
  for (const device of [page, other]) {
    await signIn(device, 'doctor2@demo.test');
    await expect(device.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  }
  await page.getByRole('link', { name: 'My Account' }).click();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page).toHaveURL(/#\/login$/);
  await expect(other).toHaveURL(/#\/login$/);
});

test('signed-in devices: each has its browser, system and network, and another one is signed out immediately', async ({
  someone,
  allow,
}) => {
  allow(/40[14]|WebSocket connection to .* failed/);
  const [{ page }, { page: other }] = [
    await someone({ viewport: phone }),
    await someone({ viewport: desktop, colorScheme: 'dark' }),
  ];
  for (const device of [page, other]) await signIn(device, 'staff@demo.test');
  await page.goto('/#/user');
  const devices = page.getByRole('region', { name: 'Signed-in devices' });
  const entries = devices.getByRole('listitem');
  await expect(entries.first()).toContainText('Chrome on Linux');
  await expect(entries.first()).toContainText('Network 127.0.x.x');
  await expect(entries.first()).toContainText('This device');
  const signOut = devices.getByRole('button', { name: 'Sign out: Chrome on Linux' });
  await expect(signOut.first()).toBeVisible();
  await expectAccessible(page);
  await other.goto('/#/user');
  await expect(other.getByRole('region', { name: 'Signed-in devices' }).getByText('This device')).toBeVisible();
  await expectAccessible(other);

  // By keyboard: the other device used last is the first one below this one.
  const before = await entries.count();
  await signOut.first().focus();
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Sign out Chrome on Linux?');
  await question.getByRole('button', { name: 'Sign out' }).click();
  await expect(other).toHaveURL(/#\/login$/);
  await expect(entries).toHaveCount(before - 1);
});
