import { type OpenIdProvider, startOpenIdProvider } from '../server/test/openid-provider.ts';
import { withSeparateDemo } from './support/separate-demo.ts';
import { demoPassword, startDemo } from './support/server.ts';
import { expect, expectAccessibleEverywhere, expectToast, signIn } from './support/story.ts';

/** The pages of this host have external providers; those of `localhost` have the password. */
const host = '127.0.0.1';

const test = withSeparateDemo(() => startDemo({ EXTERNAL_PROVIDER_HOSTS: host }));

let provider: OpenIdProvider;

test.beforeAll(async () => {
  provider = await startOpenIdProvider();
  provider.accounts.set('dana', { email: 'doctor@demo.test', email_verified: true });
  provider.accounts.set('stranger', { email: 'stranger@example.test', email_verified: true });
});
test.afterAll(() => provider.close());

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('brand: a Super adds a provider, its buttons replace the password form, and a user signs in with it @LOGIN-2', async ({
  someone,
  demo,
  allow,
}) => {
  // The check whether anyone is signed in, and refused saves.
  allow(/401|422/);
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await page.getByRole('link', { name: 'Brands' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'localhost' })).toContainText('Open');
  await expectAccessibleEverywhere(page);
  await page.getByRole('row').filter({ hasText: 'localhost' }).getByRole('link').click();
  await page.getByLabel('Host names').fill('localhost');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');
  await page.getByRole('link', { name: 'Add brand' }).click();
  await expect(page.getByRole('heading', { name: 'New brand' })).toBeVisible();
  await page.getByRole('textbox', { name: /^Name/ }).fill('Acme Health');
  await page.getByLabel('Host names').fill('localhost');
  await page.getByLabel('Color').fill('#7a9bff');
  await page
    .getByLabel('Choose picture')
    .first()
    .setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: png });
  await expect(page.getByText('Choose a PNG, JPEG, or WebP picture.')).toBeVisible();
  await page.getByLabel('Choose picture').first().setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png });
  await page.getByRole('button', { name: 'Add provider' }).click();
  const { port } = new URL(demo.url);
  await page.getByLabel('Description').fill('Acme Health');
  await page.getByLabel('Short name').fill('acme');
  await page.getByLabel('Issuer').fill('login.acme.test');
  await page.getByLabel('Client ID').fill(provider.clientId);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByLabel('Color')).toHaveAccessibleDescription(
    'White text can’t be read on this color. Choose a darker one.',
  );
  await expect(page.getByLabel('Client secret')).toHaveAccessibleDescription('Required');
  await expectAccessibleEverywhere(page);
  await page.getByLabel('Color').fill('#1f5fa8');
  await page.getByLabel('Issuer').fill(provider.issuer);
  await page.getByLabel('Client secret').fill(provider.clientSecret);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByLabel('Host names')).toHaveAccessibleDescription('localhost belongs to another brand.');
  await page.getByLabel('Host names').fill(`http://${host}:${port}/`);
  await expect(page.getByText(/^Redirect address/)).toContainText(`http://${host}:${port}/api/auth/external-callback`);
  provider.redirectUris.push(`http://${host}:${port}/api/auth/external-callback`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The brand was created.');
  const row = page.getByRole('row').filter({ hasText: 'Acme Health' });
  await expect(row.getByRole('cell').nth(1)).toHaveText(host);
  await row.getByRole('link').click();
  await expect(page.getByLabel('Client secret')).toHaveValue('');

  const { page: other } = await someone({ url: `http://${host}:${port}` });
  await other.goto('/#/login');
  const button = other.getByRole('link', { name: 'Sign in with Acme Health' });
  await expect(button).toHaveAttribute('title', 'OpenID Connect Acme Health');
  await expect(other.getByLabel('Email')).toHaveCount(0);
  await expect(other.getByRole('link', { name: 'Sign Up' })).toHaveCount(0);
  const head = other.getByRole('banner');
  await expect(head.locator('.rs-mark')).toHaveText('Acme Health');
  await expect(head.locator('.rs-mark img')).toHaveJSProperty('naturalWidth', 1);
  await expect(head).toHaveCSS('border-top-color', 'rgb(31, 95, 168)');
  await expectAccessibleEverywhere(other);
  await button.click();
  await other.getByRole('link', { name: 'cancel' }).click();
  await expect(other.getByRole('alert')).toHaveText('The sign-in was cancelled. Please try again.');
  await expectAccessibleEverywhere(other);

  await button.click();
  await other.getByRole('link', { name: 'stranger' }).click();
  await expect(other.getByRole('alert')).toContainText('There’s no account for your email here.');

  // A patient's page.
  await other.goto('/#/link');
  await expect(other.getByRole('banner').locator('.rs-mark')).toHaveText('Acme Health');
  await expect(other.getByRole('button', { name: 'Submit' })).toHaveCSS('background-color', 'rgb(31, 95, 168)');
  await expectAccessibleEverywhere(other);

  const { page: doctor } = await someone({ url: `http://${host}:${port}` });
  await doctor.goto('/#/patient-list');
  await doctor.getByRole('link', { name: 'Sign in with Acme Health' }).click();
  await expect(doctor.getByRole('heading', { name: 'Choose an account' })).toBeVisible();
  await doctor.getByRole('link', { name: 'dana' }).click();
  // The page that was asked for.
  await expect(doctor.getByRole('heading', { name: 'Patients' })).toBeVisible();
  expect(doctor.url()).not.toContain('code=');
});

test('password form: has a way to show the password, to stay signed in, to reset and to sign up, the last not on a strict brand @LOGIN-1', async ({
  someone,
  allow,
}) => {
  allow(/401/);
  const { page } = await someone();
  await page.goto('/#/login');
  await page.getByLabel('Email').fill('super@demo.test');
  const password = page.getByLabel('Password', { exact: true });
  await password.fill(demoPassword);
  await expect(password).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: 'Show password' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.getByRole('link', { name: 'Sign Up' }).click();
  await expect(page).toHaveURL(/#\/signup$/);
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Provider Login' })).toBeVisible();
  await page.getByRole('link', { name: 'Reset Password' }).click();
  await expect(page).toHaveURL(/#\/request-reset$/);
  await expect(page.getByRole('heading', { name: 'Reset Password' })).toBeVisible();
  await page.goBack();
  await page.getByLabel('Email').fill('super@demo.test');
  await password.fill(demoPassword);
  await page.getByRole('switch', { name: 'Remember me' }).check();
  await page.getByRole('button', { name: 'Log In' }).click();
  await page.getByRole('link', { name: 'Brands' }).click();
  const cookies = await page.context().cookies();
  expect(cookies.find(({ name }) => name.endsWith('-staff'))?.expires).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400);
  await page.getByRole('row').filter({ hasText: 'localhost' }).getByRole('link').click();
  await page.getByRole('switch', { name: 'Strict' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');

  const { page: other } = await someone();
  await other.goto('/#/login');
  await expect(other.getByRole('link', { name: 'Reset Password' })).toBeVisible();
  await expect(other.getByRole('link', { name: 'Sign Up' })).toHaveCount(0);
});
