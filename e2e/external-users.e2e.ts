import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { type OpenIdProvider, startOpenIdProvider } from '../server/test/openid-provider.ts';
import { apiAs } from './support/api.ts';
import { linkOf } from './support/outbox.ts';
import { codeOf, stepNow } from './support/second-factor.ts';
import { withSeparateDemo } from './support/separate-demo.ts';
import { type Demo, demoPassword, startDemo } from './support/server.ts';
import { desktop, expect, expectAccessibleEverywhere, expectToast, signIn } from './support/story.ts';

/** The pages of this host have an external provider; those of `localhost` have the password. */
const host = '127.0.0.1';
const outsideUrl = (demo: Demo) => demo.url.replace('localhost', host);

const test = withSeparateDemo(() => startDemo({ EXTERNAL_PROVIDER_HOSTS: host }));

let provider: OpenIdProvider;

test.beforeAll(async ({ demo }) => {
  provider = await startOpenIdProvider();
  provider.redirectUris.push(`${outsideUrl(demo)}/api/auth/external-callback`);
  const root = await apiAs(demo, 'super@demo.test');
  const { data } = await root<{ data: { brandId: number; brandName: string }[] }>('GET', '/api/brands?top=10&skip=0');
  const read = async (id: number | undefined) => {
    const { logoUrl: _logo, ...stored } = await root<Record<string, unknown>>('GET', `/api/brands/${id}`);
    return stored;
  };
  // It runs again for a later story of the same demo.
  const earlier = data.find(({ brandName }) => brandName === 'Clinic');
  const first = await read(data.find((one) => one !== earlier)?.brandId);
  await root('PUT', '/api/brands', { ...first, hosts: ['localhost'] });
  const { issuer, clientId, clientSecret } = provider;
  const own = { providerId: 0, providerName: 'clinic', providerClass: '', description: 'Clinic' };
  const providers = [{ ...own, issuer, clientId, clientSecret, emailDomains: [] }];
  const brand = { brandId: 0, version: 0, brandName: 'Clinic', hosts: [host], color: '', strictMode: true };
  await root('PUT', '/api/brands', { ...brand, ...(earlier && (await read(earlier.brandId))), providers });
});
test.afterAll(() => provider.close());

/** A new user of the demo's clinic, whom the provider knows by the same email. Returns the email and the provider's name of them. */
async function createUser(demo: Demo): Promise<{ email: string; subject: string }> {
  const subject = `eva${randomBytes(4).toString('hex')}`;
  const email = `${subject}@demo.test`;
  provider.accounts.set(subject, { email, email_verified: true });
  const api = await apiAs(demo, 'admin@demo.test');
  const contact = { phone: '', notificationType: 0, notifyForUsers: [], npi: '', selfPayFee: '' };
  const user = { firstName: 'Eva', lastName: 'Extern', email, roleId: 'U', disabled: false };
  await api('PUT', '/api/users', { userId: 0, version: 0, ...user, ...contact, passwordString: demoPassword });
  return { email, subject };
}

const inside = (page: Page) => expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();

/** Signs in by the provider's button on the clinic's own pages. */
async function signInOutside(page: Page, subject: string): Promise<void> {
  await page.goto('/#/login');
  await page.getByRole('link', { name: 'Sign in with Clinic' }).click();
  await page.getByRole('link', { name: subject }).click();
}

