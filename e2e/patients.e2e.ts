import type { Page } from '@playwright/test';
import { apiAs } from './support/api.ts';
import { desktop, expect, expectAccessible, expectToast, phone, signIn, test } from './support/story.ts';

async function openPatients(page: Page, email: string) {
  await signIn(page, email);
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/patient-list');
  await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();
}

async function typeDate(page: Page, label: string, digits: string) {
  await page.getByRole('group', { name: label }).getByRole('spinbutton').first().click();
  await page.keyboard.type(digits);
}

interface Row {
  firstName: string;
  lastName: string;
  created: string;
  lastAppointment: string | null;
  nextAppointment: string | null;
}

const at = (instant: string, style: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', ...style }).format(new Date(instant));
/** An appointment of the next hour, or one that has just begun, may change columns meanwhile. */
const isFar = (instant: string) => Math.abs(Date.parse(instant) - Date.now()) > 2 * 3_600_000;
const dayOf = (instant: string) => at(instant, { year: 'numeric', month: '2-digit', day: '2-digit' });
const timeOf = (instant: string | null) =>
  instant === null
    ? ''
    : at(instant, { month: '2-digit', day: '2-digit', year: 'numeric', hour: 'numeric', minute: '2-digit' });

test('patient list: has columns, sorting, search and paging @PATIENTS-1 @PATIENTS-3', async ({ someone, demo }) => {
  const { page } = await someone({ viewport: desktop });
  await openPatients(page, 'doctor@demo.test');
  const table = page.getByRole('table', { name: 'Patients' });
  await expect(table.getByRole('columnheader')).toHaveText([
    'First name',
    'Last name',
    'DoB',
    'Created',
    'Last appointment',
    'Next appointment',
    'Actions',
  ]);
  await expect(page.getByText(/^1 – 20 of \d+$/)).toBeVisible();
  await expectAccessible(page);

  // With another appointment before and after today.
  const api = await apiAs(demo, 'doctor@demo.test');
  const listed = await api<{ data: Row[] }>('GET', '/api/patients?top=50&skip=0&orderBy=lastAppointment%20desc');
  const isKnown = ({ lastAppointment, nextAppointment }: Row) =>
    lastAppointment !== null && nextAppointment !== null && isFar(lastAppointment) && isFar(nextAppointment);
  const known = listed.data.find(isKnown);
  if (!known) throw new Error('The demo has no patient with both appointments.');
  const search = page.getByRole('searchbox', { name: 'Search patients' });
  await search.fill(`${known.firstName} ${known.lastName}`);
  const cells = table.getByRole('row').filter({ hasText: known.firstName }).filter({ hasText: known.lastName }).first();
  await expect(cells.getByRole('cell').nth(3)).toHaveText(dayOf(known.created));
  await expect(cells.getByRole('cell').nth(4)).toHaveText(timeOf(known.lastAppointment));
  await expect(cells.getByRole('cell').nth(5)).toHaveText(timeOf(known.nextAppointment));
  await page.setViewportSize(phone);
  const card = page
    .getByRole('listitem')
    .filter({ hasText: `${known.firstName} ${known.lastName}` })
    .first();
  await expect(card).toContainText(`Created${dayOf(known.created)}`);
  await expect(card).toContainText(`Last appointment${timeOf(known.lastAppointment)}`);
  await page.setViewportSize(desktop);
  await search.fill('');
  await expect(page.getByText(/^1 – 20 of \d+$/)).toBeVisible();

  const firstCell = table.getByRole('row').nth(1).getByRole('cell').first();
  await table.getByRole('button', { name: 'First name' }).click();
  await expect(firstCell).toHaveText('Aisha');
  await page.getByRole('button', { name: 'Go to next page' }).click();
  await expect(page.getByText(/^21 – \d+ of \d+$/)).toBeVisible();
  await table.getByRole('button', { name: 'First name' }).click();
  await expect(firstCell).toHaveText('Zoe');

  await page.getByRole('searchbox', { name: 'Search patients' }).fill("O'Bri");
  await expect(table.getByRole('row')).toHaveCount(3);
  await table.getByRole('link', { name: 'Olivia', exact: true }).click();
  await expect(page).toHaveURL(/#\/patient-edit\/\d+$/);
  await expect(page.getByRole('heading', { name: "Olivia O'Brien" })).toBeVisible();
  expect(await page.title()).not.toContain('Olivia');

  await page.goto('/#/patient-list');
  await page.getByRole('searchbox', { name: 'Search patients' }).fill('no such patient');
  await expect(page.getByText('No patients found.')).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'New patient' }).click();
  await expect(page).toHaveURL(/#\/patient-edit\/0$/);
});

test('patient: is created, changed and deleted @PATIENT-2 @VALID-21 @VALID-22 @VALID-23 @VALID-24 @VALID-25 @ENTITY-2 @PATIENTS-2', async ({
  someone,
}) => {
  const { page } = await someone({ viewport: phone });
  await openPatients(page, 'staff@demo.test');
  await page.getByRole('link', { name: 'New patient' }).click();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  const alert = page.getByRole('alert');
  for (const label of ['First name', 'Last name', 'Date of birth']) {
    await expect(alert).toContainText(`${label}: Required`);
  }
  await expectAccessible(page);
  await page.getByLabel('First name').fill('Róisín');
  await page.getByLabel('Last name').fill("O'Shea");
  await typeDate(page, 'Date of birth', '02291988');
  // Neither phone nor email.
  await save.click();
  await expect(alert).toContainText('Email: Please provide at least one phone or an email.');
  await page.getByLabel('Email').fill('not an email');
  await expect(page.getByText("Doesn't seem valid", { exact: true })).toBeVisible();
  // An added row must be filled.
  await page.getByRole('button', { name: 'Add a phone' }).click();
  await save.click();
  await expect(alert).toContainText('Phone: Required');
  await page.getByRole('button', { name: 'Remove phone 1' }).click();

  await page.getByLabel('External ID').fill('MRN-77');
  await page.getByLabel('Email').fill('roisin@patients.test');
  await page.getByRole('button', { name: 'Add a phone' }).click();
  await page.getByRole('textbox', { name: 'Phone', exact: true }).fill('1125550100');
  await page.getByLabel('Email').focus();
  await expect(page.getByText('Not valid', { exact: true })).toBeVisible();
  await page.getByRole('textbox', { name: 'Phone', exact: true }).fill('212555987');
  await expect(page.getByText('9/10')).toBeVisible();
  await page.getByRole('textbox', { name: 'Phone', exact: true }).fill('2125559876');
  await save.dblclick();
  await expect(page).toHaveURL(/#\/patient-edit\/[1-9]\d*$/);
  await expect(page.getByRole('heading', { name: "Róisín O'Shea" })).toBeVisible();

  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Phone', exact: true })).toHaveValue('(212) 555-9876');
  await expect(page.getByLabel('External ID')).toHaveValue('MRN-77');
  await page.getByRole('button', { name: 'Add a phone' }).click();
  await page.getByRole('textbox', { name: 'Phone 2' }).fill('3125559876');
  await save.click();
  await expectToast(page, 'The record has been saved.');

  await page.getByRole('link', { name: 'All Patients' }).click();
  await page.getByRole('button', { name: 'Search patients' }).click();
  await page.getByRole('searchbox').fill('3125559876');
  const cards = page.getByRole('list', { name: 'Patients' }).getByRole('listitem');
  // One patient, although Save was clicked twice.
  await expect(cards).toHaveCount(1);
  await page.getByRole('link', { name: "New appointment for Róisín O'Shea" }).click();
  await expect(page).toHaveURL(/#\/appointment-edit\/\d+\/0$/);
  await page.goto('/#/patient-list');
  const remove = page.getByRole('button', { name: "Delete Róisín O'Shea" });
  await remove.click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Would you like to delete this record?');
  await expect(question).toContainText("Róisín O'Shea");
  await expect(question).toContainText('Born 02/29/1988');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(cards).toHaveCount(1);
  await remove.click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No patients found.')).toBeVisible();
});

test('patient edited by two people: keeps the input of both', async ({ someone, allow }) => {
  allow(/409/);
  const [{ page }, { page: other }] = [await someone(), await someone()];
  await openPatients(page, 'doctor@demo.test');
  await openPatients(other, 'admin@demo.test');
  await page.getByRole('link', { name: 'Diego', exact: true }).first().click();
  await expect(page.getByLabel('External ID')).toHaveValue('');
  await other.goto(page.url());
  await other.getByLabel('External ID').fill('theirs');
  await other.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(other, 'The record has been saved.');

  await page.getByLabel('External ID').fill('mine');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('External ID is now “theirs”.');
  await expect(page.getByLabel('External ID')).toHaveValue('mine');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');
  await other.reload();
  await expect(other.getByLabel('External ID')).toHaveValue('mine');

  // A save at the address of the appointments leads to the record, and says that it was saved.
  await other.goto(`${other.url()}/appointments`);
  await other.getByLabel('External ID').fill('theirs again');
  await other.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(other).toHaveURL(/#\/patient-edit\/\d+$/);
  await expectToast(other, 'The record has been saved.');
});

test('patient’s record: links to appointments, and to an instant visit for A and D @PATIENT-3 @PATIENTS-2 @ROLE-5', async ({
  someone,
}) => {
  const [{ page }, { page: staff }] = [await someone(), await someone()];
  await openPatients(staff, 'staff@demo.test');
  await expect(staff.getByRole('button', { name: /^Delete / }).first()).toBeVisible();
  await expect(staff.getByRole('button', { name: /^Instant appointment with/ })).toHaveCount(0);
  await staff.getByRole('link', { name: 'Mateo', exact: true }).first().click();
  await expect(staff.getByRole('button', { name: 'Instant Appointment', exact: true })).toBeDisabled();

  await openPatients(page, 'doctor@demo.test');
  await page.goto(staff.url());
  await expect(page.getByRole('button', { name: 'Instant Appointment', exact: true })).toBeEnabled();
  await expect(page.getByRole('region', { name: 'Appointments' }).getByRole('table')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'New Appointment' }).first().click();
  await expect(page).toHaveURL(/#\/appointment-edit\/\d+\/0$/);

  await page.goto('/#/patient-list');
  await page.getByRole('button', { name: 'Instant appointment with Mateo Ali' }).dblclick();
  const question = page.getByRole('alertdialog', { name: 'Instant Appointment' });
  await expect(question).toContainText('Mateo Ali');
  await expect(question).toContainText(/The link goes to \S+@/);
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Send link and start' }).click();
  await expectToast(page, "We've notified the patient. Please wait in the room.");
  await expect(page).toHaveURL(/#\/appointment\/[0-9a-f]{32}$/);
});

test('new patient with an email and no phone: is saved without touching the phones @VALID-25', async ({ someone }) => {
  const { page } = await someone();
  await openPatients(page, 'staff@demo.test');
  await page.getByRole('link', { name: 'New patient' }).click();
  await page.getByLabel('First name').fill('Mail');
  await page.getByLabel('Last name').fill('Only');
  await typeDate(page, 'Date of birth', '02291988');
  await page.getByLabel('Email').fill('mail.only@patients.test');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The record has been saved.');
  await expect(page).toHaveURL(/#\/patient-edit\/[1-9]\d*$/);
});

test('user without a clinic: cannot save a patient @PATIENT-2', async ({ someone }) => {
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await expect(page).not.toHaveURL(/#\/login$/);
  await page.goto('/#/patient-edit/0');
  await expect(page.getByText(/Patients belong to a clinic/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
});
