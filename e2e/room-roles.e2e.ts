import type { Page } from '@playwright/test';
import { apiAs, bookAppointment, dayAhead } from './support/api.ts';
import { cardFrame, cardNumbers, fillCard, licenseCard } from './support/cards.ts';
import { takeCards } from './support/company.ts';
import { buildPhotos } from './support/photos.ts';
import { buildRecordedVisit, expectTracksLoaded } from './support/recorded-visit.ts';
import { withSeparateDemo } from './support/separate-demo.ts';
import { startDemo } from './support/server.ts';
import { expect, expectBriefly, expectToast, keepNotice, phone, signIn } from './support/story.ts';
import { expectVideo, watchCalls } from './support/visit.ts';

/** Whose licenses cost something. Other stories show the details of what these go through. */
const test = withSeparateDemo(() => startDemo({ LICENSE_PRICE: '120.50', LICENSE_PROCESSOR: 'sandbox' }));

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const save = (page: Page) => button(page, 'Save').click();
const inWaitingRoom = (page: Page) => expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();

async function typeInto(page: Page, group: string | RegExp, keys: string): Promise<void> {
  await page.getByRole('group', { name: group }).getByRole('spinbutton').first().click();
  await page.keyboard.type(keys);
}

async function asSuper(page: Page): Promise<void> {
  await signIn(page, 'super@demo.test');
  await page.getByRole('link', { name: 'Companies', exact: true }).click();
  await page.getByRole('link', { name: 'Add company' }).click();
  await page.getByLabel('Company name').fill("Doctor's Hill");
  await save(page);
  await expect(page.getByRole('heading', { name: "Doctor's Hill" })).toBeVisible();
}

async function asAdministrator(page: Page): Promise<void> {
  await signIn(page, 'admin@demo.test');
  await inWaitingRoom(page);
  const open = async (name: string) => {
    await page.goto('/#/admin/home');
    await page.getByRole('main').getByRole('link', { name, exact: true }).click();
  };
  await open('Users');
  await page.getByRole('link', { name: 'Add user' }).click();
  await page.getByLabel('First name').fill('Niamh');
  await page.getByLabel('Last name').fill("O'Shea");
  await page.getByRole('textbox', { name: 'Email' }).fill('niamh@demo.test');
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Staff' }).click();
  await save(page);
  await expectToast(page, 'An invitation is on its way to niamh@demo.test.');

  await open('Scheduling Rules');
  await page.getByRole('link', { name: 'New rule' }).click();
  await page.getByLabel('Description').fill('Early hour');
  await page.getByRole('checkbox', { name: 'Jonas Lindqvist' }).check();
  await typeInto(page, /^Start of slot 1/, '0500a');
  await typeInto(page, /^End of slot 1/, '0600a');
  await save(page);
  await expect(page.getByRole('table').getByRole('link', { name: 'Early hour' })).toBeVisible();

  await open('Promo Codes');
  await page.getByRole('link', { name: 'New promo code' }).first().click();
  await page.getByRole('textbox', { name: 'Promo Code' }).fill('Autumn');
  await page.getByRole('textbox', { name: '% Discount Rate' }).fill('15');
  await save(page);
  await expect(page.getByRole('row').filter({ hasText: 'Autumn' })).toContainText('15%');

  await open('Import Patients (CSV)');
  const buffer = Buffer.from('First Name,Last Name,DOB,Phone\r\nAnn,Imported,1/5/1980,2125550155\r\n');
  await page.locator('input[type=file]').setInputFiles({ name: 'one.csv', mimeType: 'text/csv', buffer });
  await button(page, 'Upload').click();
  await button(page, 'Import 1 patient').click();
  await expect(page.getByText('1 record(s) have been uploaded')).toBeVisible();

  await page.goto('/#/admin/payment');
  await fillCard(licenseCard(page, 'Primary').frameLocator('iframe[title="Card details"]'), cardNumbers.good);
  await button(page, 'Save Payment Info').click();
  await expectToast(page, 'The payment information has been saved.');
  await expectBriefly(page, 'Thank you for your payment!', () => button(page, /^Purchase/).click());
  await inWaitingRoom(page);
}

async function asStaff(page: Page): Promise<void> {
  await signIn(page, 'staff@demo.test');
  await page.getByRole('link', { name: 'Patients' }).click();
  await page.getByRole('link', { name: 'New patient' }).first().click();
  await page.getByLabel('First name').fill('Róisín');
  await page.getByLabel('Last name').fill("O'Dea");
  await typeInto(page, 'Date of birth', '02291988');
  await page.getByLabel('Email').fill('roisin@patients.test');
  await save(page);
  await expect(page.getByRole('heading', { name: "Róisín O'Dea" })).toBeVisible();

  // The list of a new patient has the link twice, once it has been read.
  await page.getByRole('link', { name: 'New Appointment' }).first().click();
  await page.getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'Maya Reyes' }).click();
  const date = dayAhead(50);
  await typeInto(page, 'Date', `${date.slice(5, 7)}${date.slice(8)}${date.slice(0, 4)}`);
  await typeInto(page, 'Time', '0900a');
  await save(page);
  await expectToast(page, 'The appointment has been created.');

  await page.goto(`/#/schedule/daily/${date}`);
  const entry = (time: string) => page.getByRole('link', { name: new RegExp(`^O'Dea.* ${time}( E[SD]T)? to `) });
  await entry('9:00 AM').focus();
  for (const key of ['Space', 'ArrowDown', 'ArrowDown', 'Space']) await page.keyboard.press(key);
  await expect(entry('9:30 AM')).toBeVisible();
  await expect(page.getByText(/ moved to 9:30 AM/)).toBeVisible();
}

