import fs from 'node:fs';
import { demoPassword } from './support/server.ts';
import { expect, expectAccessibleEverywhere, expectToast, signIn, test } from './support/story.ts';

test('an administrator: exports all data, downloads it once, and sets how long records are kept', async ({
  someone,
  allow,
}) => {
  allow(/403/);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.getByRole('link', { name: 'Admin', exact: true }).click();
  await page.getByRole('link', { name: 'Clinic data' }).click();
  await expect(page).toHaveURL(/#\/admin\/data$/);
  await expect(page.getByRole('heading', { name: 'Clinic data', level: 1 })).toBeVisible();
  await expectAccessibleEverywhere(page);

  await page.getByRole('button', { name: 'Export all data' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('the data of all patients');
  await question.getByRole('button', { name: 'Export all data' }).click();
  // The server wants to know that the administrator is present.
  await page.getByLabel('Current password').fill(demoPassword);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/The export is ready/)).toBeVisible({ timeout: 20_000 });
  await expectAccessibleEverywhere(page);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^clinic-data-\d{4}-\d\d-\d\d\.zip$/);
  const bytes = fs.readFileSync(await file.path());
  expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
  expect(bytes.includes('patients.csv')).toBe(true);
  // Once.
  await expect(page.getByText(/The last export was downloaded on/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download' })).toHaveCount(0);

  await page.getByRole('combobox', { name: 'Recordings' }).click();
  await page.getByRole('option', { name: '7 years' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Recordings' })).toHaveText('7 years');
  await expect(page.getByRole('combobox', { name: 'Chats' })).toHaveText('Forever');
});
