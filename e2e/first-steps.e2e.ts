import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { desktop, expect, expectAccessibleEverywhere, expectToast, test } from './support/story.ts';
import { expectVideo, watchCalls } from './support/visit.ts';

/** Signs a new clinic up by its mailed link. Returns the administrator's email. */
async function signUp(page: Page): Promise<string> {
  const email = `ines-${randomBytes(4).toString('hex')}@harbor.test`;
  const password = 'nine quiet lanterns';
  await page.goto('/#/signup');
  await page.getByLabel('Company name').fill('Lantern Clinic');
  await page.getByLabel('First name').fill('Ines');
  await page.getByLabel('Last name').fill('Moreau');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Create account', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
  const outbox = await page.context().newPage();
  const mail = outbox.getByRole('article').filter({ hasText: email });
  await expect(async () => {
    await outbox.goto('/dev/outbox');
    await expect(mail.first()).toBeVisible({ timeout: 500 });
  }).toPass();
  const link = /#\/signup\/[\w-]+/.exec((await mail.first().textContent()) ?? '')?.[0] ?? '';
  await outbox.close();
  await page.goto(`/${link}`);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Create account and sign in' }).click();
  await expect(page).toHaveURL(/#\/admin\/home$/);
  return email;
}

test('a new clinic: from sign-up by the first steps to the first visit, with a second page as the patient', async ({
  someone,
}) => {
  const { page, context } = await someone();
  await context.grantPermissions(['clipboard-read', 'clipboard-write', 'camera', 'microphone']);
  await watchCalls(page);
  const email = await signUp(page);
  const section = page.getByRole('region', { name: 'First steps' });
  const step = (title: string) => section.getByRole('listitem').filter({ hasText: title });
  const home = () => page.goto('/#/admin/home');
  await expect(section).toContainText('0 of 4 done');
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);

  // A step that is left comes back.
  await section.getByRole('link', { name: 'Add hours' }).click();
  await expect(page).toHaveURL(/#\/admin\/scheduling\/edit\/0$/);
  await home();
  await expect(step('Set your hours')).not.toContainText('Done');
  await section.getByRole('link', { name: 'Add hours' }).click();
  await page.getByLabel('Description').fill('Office hours');
  await page.getByRole('checkbox', { name: /Moreau/ }).check();
  for (const [edge, time] of [
    ['Start', '0900a'],
    ['End', '0500p'],
  ] as const) {
    await page
      .getByRole('group', { name: new RegExp(`^${edge} of slot 1`) })
      .getByRole('spinbutton', { name: 'Hours' })
      .click();
    await page.keyboard.type(time);
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');
  await expect(page).toHaveURL(/#\/admin\/scheduling$/);
  await home();
  await expect(step('Set your hours')).toContainText('Done');

  await section.getByRole('link', { name: 'Add user' }).click();
  await page.getByLabel('First name').fill('Tom');
  await page.getByLabel('Last name').fill('Ager');
  await page.getByRole('textbox', { name: 'Email' }).fill(`tom-${email}`);
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Staff' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'An invitation is on its way');
  await home();
  await expect(step('Invite a colleague')).toContainText('Done');

  await expect(step('Share your booking link')).toContainText('Booking by link is off.');
  await section.getByRole('link', { name: 'Company Info' }).click();
  await page.getByRole('switch', { name: 'Patients can book by link' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');
  await home();
  await section.getByRole('button', { name: 'Copy link' }).click();
  await expect(step('Share your booking link')).toContainText('Done');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/#\/patient\/book\/[0-9a-f]{32}$/);
  await expect(section).toContainText('3 of 4 done');

  await section.getByRole('button', { name: 'Start a test visit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your test visit is ready' });
  await expect(dialog.getByRole('img', { name: 'QR code with the patient’s link' })).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  const [patient] = await Promise.all([
    context.waitForEvent('page'),
    dialog.getByRole('link', { name: 'Open as the patient' }).click(),
  ]);
  await expect(patient.getByText('Your provider will be with you soon, please do not close this window')).toBeVisible();
  await dialog.getByRole('link', { name: 'Enter the room' }).click();
  await expectVideo(page);

  // The visit has taken place: the steps are done and gone, and nothing was sent about it.
  await home();
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible();
  await expect(section).toHaveCount(0);
  await page.goto('/#/patient-list');
  await expect(page.getByRole('link', { name: /Moreau \(test\)/ })).toBeVisible();
  await page.goto('/dev/outbox');
  await expect(
    page
      .getByRole('article')
      .filter({ hasText: email })
      .filter({ hasText: /arrived|waiting/i }),
  ).toHaveCount(0);
});

test('first steps: are hidden for good, also for other administrators', async ({ someone }) => {
  const { page } = await someone();
  await signUp(page);
  const section = page.getByRole('region', { name: 'First steps' });
  await section.getByRole('button', { name: 'Hide these steps' }).click();
  await expectToast(page, 'The first steps are hidden.');
  await expect(section).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible();
  await expect(section).toHaveCount(0);
});
