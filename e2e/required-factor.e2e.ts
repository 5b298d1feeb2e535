import type { Page } from '@playwright/test';
import { createClinic } from './support/company.ts';
import { demoPassword } from './support/server.ts';
import { desktop, expect, expectAccessibleEverywhere, expectToast, test } from './support/story.ts';

async function enter(page: Page, email: string): Promise<void> {
  await page.goto('/#/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(demoPassword);
  await page.getByRole('button', { name: 'Log In' }).click();
}

/** The device answers by itself, as with a finger. */
async function addAuthenticatorDevice(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test('required second factor: an administrator switches it on, users see the day, and from then on set it up first', async ({
  someone,
  demo,
  allow,
}) => {
  // Refused: calls of a page that is closed, a change before the password, the connection that is closed.
  allow(/40[139]|WebSocket|Connection disconnected/);
  const { companyId, emails, root } = await createClinic(demo, ['A', 'A']);
  const { page } = await someone();
  await addAuthenticatorDevice(page);
  await enter(page, emails[0] ?? '');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/home');
  // The first steps of a new clinic lead there, too.
  await page.getByRole('link', { name: 'Company Info' }).first().click();
  await page.getByRole('switch', { name: 'Require two-step sign-in' }).check();
  await expect(page.getByRole('group', { name: 'Required from' })).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');
  const { secondFactorFrom } = await root<{ secondFactorFrom: string }>('GET', `/api/companies/${companyId}`);
  const days = (Date.parse(secondFactorFrom) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBeGreaterThanOrEqual(13);
  expect(Math.round(days)).toBeLessThanOrEqual(14);

  // A colleague sees the day.
  const { page: colleague } = await someone();
  await enter(colleague, emails[1] ?? '');
  const notice = colleague.getByRole('region', { name: 'Two-step sign-in' });
  await expect(notice).toContainText('your clinic requires two-step sign-in. Set it up before then.');
  await expectAccessibleEverywhere(colleague);
  await colleague.setViewportSize(desktop);
  await notice.getByRole('link', { name: 'Set it up' }).click();
  await expect(colleague.getByRole('button', { name: 'Add a passkey' })).toBeVisible();
  await colleague.goto('/#/patient-list');
  await expect(colleague.getByRole('heading', { name: 'Patients' })).toBeVisible();

  // The day has come: open pages are replaced, also those that send nothing.
  const company = await root<Record<string, unknown>>('GET', `/api/companies/${companyId}`);
  await root('PUT', '/api/companies', { ...company, secondFactorFrom: '2026-01-01' });
  const heading = { name: 'Set up two-step sign-in' };
  await expect(colleague.getByRole('heading', heading)).toBeVisible();
  await expect(page.getByRole('heading', heading)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Waiting Room' })).toHaveCount(0);
  await expect(page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')).toHaveText(['Logout']);

  // A new sign-in leads there too, on a phone as well, and nothing else opens before.
  await page.goto('/#/logout');
  await expect(page).toHaveURL(/#\/login$/);
  await enter(page, emails[0] ?? '');
  await expect(page.getByRole('heading', heading)).toBeVisible();
  await page.goto('/#/patient-list');
  await expect(page.getByRole('heading', heading)).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
  const question = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await question.getByLabel('Current password').fill(demoPassword);
  await question.getByRole('button', { name: 'Confirm' }).click();
  const codes = page.getByRole('dialog', { name: 'Save your recovery codes' });
  await expect(codes.getByRole('listitem')).toHaveCount(10);
  await codes.getByRole('button', { name: 'I’ve saved them' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Waiting Room' })).toBeVisible();

  // The last factor stays. The passkey replaces the password where that is asked for.
  await page.goto('/#/logout');
  await expect(page).toHaveURL(/#\/login$/);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/user');
  await page.getByRole('button', { name: 'Remove My passkey' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(question).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await question.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByRole('alert')).toContainText(
    'Add another passkey or authenticator app before you remove this one.',
  );
});