interface Made {
  /** A visit with a recording. */
  recorded: { patientId: number; appointmentId: number; patientName: string };
  /** A patient with a photo. */
  photographed: number;
}

async function asDoctor(page: Page, { recorded, photographed }: Made): Promise<void> {
  await signIn(page, 'doctor@demo.test');
  await inWaitingRoom(page);
  await page.goto(`/#/appointment-edit/${recorded.patientId}/${recorded.appointmentId}`);
  const region = (name: string) => page.getByRole('region', { name });
  const notes = region('Notes').getByRole('textbox');
  await expectBriefly(page, 'Saved', () => notes.fill("Didn't sleep well."));
  const buffer = Buffer.from('Take one a day.');
  const file = { name: 'Plan.txt', mimeType: 'text/plain', buffer };
  await region('Files').getByLabel('Upload files').last().setInputFiles(file);
  await button(page, 'Share Plan.txt with the patient').click();
  await expect(button(page, 'Share Plan.txt with the patient')).toHaveAttribute('aria-pressed', 'true');

  await page.goto(`/#/recordings/${recorded.appointmentId}`);
  await expectTracksLoaded(page);
  await button(page, `Delete track of ${recorded.patientName}`).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('figure')).toHaveCount(1);

  await page.goto(`/#/photo-list/${photographed}`);
  // An image that is still being loaded when the photo is deleted is not found.
  const photo = page.getByRole('img', { name: /^Photo taken/ });
  await expect(photo).not.toHaveJSProperty('naturalWidth', 0);
  await page.getByRole('link', { name: /^Photo taken/ }).click();
  await expect(button(page, 'Delete')).toBeVisible();
  await expect(photo).not.toHaveJSProperty('naturalWidth', 0);
  await button(page, 'Delete').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('There are no photos yet', { exact: true })).toBeVisible();
}

test('administrators, doctors and staff: manage companies, users, patients, visits and what belongs to them @ABOUT-1', async ({
  someone,
  demo,
}) => {
  const { page: maker } = await someone();
  await signIn(maker, 'admin@demo.test');
  await inWaitingRoom(maker);
  const recorded = await buildRecordedVisit(demo, maker, [[[0, 4]], [[0, 4]]]);
  const photographed = await buildPhotos(maker, demo, 'Photographed', 1);
  await maker.close();
  const open = async () => (await someone()).page;
  await asSuper(await open());
  await asAdministrator(await open());
  await asStaff(await open());
  await asDoctor(await open(), { recorded, photographed });
});

test('a patient: books by the clinic’s link, signs in by code and by link, pays the share, waits, and meets the doctor @ABOUT-2', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  await takeCards(demo);
  const { companyUid } = await api<{ companyUid: string }>('GET', '/api/companies/0');
  const { page: booking } = await someone({ viewport: phone });
  await booking.goto(`/#/patient/book/${companyUid}`);
  await button(booking, 'Maya Reyes').click();
  await booking
    .getByRole('radio', { name: /available times$/ })
    // The first day and time may pass before they are booked.
    .last()
    .click();
  await button(booking, /^\d+:\d\d [AP]M$/)
    .last()
    .click();
  await booking.getByLabel('First name').fill('Niamh');
  await booking.getByLabel('Last name').fill("O'Dowd");
  for (const [part, typed] of Object.entries({ Month: '2', Day: '29', Year: '1992' }))
    await booking.getByLabel(part, { exact: true }).fill(typed);
  await booking.getByLabel('Email').fill('niamh@example.test');
  await button(booking, 'Book this visit').click();
  await expect(booking.getByRole('heading', { name: 'Your visit is booked' })).toBeVisible();
  const booked = (await booking.getByText(/^[A-Za-z2-9]{12}$/).textContent()) ?? '';
  await booking.close();

  // The code opens the visit that was booked.
  const { page: byCode } = await someone({ viewport: phone });
  await byCode.goto('/#/link');
  await byCode.getByLabel('Access Code (Case Sensitive)').fill(booked);
  await button(byCode, 'Submit').click();
  await expect(byCode.getByRole('heading', { name: 'Pay for your visit' })).toBeVisible();

  // Another visit, now, by its link: the share is paid first, then the patient waits.
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Tanaka', fee: '50.00' });
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone();
  for (const page of [patient, doctor]) await watchCalls(page);
  await signIn(doctor, 'doctor@demo.test');
  await inWaitingRoom(doctor);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await fillCard(cardFrame(patient), cardNumbers.good);
  await keepNotice(doctor, 'Patient Arrived', () => button(patient, 'Pay $50.00').click());
  await expect(patient.getByText('Your provider will be with you soon, please do not close this window')).toBeVisible();
  await expect(doctor.getByRole('list', { name: 'Patients in the waiting room' })).toContainText('Tanaka');
  await doctor
    .getByRole('dialog', { name: 'Patient Arrived' })
    .getByRole('button', { name: 'See the Patient' })
    .click();
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
});