test('second factor: is asked for after the provider, each time, and nothing is open before it', async ({
  someone,
  demo,
  allow,
}) => {
  // The check whether anyone is signed in, and a change before the password.
  allow(/40[13]/);
  const { email, subject } = await createUser(demo);
  const { page } = await someone();
  await signIn(page, email);
  await inside(page);
  await page.goto('/#/user');
  await page.getByRole('button', { name: 'Set up authenticator app' }).click();
  await page.getByLabel('Current password').last().fill(demoPassword);
  await page.keyboard.press('Enter');
  const setUp = page.getByRole('dialog', { name: 'Set up authenticator app' });
  const key = (await setUp.getByRole('group', { name: 'Key' }).textContent()) ?? '';
  const first = stepNow();
  await setUp.getByRole('textbox', { name: 'Code' }).fill(codeOf(key, first));
  await page.keyboard.press('Enter');
  const recovery = page.getByRole('dialog', { name: 'Save your recovery codes' }).getByRole('listitem');
  await expect(recovery).toHaveCount(10);

  const { page: outside } = await someone({ url: outsideUrl(demo) });
  await signInOutside(outside, subject);
  const step = outside.getByRole('heading', { name: 'One more step' });
  await expect(step).toBeVisible();
  expect(outside.url()).not.toMatch(/ticket|code=/);
  expect((await outside.context().cookies()).map(({ name }) => name)).not.toContainEqual(
    expect.stringMatching(/-staff$/),
  );
  // A remembered device would not replace it: the provider's answer does not bring its cookie.
  await expect(outside.getByLabel('Code', { exact: true })).toBeVisible();
  await expect(outside.getByRole('switch', { name: 'Remember this device for 30 days' })).toHaveCount(0);
  await outside.getByLabel('Code', { exact: true }).fill(codeOf(key, Math.max(stepNow(), first + 1)));
  await outside.keyboard.press('Enter');
  await inside(outside);

  await outside.goto('/#/logout');
  await expect(outside).toHaveURL(/#\/login$/);
  // The provider knows who it is from before.
  await outside.getByRole('link', { name: 'Sign in with Clinic' }).click();
  await expect(step).toBeVisible();
  await outside.getByRole('button', { name: 'Use a recovery code' }).click();
  await outside.getByLabel('Recovery code').fill((await recovery.first().textContent()) ?? '');
  await outside.getByRole('button', { name: 'Continue' }).click();
  await inside(outside);
});

test('email that the provider has not verified: is refused with what to do, and signs in once it is verified', async ({
  someone,
  demo,
  allow,
}) => {
  // The check whether anyone is signed in.
  allow(/401/);
  const { email, subject } = await createUser(demo);
  provider.accounts.set(subject, { email, email_verified: false });
  const { page } = await someone({ url: outsideUrl(demo) });
  await signInOutside(page, subject);
  await expect(page.getByRole('alert')).toHaveText(
    'The sign-in service hasn’t verified your email. Verify it there first, or contact your administrator.',
  );
  await expect(page).toHaveURL(/#\/login/);
  expect(page.url()).not.toContain(email);
  expect((await page.context().cookies()).map(({ name }) => name)).not.toContainEqual(expect.stringMatching(/-staff$/));
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.goto('/#/patient-list');
  await expect(page.getByRole('link', { name: 'Sign in with Clinic' })).toBeVisible();

  provider.accounts.set(subject, { email, email_verified: true });
  await page.getByRole('link', { name: 'Sign in with Clinic' }).click();
  await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();
});

test('email that has changed at the provider: the same account signs in as the same user, not as the one who has the new email', async ({
  someone,
  demo,
  allow,
}) => {
  // The check whether anyone is signed in.
  allow(/401/);
  const { email, subject } = await createUser(demo);
  const { page } = await someone({ url: outsideUrl(demo) });
  await signInOutside(page, subject);
  await inside(page);

  // The new email belongs to a colleague: the account still is who it was.
  const { email: ofColleague } = await createUser(demo);
  provider.accounts.set(subject, { email: ofColleague, email_verified: true });
  const { page: later } = await someone({ url: outsideUrl(demo) });
  await signInOutside(later, subject);
  await inside(later);
  await later.goto('/#/user');
  await expect(later.getByRole('textbox', { name: 'Email' })).toHaveValue(email);
  // Without any email, or with one that is not verified, too.
  provider.accounts.set(subject, {});
  const { page: nameless } = await someone({ url: outsideUrl(demo) });
  await signInOutside(nameless, subject);
  await inside(nameless);
});

test('password of a user: 8 to 100 characters, left out for a new one, needed by the link of the mail, not there for one of a provider @VALID-9', async ({
  someone,
  demo,
  allow,
}) => {
  // The check whether anyone is signed in, and the user who is disconnected.
  allow(/401|WebSocket/);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await inside(page);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const password = page.getByRole('region', { name: 'Password' }).getByLabel(/^Password/);
  const external = page.getByText('This user signs in with an external account. The password from before stays valid.');
  await page.goto('/#/admin/user/edit/0');
  await expect(password).toHaveAccessibleDescription("The user will pick a password if it's not provided.");
  const invited = `invited-${randomBytes(4).toString('hex')}@demo.test`;
  await page.getByLabel('First name').fill('Ida');
  await page.getByLabel('Last name').fill("O'Holm");
  await page.getByRole('textbox', { name: 'Email' }).fill(invited);
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Staff' }).click();
  await password.fill('x'.repeat(7));
  await save.click();
  await expect(password).toHaveAccessibleDescription('At least 8 characters');
  await password.fill('x'.repeat(101));
  await expect(password).toHaveValue('x'.repeat(100));
  await password.fill('');
  await save.click();
  await expectToast(page, `An invitation is on its way to ${invited}.`);

  // The link of the mail needs one.
  const { page: colleague } = await someone();
  await colleague.goto(`/${await linkOf(colleague, invited, /#\/reset\/[\w-]+/)}`);
  const picked = colleague.getByLabel('New password');
  const submit = colleague.getByRole('button', { name: 'Save and sign in' });
  for (const [short, fault] of [
    ['', 'Required'],
    ['x'.repeat(7), 'At least 8 characters'],
  ] as const) {
    await picked.fill(short);
    await submit.click();
    await expect(picked).toHaveAccessibleDescription(fault);
  }
  await picked.fill('x'.repeat(101));
  await expect(picked).toHaveValue('x'.repeat(100));
  await picked.fill(demoPassword);
  await submit.click();
  await inside(colleague);

  // A user has a password until the first sign-in by a provider.
  const { email, subject } = await createUser(demo);
  const openUser = async () => {
    await page.goto('/#/admin/user');
    await page.getByRole('searchbox').fill(email);
    await page.getByRole('row').filter({ hasText: email }).getByRole('link').first().click();
    await expect(page.getByRole('heading', { name: 'Eva Extern' })).toBeVisible();
  };
  await openUser();
  await expect(password).toBeVisible();
  await expect(external).toBeHidden();
  const { page: outside } = await someone({ url: outsideUrl(demo) });
  await signInOutside(outside, subject);
  await inside(outside);
  await openUser();
  await expect(external).toBeVisible();
  await expect(password).toHaveCount(0);

  // The account at the provider was replaced: the new one opens nothing until an administrator has disconnected the old one.
  const successor = `next${subject}`;
  provider.accounts.set(successor, { email, email_verified: true });
  const { page: replaced } = await someone({ url: outsideUrl(demo) });
  await signInOutside(replaced, successor);
  await expect(replaced.getByRole('alert')).toBeVisible();
  await page.getByRole('button', { name: 'Disconnect the external account' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Disconnect Eva Extern from the account they sign in with?');
  await question.getByRole('button', { name: 'Disconnect the external account' }).click();
  await expectToast(page, 'The external account was disconnected.');
  await expect(password).toBeVisible();
  await expect(outside.getByRole('heading', { name: 'Waiting Room' })).toHaveCount(0);
  await replaced.getByRole('link', { name: 'Sign in with Clinic' }).click();
  await inside(replaced);
  expect(await linkOf(page, email, /An administrator disconnected your account/)).not.toBe('');
});
