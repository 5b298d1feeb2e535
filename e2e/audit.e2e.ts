import fs from 'node:fs';
import { apiAs, findPatient } from './support/api.ts';
import { demoPassword } from './support/server.ts';
import { desktop, expect, expectAccessibleEverywhere, expectToast, signIn, test } from './support/story.ts';

test('an administrator: sees who viewed a patient, filters by keyboard, and downloads what is filtered', async ({
  someone,
  demo,
}) => {
  const doctor = await apiAs(demo, 'doctor@demo.test');
  const patientId = await findPatient(doctor, '');
  const patient = await doctor<{ firstName: string; lastName: string }>('GET', `/api/patients/${patientId}`);
  const name = `${patient.firstName} ${patient.lastName}`;
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.getByRole('link', { name: 'Admin', exact: true }).click();
  await expect(page.getByRole('main').getByRole('list').first().getByRole('link').last()).toHaveText('Audit log');
  await page.getByRole('link', { name: 'Audit log' }).click();
  await expect(page).toHaveURL(/#\/admin\/audit$/);
  await expect(page.getByRole('columnheader')).toHaveText(['Time', 'Person', 'Action', 'Concerns', 'Address']);
  await expect(page.getByText(/^(Verified until|Not verified yet)/)).toBeVisible();
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') });
  await expect(rows.filter({ hasText: 'Signed in' }).first()).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(desktop);

  // By keyboard: the kind, then a person.
  await page.getByRole('combobox', { name: 'Kind' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Viewed' }).focus();
  await page.keyboard.press('Enter');
  await expect(rows.filter({ hasText: 'Signed in' })).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Patient' }).focus();
  await page.keyboard.type(patient.lastName);
  await expect(page.getByRole('option', { name }).first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const viewed = rows.filter({ hasText: 'Viewed a patient’s record' });
  await expect(viewed.first()).toContainText('Doctor');
  await expect(viewed.first()).toContainText(name);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as CSV' }).click();
  const text = fs.readFileSync(await (await download).path(), 'utf8');
  expect(text).toContain('Viewed a patient’s record');
  expect(text).not.toContain('Signed in');

  await page.goto(`/#/patient-edit/${patientId}`);
  await page.getByRole('link', { name: 'Who has seen this' }).click();
  await expect(page).toHaveURL(new RegExp(`#/admin/audit/${patientId}$`));
  await expect(page.getByRole('combobox', { name: 'Patient' })).toHaveValue(name);
  await expect(rows.filter({ hasText: 'Viewed a patient’s record' }).first()).toContainText(name);
  await expect(rows.filter({ hasText: 'Signed in' })).toHaveCount(0);
});

test('a Super: sees the administration without patients; a doctor has no audit log', async ({ someone, allow }) => {
  allow(/403/);
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await page.goto('/#/admin/home');
  await page.getByRole('link', { name: 'Audit log' }).click();
  await expect(page.getByRole('combobox', { name: 'Person' })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Patient' })).toHaveCount(0);
  await expect(page.getByRole('row').filter({ hasText: 'Signed in' }).first()).toBeVisible();
  const { page: doctor } = await someone();
  await signIn(doctor, 'doctor@demo.test');
  await doctor.goto('/#/admin/audit');
  await expect(doctor).toHaveURL(/#\/waiting-room$/);
  await doctor.goto('/#/patient-list');
  await doctor.getByRole('table').getByRole('link').first().click();
  await expect(doctor.getByRole('button', { name: 'Save', exact: true })).toBeVisible();
  await expect(doctor.getByRole('link', { name: 'Who has seen this' })).toHaveCount(0);
});

test('an administrator: erases a patient with a reason and the password; the audit log has it without the name', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/422|404/);
  const api = await apiAs(demo, 'admin@demo.test');
  const { patientId } = await api<{ patientId: number }>('POST', '/api/patients', {
    patientId: 0,
    version: 0,
    firstName: 'Orla',
    lastName: "O'Quill",
    doB: '1980-01-01',
    email: 'orla@patients.test',
    externalId: '',
    patientPhones: [],
  });
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto(`/#/patient-edit/${patientId}`);
  await page.getByRole('button', { name: 'Erase patient data' }).click();
  const dialog = page.getByRole('dialog', { name: "Erase all data of Orla O'Quill?" });
  await expect(dialog.getByText('Payments')).toBeVisible();
  // Without hovering a button.
  await page.mouse.move(0, 0);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  // Nothing is erased without a reason and the password.
  await dialog.getByRole('button', { name: 'Erase permanently' }).click();
  await expect(dialog.getByLabel('Your current password')).toHaveAccessibleDescription('Required');
  await dialog.getByRole('combobox', { name: 'Reason' }).click();
  await page.getByRole('option', { name: 'The patient asked for it' }).click();
  await dialog.getByLabel('Your current password').fill('something else');
  await dialog.getByRole('button', { name: 'Erase permanently' }).click();
  await expect(dialog.getByLabel('Your current password')).toHaveAccessibleDescription(
    'The current password isn’t right.',
  );
  await dialog.getByLabel('Your current password').fill(demoPassword);
  await page.keyboard.press('Enter');
  await expectToast(page, 'The patient’s data has been erased.');
  await expect(page).toHaveURL(/#\/patient-list$/);
  await page.getByRole('searchbox').fill('Quill');
  await expect(page.getByText('No patients found.')).toBeVisible();
  await page.goto(`/#/admin/audit/${patientId}`);
  // The try with the wrong password is there, too.
  const erasures = page.getByRole('row').filter({ hasText: 'Erased a patient’s data' });
  await expect(erasures.first()).toContainText('Erased Erased');
  await expect(erasures.first()).toContainText('Reason: The patient asked for it');
  await expect(erasures.filter({ hasText: 'Refused: The current password isn’t right.' })).toHaveCount(1);
  await expect(page.getByText("O'Quill")).toHaveCount(0);
});
