import type { Page } from '@playwright/test';
import { linkOf } from './support/outbox.ts';
import { demoPassword } from './support/server.ts';
import { expect, expectAccessible, jumpErrors, phone, signInByForm, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

test('provider: signs in, reaches the requested page, and signs out @VALID-2 @LOGOUT-1 @MENU-2 @ROUTE-9', async ({
  someone,
  allow,
}) => {
  allow(/401/);
  const { page } = await someone();
  await page.goto('/#/patient-list');
  await expect(page).toHaveURL(/#\/login$/);
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await expect(menu.getByRole('link')).toHaveText(['Patient Login', 'Provider Login']);
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page.getByText('Required', { exact: true })).toHaveCount(2);
  const email = page.getByLabel('Email');
  await email.fill('a@b');
  await expect(page.getByText("Doesn't seem valid", { exact: true })).toBeVisible();
  await email.fill('doctor@demo.test');
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('not this one');
  await page.getByRole('button', { name: 'Show password' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.getByRole('button', { name: 'Hide password' }).click();
  await expect(password).toHaveAttribute('type', 'password');
  await page.getByRole('switch', { name: 'Remember me' }).check();
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page.getByRole('alert')).toContainText('Wrong email or password.');
  // The demo's host is not strict.
  await expect(page.getByRole('link', { name: 'Sign Up' })).toBeVisible();

  await password.fill(demoPassword);
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page).toHaveURL(/#\/patient-list$/);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();
  await page.goto('/#/login');
  await expect(page).toHaveURL(/#\/waiting-room$/);

  // It is shown for little more than a second.
  const isSeen = () => document.querySelector('h1')?.textContent === 'See ya later!';
  await Promise.all([page.waitForFunction(isSeen), page.getByRole('link', { name: 'Logout' }).click()]);
  await expect(page).toHaveURL(/#\/login$/);
  await page.goto('/#/patient-list');
  await expect(page).toHaveURL(/#\/login$/);
});

/** When the last input in this browser was; an opened page counts as one as soon as it watches. */
const lastInput = (page: Page) => page.evaluate(() => localStorage.getItem('idle:last-input'));

/** Lets the idle time of a browser pass, with its warning; its time must be installed. */
async function passIdleTime(page: Page, warning: RegExp): Promise<void> {
  await expect.poll(() => lastInput(page)).not.toBeNull();
  await page.clock.fastForward(29.5 * 60_000);
  await expect(page.getByRole('alertdialog', { name: 'Are you still there?' })).toContainText(warning);
  await page.clock.fastForward(31_000);
  await expect(page).toHaveURL(/#\/login$/);
}

test('idle time: signs out; with Remember it closes the pages of all tabs, and the sign-in continues', async ({
  someone,
  allow,
}) => {
  // The hub reconnects after each jump of the page's time.
  allow(jumpErrors);
  const { page: brief } = await someone();
  await brief.clock.install();
  await signInByForm(brief, 'doctor@demo.test');
  await expect(brief.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await passIdleTime(brief, /you’ll be signed out in \d\d seconds/);
  await expect(brief.getByText('You’ve been signed out due to inactivity.')).toBeVisible();
  await expect(brief.getByRole('button', { name: 'Continue' })).toHaveCount(0);
  await brief.reload();
  await expect(brief.getByLabel('Email')).toBeVisible();

  const { page, context } = await someone();
  await page.clock.install();
  await page.goto('/#/patient-list');
  const remember = page.getByRole('switch', { name: 'Remember me' });
  await expect(remember).toHaveAccessibleDescription(
    'Stays signed in on this device for 30 days, unless unused for 7 days.',
  );
  await remember.check();
  await page.getByLabel('Email').fill('doctor@demo.test');
  await page.getByLabel('Password', { exact: true }).fill(demoPassword);
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();
  await expect.poll(() => lastInput(page)).not.toBeNull();
  const before = await lastInput(page);
  const other = await context.newPage();
  await other.goto('/#/schedule');
  await expect.poll(() => lastInput(page)).not.toBe(before);
  await passIdleTime(page, /this page will be closed in \d\d seconds/);
  await expect(other).toHaveURL(/#\/login$/);
  await expect(
    page.getByText('This page was closed due to inactivity. You are still signed in on this device.'),
  ).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole('button', { name: 'Continue' })).toBeFocused();
  await expect(page.getByLabel('Email')).toHaveCount(0);
  await other.getByRole('button', { name: 'Sign in as someone else' }).click();
  await expect(other.getByLabel('Email')).toBeFocused();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page).toHaveURL(/#\/patient-list$/);
  await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();
});

test('sign-out: ends all tabs of the browser, also when the server gets it only after a reload @LOGOUT-1', async ({
  someone,
  allow,
}) => {
  const { page, context } = await someone();
  await signInByForm(page, 'doctor@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  const other = await context.newPage();
  // A request that is under way at the sign-out is refused, which the browser logs.
  const connected = other.waitForEvent('websocket');
  await other.goto('/#/patient-list');
  await expect(other.getByRole('heading', { name: 'Patients' })).toBeVisible();
  await connected;
  // The server does not get it at first.
  allow(/503/);
  const sentAt = /\/api\/auth\/logout$/;
  await context.route(sentAt, (route) => route.fulfill({ status: 503 }));
  await page.getByRole('link', { name: 'Logout' }).click();
  await expect(other).toHaveURL(/#\/login$/);
  await expect(page).toHaveURL(/#\/login$/);
  await expect(page.getByText('but the server couldn’t be reached')).toBeVisible();
  await expect(page.getByLabel('Email')).toBeVisible();
  await expectAccessible(page);
  const hasCookie = async () => (await context.cookies()).some(({ name }) => name === 'roomside-staff');
  expect(await hasCookie()).toBe(true);
  await context.unroute(sentAt);
  await page.reload();
  await expect(page.getByLabel('Email')).toBeVisible();
  await expect(page).toHaveURL(/#\/login$/);
  await expect.poll(hasCookie).toBe(false);
});

test('forgotten password: is replaced by the link of a mail, once @ACCOUNT-2 @ACCOUNT-3', async ({
  someone,
  allow,
}) => {
  allow(/401/);
  const { page } = await someone({ viewport: phone });
  await page.goto('/#/login');
  await page.getByRole('link', { name: 'Reset Password' }).click();
  const email = page.getByLabel('Email');
  const send = page.getByRole('button', { name: 'Send link' });
  await send.click();
  await expect(page.getByText('Required', { exact: true })).toBeVisible();
  await email.fill('a@b');
  await expect(page.getByText("Doesn't seem valid", { exact: true })).toBeVisible();
  await email.fill('staff@demo.test');
  await expectAccessible(page);
  await send.click();
  await expect(page.getByText('The request has been sent. Please check your inbox.')).toBeVisible();
  await page.getByRole('link', { name: 'Login', exact: true }).click();
  await expect(page).toHaveURL(/#\/login$/);

  const link = await linkOf(page, 'staff@demo.test', /#\/reset\/[\w-]+/);
  await page.goto(`/${link}`);

  const password = page.getByLabel('New password');
  await password.fill('short');
  await page.getByRole('button', { name: 'Save and sign in' }).click();
  await expect(page.getByText('At least 8 characters', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Generate a password' }).click();
  await expect(password).toHaveValue(/^.{12}$/);
  await password.fill(demoPassword);
  await page.getByRole('button', { name: 'Save and sign in' }).click();
  await expect(page.getByText('Your password has been reset successfully.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();

  await page.goto(`/${link}`);
  await password.fill(demoPassword);
  await page.getByRole('button', { name: 'Save and sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('This link has already been used or has expired.');
  await page.getByRole('link', { name: 'Request a new link' }).click();
  await expect(page.getByRole('heading', { name: 'Reset Password' })).toBeVisible();
});

test('forms without a sign-in: a new password, its request and the name of a company have their limits @VALID-26', async ({
  someone,
}) => {
  const { page } = await someone();
  await page.goto('/#/reset/some-link');
  const password = page.getByLabel('New password');
  const save = page.getByRole('button', { name: 'Save and sign in' });
  await save.click();
  await expect(password).toHaveAttribute('required', '');
  await expect(password).toHaveAttribute('aria-invalid', 'true');
  await expect(password).toHaveAccessibleDescription('Required');
  await password.fill('x'.repeat(7));
  await expect(password).toHaveAttribute('aria-invalid', 'true');
  await expect(password).toHaveAccessibleDescription(/At least 8 characters/);
  await password.fill('x'.repeat(8));
  await expect(password).toHaveAttribute('aria-invalid', 'false');
  await password.fill('x'.repeat(101));
  await expect(password).toHaveValue('x'.repeat(100));
  await expect(password).toHaveAttribute('aria-invalid', 'false');
  await page.getByRole('button', { name: 'Generate a password' }).click();
  await expect(password).toHaveValue(/^.{12}$/);

  await page.goto('/#/request-reset');
  const email = page.getByLabel('Email');
  await expect(email).toHaveAttribute('required', '');
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(email).toHaveAccessibleDescription('Required');
  await email.fill('a@b');
  await expect(email).toHaveAttribute('aria-invalid', 'true');
  await email.fill('a@b.d');
  await expect(email).toHaveAttribute('aria-invalid', 'false');
  await email.fill('');
  await email.pressSequentially(`${'a'.repeat(60)}@${'b'.repeat(60)}.test`);
  await expect(email).toHaveValue(/^.{100}$/);

  await page.goto('/#/signup');
  const company = page.getByLabel('Company name');
  await page.getByRole('button', { name: 'Create account', exact: true }).click();
  await expect(company).toHaveAccessibleDescription('Required');
  await company.pressSequentially('C'.repeat(51));
  await expect(company).toHaveValue('C'.repeat(50));
  await expect(company).toHaveAttribute('aria-invalid', 'false');
});

test('patient after the visit: is thanked and signed out; a doctor in the same browser is not @THANKS-1', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { minutesAhead: 24 * 60 });
  const { page, context } = await someone({ viewport: phone });
  const doctor = await context.newPage();
  await signInByForm(doctor, 'doctor@demo.test');
  await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();

  await page.goto(`/#/link/${visit.accessCode}`);
  await expect(page).toHaveURL(new RegExp(`#/appointment/${visit.uid}/pt$`));
  await page.goto('/#/thank-you');
  await expect(page.getByRole('heading', { name: 'Thank You!' })).toBeVisible();
  await expect(page.getByText('Your appointment is over')).toBeVisible();
  await expect(page.getByText('You may close this window now')).toBeVisible();
  await expectAccessible(page);
  // The sign-in has ended: the visit asks for the code again.
  await page.goto(`/#/appointment/${visit.uid}/pt`);
  await expect(page).toHaveURL(/#\/link$/);
  await doctor.reload();
  await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
});
