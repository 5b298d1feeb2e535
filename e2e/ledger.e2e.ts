import { readFile } from 'node:fs/promises';
import type { Request } from '@playwright/test';
import { desktop, expect, expectAccessibleEverywhere, signIn, test } from './support/story.ts';

const boundOf = (request: Request, name: 'from' | 'to') =>
  new Date(new URL(request.url()).searchParams.get(name) ?? '');
const daysOf = (request: Request) =>
  1 + (boundOf(request, 'to').getTime() - boundOf(request, 'from').getTime()) / 86_400_000;

test('payments of the clinic: periods, filters, sums, open balances and a download', async ({ someone }) => {
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/home');
  const main = page.getByRole('main');
  await main.getByRole('link', { name: 'Payments', exact: true }).click();
  await expect(page).toHaveURL(/#\/admin\/ledger$/);
  await expect(page.getByRole('heading', { name: 'Payments', level: 1 })).toBeVisible();
  await expect(main.getByRole('button', { name: 'Today' })).toHaveAttribute('aria-pressed', 'true');
  // A week of the clinic has seven days, from Sunday on.
  const asked = page.waitForRequest((request) => request.url().includes('/ledger/totals?') && daysOf(request) === 7);
  await main.getByRole('button', { name: 'This week' }).click();
  await expect(main.getByRole('button', { name: 'This week' })).toHaveAttribute('aria-pressed', 'true');
  expect(boundOf(await asked, 'from').getUTCDay()).toBe(0);
  const month = main.getByRole('button', { name: 'This month' });
  await month.click();
  await expect(month).toHaveAttribute('aria-pressed', 'true');

  // The sums, and the same by provider and by processor.
  const sums = main.getByRole('region', { name: 'Sums' });
  await expect(sums.getByText('Collected', { exact: true })).toBeVisible();
  await expect(sums.getByText(/^\$[\d,]+\.\d\d$/)).toHaveCount(6);
  await expect(main.getByRole('region', { name: 'By provider' }).first().getByRole('row')).not.toHaveCount(1);
  await expect(main.getByRole('rowheader', { name: 'Without card' })).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);

  // One kind; its entries lead to their appointments.
  const payments = main.getByRole('table', { name: 'Payments' });
  await expect(payments.getByRole('columnheader')).toHaveText([
    'Time',
    'Patient',
    'Provider',
    'Kind',
    'Entered by',
    'Amount',
  ]);
  await main.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Refund' }).click();
  await expect(main.getByText('No payments found')).toBeVisible();
  await main.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Other payment' }).click();
  await expect(payments.getByRole('cell', { name: 'Other payment' }).first()).toBeVisible();
  await payments.getByRole('columnheader', { name: 'Amount' }).getByRole('button').click();
  await expect(payments.getByRole('row').nth(1).getByRole('cell').last()).toHaveText(/^-?\$/);

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as CSV' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^payments_\d{4}-\d\d-01_\d{4}-\d\d-\d\d\.csv$/);
  const text = await readFile(await download.path(), 'utf8');
  expect(text).toContain('Date,Time,Time zone,Patient,Provider,Kind,Amount,Currency,Processor,Card,Entered by');
  expect(text).toMatch(/,Other payment,\d+\.\d\d,USD,/);

  // What is owed.
  await main.getByRole('combobox', { name: 'Show' }).click();
  await page.getByRole('option', { name: 'Open balances' }).click();
  const balances = main.getByRole('table', { name: 'Open balances' });
  await expect(balances.getByRole('columnheader')).toHaveText([
    'Appointment',
    'Patient',
    'Provider',
    'Fee',
    'Collected',
    'Owed',
  ]);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await balances.getByRole('link').first().click();
  await expect(page).toHaveURL(/#\/appointment-edit\/\d+\/\d+$/);
  await expect(page.getByRole('region', { name: 'This visit' })).toBeVisible();

  // A period that is too long says so; the page still shows the last one.
  await page.goBack();
  await main.getByRole('group', { name: 'From' }).click();
  await page.keyboard.type('01012020');
  await expect(main.getByText('Pick two days at most one year apart.')).toBeVisible();
});

test('payments of the clinic: are not for doctors', async ({ someone, allow }) => {
  allow(/403/);
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/ledger');
  await expect(page).toHaveURL(/#\/waiting-room$/);
  await expect(page.getByRole('heading', { name: 'Payments', level: 1 })).toBeHidden();
});
