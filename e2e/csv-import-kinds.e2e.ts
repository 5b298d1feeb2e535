import fs from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { dayAhead, daysToWeekday } from './support/api.ts';
import { withSeparateDemo } from './support/separate-demo.ts';
import { desktop, expect, expectAccessibleEverywhere, phone, signIn } from './support/story.ts';

/** A separate clinic: other stories look at its appointments. */
const test = withSeparateDemo();

const upload = (page: Page, name: string, rows: readonly string[]) =>
  page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(`${rows.join('\r\n')}\r\n`) });

/** The number of a count, such as 'New appointments'. */
const count = (page: Page, name: string): Locator =>
  page.locator('.csv-tiles > div').filter({ hasText: name }).getByRole('definition');

const box = (page: Page, name: string) => page.getByRole('combobox', { name: new RegExp(`^${name}( \\*)?$`) });

async function savedText(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return fs.readFileSync(await download.path(), 'utf8');
}

test('import of appointments: conflicts are shown and left out, the wrong rows are corrected, and an import is undone', async ({
  someone,
}) => {
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/csv-import');
  await upload(page, 'patients.csv', [
    'External ID,First Name,Last Name,Birth Date,Phone',
    'K1,Kay,Import,1/5/1980,2125550171',
    'K2,Lou,Import,2/6/1981,2125550172',
  ]);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('button', { name: 'Import 2 patients' }).click();
  await expect(page.getByText('2 record(s) have been uploaded')).toBeVisible();

  await page.getByRole('tab', { name: 'Appointments' }).click();
  await expect(page.getByRole('heading', { name: 'Import appointments from CSV', level: 1 })).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  // Ahead: what is past has other words.
  const day = dayAhead(daysToWeekday(200));
  const us = `${Number(day.slice(5, 7))}/${Number(day.slice(8))}/${day.slice(0, 4)}`;
  const header = 'Appt ID,Patient ID,Patient Name,DOB,Provider,Date,Time,Duration,Status';
  const rows = [
    `B1,K1,"Import, Kay",1/5/1980,doctor@demo.test,${us},9:00 AM,30,Scheduled`,
    `B2,,"Import, Lou",2/6/1981,doctor@demo.test,${us},9:15 AM,30,Scheduled`,
    `B3,K9,,,doctor@demo.test,${us},11:00 AM,30,Scheduled`,
    'B4,K2,,,doctor@demo.test,6/3/2024,11:00 AM,45 min,Completed',
  ];
  await upload(page, 'appointments.csv', [header, ...rows]);
  const fields = {
    'Patient’s external ID': 'Patient ID',
    'Patient’s first name': 'Patient Name',
    'Patient’s birth date': 'DOB',
    Provider: 'Provider',
    'Date, or date and time': 'Date',
    'Time, if separate': 'Time',
    'Length in minutes': 'Duration',
    Status: 'Status',
    'Appointment ID': 'Appt ID',
  };
  for (const [field, column] of Object.entries(fields)) await expect(box(page, field)).toHaveText(column);
  const preview = page.getByRole('region', { name: 'The first rows' });
  await expect(preview.getByRole('row').nth(1)).toContainText('9:00');
  await expect(preview.getByRole('row').nth(1)).toContainText('Kay Import');
  await expect(preview.getByRole('row').nth(1)).toContainText('Scheduled');
  await expect(preview.getByRole('row').nth(4)).toContainText('Completed');
  const reminders = page.getByRole('checkbox', { name: 'Send reminders for imported appointments' });
  await expect(reminders).not.toBeChecked();
  await expect(reminders).toHaveAccessibleDescription(/Invitations are never sent by an import\./);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Import appointments from CSV', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Upload', exact: true }).click();

  await expect(count(page, 'New appointments')).toHaveText('2');
  await expect(count(page, 'Wrong rows')).toHaveText('2');
  const wrong = page.getByRole('region', { name: 'Rows that are left out' });
  await expect(wrong.getByRole('row')).toHaveText([
    /Line/,
    /3The provider is taken at this time by line 2\./,
    /4No patient has this external ID, or this name and birth date\./,
  ]);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.getByRole('button', { name: 'Import 2 appointments' }).click();
  await expect(page.getByText('2 record(s) have been uploaded')).toBeVisible();
  const left = await savedText(page, 'Download these rows');
  expect(left).toContain('B2,,"Import, Lou"');

  // The corrected file: what is there stays, and an appointment that is booked since is in the way.
  await page.getByRole('button', { name: 'Upload More' }).click();
  const corrected = left.replace('\ufeff', '').trim().replace('9:15 AM', '9:30 AM').split('\r\n');
  await upload(page, 'corrected.csv', [...corrected, `${rows[0]},,`, `B5,K2,,,doctor@demo.test,${us},9:10 AM,10,,,`]);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(count(page, 'New appointments')).toHaveText('1');
  await expect(count(page, 'Already there')).toHaveText('1');
  await expect(wrong.getByRole('row').last()).toContainText('The provider has another appointment at this time.');
  await page.getByRole('button', { name: 'Import 2 appointments' }).click();
  await expect(page.getByText('2 record(s) have been uploaded')).toBeVisible();

  await page.goto('/#/appointment-list/2024-06-03');
  const held = page.getByRole('row').filter({ hasText: 'Import, Lou' });
  await expect(held.getByLabel('Completed in the system you used before')).toBeVisible();
  await page.goto(`/#/appointment-list/${day}`);
  await expect(page.getByRole('row').filter({ hasText: 'Import' })).toHaveCount(2);
  // An export that is imported again changes nothing.
  await page.goto('/#/admin/csv-import?kind=appointments');
  const exported = await savedText(page, 'Download all appointments');
  await upload(page, 'again.csv', exported.replace('\ufeff', '').trim().split('\r\n'));
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(count(page, 'New appointments')).toHaveText('0');
  await expect(count(page, 'Wrong rows')).toHaveText('0');
  await page.getByRole('button', { name: 'Change the fields' }).click();
  await page.getByRole('button', { name: 'Back', exact: true }).click();

  const past = page.getByRole('region', { name: 'Past imports' });
  await expect(past.getByRole('listitem').first()).toContainText('Appointments');
  // The patients first: who has an appointment stays, and can be undone later.
  await past.getByRole('button', { name: 'Undo the import of patients.csv' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('undo that import first');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo this import' }).click();
  await expect(page.getByText(/because they were edited since, or are new and have appointments\./)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo the rest' })).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.goto('/#/admin/csv-import?kind=appointments');
  const ofPatients = past.getByRole('listitem').filter({ hasText: 'patients.csv' });
  await expect(ofPatients).toContainText('Undone, 2 left as they are');
  await past.getByRole('button', { name: 'Undo the import of corrected.csv' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo this import' }).click();
  await expect(page.getByText('The import was undone for 1 appointment.')).toBeVisible();
  await page.goto(`/#/appointment-list/${day}`);
  await expect(page.getByRole('row').filter({ hasText: 'Import' })).toHaveCount(1);
});

test('import of weekly hours: each row becomes a rule, hours that overlap are left out, and the import is undone', async ({
  someone,
}) => {
  const { page } = await someone({ viewport: phone });
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/csv-import');
  await page.getByRole('tab', { name: 'Weekly hours' }).click();
  await expect(page.getByRole('heading', { name: 'Import weekly hours from CSV', level: 1 })).toBeVisible();
  await upload(page, 'hours.csv', [
    'Provider,Days,From,To,Valid from,Valid until',
    'doctor@demo.test,Mon–Wed,6:00 AM,6:30 AM,1/4/2027,',
    'doctor@demo.test,Wednesday,6:15 AM,7:00 AM,1/4/2027,',
    'doctor@demo.test,Someday,6:00 AM,6:30 AM,,',
  ]);
  const preview = page.getByRole('region', { name: 'The first rows' });
  await expect(preview.getByRole('row').nth(1)).toContainText('Mon, Tue, Wed');
  await expect(preview.getByRole('row').nth(1)).toContainText('6:30 AM');
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(phone);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Rows that are left out' }).getByRole('row')).toHaveText([
    /Line/,
    /3The provider is taken at this time by line 2\./,
    /4Days of the weekSomedayIsn’t a day of the week\./,
  ]);
  await page.getByRole('button', { name: 'Import 1 rule' }).click();
  await expect(page.getByText('1 record(s) have been uploaded')).toBeVisible();
  await page.getByRole('link', { name: 'See the scheduling rules' }).click();
  await expect(page.getByText('Imported hours')).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo this import' }).click();
  await expect(page.getByText('The import was undone for 1 rule.')).toBeVisible();
  await page.goto('/#/admin/scheduling');
  await expect(page.getByRole('link', { name: 'Office hours' })).toBeVisible();
  await expect(page.getByText('Imported hours')).toHaveCount(0);
});
