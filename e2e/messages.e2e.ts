import type { Locator, Page } from '@playwright/test';
import { apiAs, bookAppointment, dayAhead } from './support/api.ts';
import { cardFrame, cardNumbers, fillCard, licenseCard } from './support/cards.ts';
import { createClinic, takeCards } from './support/company.ts';
import { linkOf } from './support/outbox.ts';
import { buildPhotos } from './support/photos.ts';
import { buildRecordedVisit, expectTracksLoaded } from './support/recorded-visit.ts';
import { withSeparateDemo } from './support/separate-demo.ts';
import { demoPassword, startDemo } from './support/server.ts';
import { expect, expectBriefly, expectToast, signIn } from './support/story.ts';

/** Whose licenses cost something, so that there are cards. */
const test = withSeparateDemo(() => startDemo({ LICENSE_PRICE: '120.50', LICENSE_PROCESSOR: 'sandbox' }));

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const save = (page: Page) => button(page, 'Save').click();
const inWaitingRoom = (page: Page) => expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
const licenseFrame = (page: Page, position: 'Primary' | 'Backup') =>
  licenseCard(page, position).frameLocator('iframe[title="Card details"]');

/** Fills the license's card fields and saves them. */
async function saveCards(page: Page): Promise<void> {
  await page.goto('/#/admin/payment');
  await fillCard(licenseFrame(page, 'Primary'), cardNumbers.good);
  await button(page, 'Add a backup card').click();
  await fillCard(licenseFrame(page, 'Backup'), cardNumbers.other);
  await button(page, 'Save Payment Info').click();
}

interface Question {
  /** What must be confirmed, word for word. */
  asks: string;
  /** What the question names. */
  names: string | RegExp;
  press: Locator;
  /** The button that confirms. */
  yes: string;
  /** What is there until then. */
  lost: Locator;
}

/** Presses, says no, and yes the second time. */
async function answer(page: Page, { asks, names, press, yes, lost }: Question): Promise<void> {
  const question = page.getByRole('alertdialog', { name: asks, exact: true });
  await press.click();
  await expect(question).toContainText(names);
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(lost).toBeVisible();
  await press.click();
  await question.getByRole('button', { name: yes, exact: true }).click();
  // What is behind the question counts as hidden.
  await expect(question).toBeHidden();
  await expect(lost).toBeHidden();
}

test('questions: each asks with its words, keeps everything after no, and acts after yes @ERROR-4', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const { page } = await someone();
  await page.goto('/#/link');
  const recorded = await buildRecordedVisit(demo, page, [[[0, 4]], [[0, 4]]]);
  await signIn(page, 'admin@demo.test');
  await inWaitingRoom(page);

  // A track, then the whole recording.
  await page.goto(`/#/recordings/${recorded.appointmentId}`);
  await expectTracksLoaded(page);
  await answer(page, {
    asks: 'Would you like to delete this track?',
    names: recorded.patientName,
    press: button(page, `Delete track of ${recorded.patientName}`),
    yes: 'Delete',
    lost: page.getByRole('figure').filter({ hasText: recorded.patientName }),
  });
  await answer(page, {
    asks: 'Would you like to delete this recording?',
    names: 'Maya Reyes',
    press: button(page, 'Delete all'),
    yes: 'Delete',
    lost: page.getByRole('figure'),
  });

  // A photo.
  const photographed = await buildPhotos(page, demo, 'Photographed', 1);
  await page.goto(`/#/photo-list/${photographed}`);
  // An image that is still being loaded when the photo is deleted is not found.
  const photo = page.getByRole('img', { name: /^Photo taken/ });
  await expect(photo).not.toHaveJSProperty('naturalWidth', 0);
  await page.getByRole('link', { name: /^Photo taken/ }).click();
  await expect(button(page, 'Delete')).toBeVisible();
  await expect(photo).not.toHaveJSProperty('naturalWidth', 0);
  await answer(page, {
    asks: 'Would you like to delete this photo?',
    names: /Photo taken \d/,
    press: button(page, 'Delete'),
    yes: 'Delete',
    lost: photo,
  });
  await expect(page.getByText('There are no photos yet', { exact: true })).toBeVisible();

  // A patient, as one record of a list.
  await api('POST', '/api/patients', {
    patientId: 0,
    version: 0,
    firstName: 'Siobhán',
    lastName: "O'Deleted",
    doB: '1980-01-05',
    externalId: '',
    email: 'siobhan@patients.test',
    patientPhones: [],
  });
  await page.goto('/#/patient-list');
  await page.getByRole('searchbox').fill("O'Deleted");
  await answer(page, {
    asks: 'Would you like to delete this record?',
    names: "Siobhán O'Deleted",
    press: button(page, "Delete Siobhán O'Deleted"),
    yes: 'Delete',
    lost: page.getByRole('row').filter({ hasText: "O'Deleted" }),
  });

  // A scheduling rule.
  await page.goto('/#/admin/scheduling');
  await page.getByRole('link', { name: 'Tuesday evenings' }).click();
  await answer(page, {
    asks: 'Would you like to delete this rule?',
    names: 'Tuesday evenings',
    press: button(page, 'Delete'),
    yes: 'Delete',
    lost: page.getByRole('heading', { name: 'Tuesday evenings' }),
  });

  // A file, a payment and an appointment.
  await takeCards(demo);
  const visit = await bookAppointment(api, {
    doctor: 'Reyes',
    patient: 'Tanaka',
    fee: '50.00',
    date: dayAhead(40),
    time: '1000',
  });
  const { page: patient } = await someone();
  await patient.goto(`/#/link/${visit.accessCode}`);
  await fillCard(cardFrame(patient), cardNumbers.good);
  await button(patient, 'Pay $50.00').click();
  await expect(patient).toHaveURL(new RegExp(`/#/appointment/${visit.appointmentUid}/pt$`));
  await patient.close();

  await page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  const files = page.getByRole('region', { name: 'Files' });
  const buffer = Buffer.from('Take one a day.');
  await files.getByLabel('Upload files').last().setInputFiles({ name: 'Plan.txt', mimeType: 'text/plain', buffer });
  await answer(page, {
    asks: 'Would you like to delete this file?',
    names: 'Plan.txt',
    press: button(page, 'Delete Plan.txt'),
    yes: 'Delete',
    lost: button(page, 'Download Plan.txt'),
  });
  // The refund also asks for its reason.
  const refund = page.getByRole('dialog', { name: 'Would you like to issue a full refund?', exact: true });
  await button(page, 'Refund').click();
  await expect(refund).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(refund).toBeHidden();
  await expect(page.getByLabel('Collected')).toHaveValue('50.00');
  await button(page, 'Refund').click();
  await refund.getByLabel('Reason').fill('Moved away');
  await refund.getByRole('button', { name: 'Issue refund' }).click();
  await expectToast(page, 'The appointment was successfully refunded.');
  await expect(page.getByLabel('Collected')).toHaveValue('0.00');
  await answer(page, {
    asks: 'Would you like to cancel this appointment?',
    names: 'Tanaka',
    press: button(page, 'Cancel appointment'),
    yes: 'Cancel appointment',
    lost: page.getByRole('link', { name: 'Enter the room' }),
  });

  // A card.
  await saveCards(page);
  await expectToast(page, 'The payment information has been saved.');
  await answer(page, {
    asks: 'Would you like to delete this card?',
    names: '4444',
    press: button(page, 'Delete the backup card'),
    yes: 'Delete',
    lost: page.getByText('XXXXXXXXXXXX4444'),
  });
  await expect(page.getByText('XXXXXXXXXXXX4242')).toBeVisible();
});

/** A success message, word for word. */
const success = (page: Page, text: string) => page.getByRole('status').filter({ hasText: exactly(text) });
const exactly = (text: string) => new RegExp(`^${text.replaceAll('.', '\\.')}$`);

test('successes: each has its words; the one about the inbox is shown for 10 s @ERROR-8', async ({ someone, demo }) => {
  const day = dayAhead(40);
  const { emails } = await createClinic(demo, ['A', 'U'], { expirationDate: day, providerCount: 3 });
  const [admin = '', colleague = ''] = emails;

  // A forgotten password.
  const { page: forgetful } = await someone();
  await forgetful.clock.install();
  await forgetful.goto('/#/request-reset');
  await forgetful.getByLabel('Email').fill(colleague);
  await forgetful.clock.pauseAt(new Date(Date.now() + 60_000));
  await button(forgetful, 'Send link').click();
  const sent = success(forgetful, 'The request has been sent. Please check your inbox.');
  await expect(sent).toBeVisible();
  await forgetful.clock.runFor(9_900);
  await expect(sent).toBeVisible();
  await forgetful.clock.runFor(1_000);
  await expect(sent).toBeHidden();
  const { page: again } = await someone();
  await again.goto(`/${await linkOf(again, colleague, /#\/reset\/[\w-]+/)}`);
  await again.getByLabel('New password').fill(demoPassword);
  await expectBriefly(again, 'Your password has been reset successfully.', () =>
    button(again, 'Save and sign in').click(),
  );

  // A new clinic.
  const { page: founder } = await someone();
  await founder.goto('/#/signup');
  await founder.getByLabel('Company name').fill('Harbor Family Care');
  await founder.getByLabel('First name').fill('Noor');
  await founder.getByLabel('Last name').fill('Haddad');
  await founder.getByLabel('Email').fill('noor@harbor.test');
  await founder.getByLabel(/^Password/).fill(demoPassword);
  await button(founder, 'Create account').click();
  await expect(founder.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
  await founder.goto(`/${await linkOf(founder, 'noor@harbor.test', /#\/signup\/[\w-]+/)}`);
  await founder.getByLabel(/^Password/).fill(demoPassword);
  await expectBriefly(founder, 'Your account has been created.', () =>
    button(founder, 'Create account and sign in').click(),
  );

  // The record of a company, a user, a promo code.
  const { page } = await someone();
  await signIn(page, admin);
  await inWaitingRoom(page);
  await page.goto('/#/admin/company/edit');
  await page.getByLabel('Remind before (minutes)').fill('45');
  await expectBriefly(page, 'The record has been saved.', () => save(page));
  await page.goto('/#/admin/user');
  await page.getByRole('row').filter({ hasText: colleague }).getByRole('link').click();
  await page.getByLabel('First name').fill('Bea');
  await expectBriefly(page, 'Updated.', () => save(page));
  await page.goto('/#/admin/promo/edit/0');
  await page.getByRole('textbox', { name: 'Promo Code' }).fill('Autumn');
  await page.getByRole('textbox', { name: '% Discount Rate' }).fill('15');
  await save(page);
  await page.getByRole('link', { name: 'Autumn' }).click();
  await page.getByRole('textbox', { name: '% Discount Rate' }).fill('20');
  await expectBriefly(page, 'Promo code has been successfully updated.', () => save(page));

  // An import whose check is not over, as far as the page knows.
  await page.route('**/api/csv/progress*', async (route) => {
    const response = await route.fetch();
    const { import: found } = (await response.json()) as { import: { state: string } | null };
    const state = found?.state === 'checked' ? 'checking' : found?.state;
    await route.fulfill({ response, json: { import: found && { ...found, state } } });
  });
  await page.goto('/#/admin/csv-import');
  const buffer = Buffer.from('First Name,Last Name,DOB,Phone,Email\r\nKay,Many,1/5/1980,,kay@many.test\r\n');
  await page.locator('input[type=file]').setInputFiles({ name: 'many.csv', mimeType: 'text/csv', buffer });
  await button(page, 'Upload').click();
  await expectBriefly(page, 'Cancelled.', () => button(page, 'Cancel the check').click());
  // Pending requests are dropped.
  await page.unrouteAll({ behavior: 'ignoreErrors' });

  // Cards, and a license.
  await expectBriefly(page, 'The payment information has been saved.', () => saveCards(page));
  await expectBriefly(page, 'Thank you for your payment!', () => button(page, /^Purchase/).click());
});

test('refusals and field errors: each has its words @ERROR-9', async ({ someone, demo, allow }) => {
  allow(/422/);
  const { emails } = await createClinic(demo, ['A', 'U'], { expirationDate: dayAhead(40), providerCount: 3 });
  const api = await apiAs(demo, 'admin@demo.test');
  const { page } = await someone();
  await signIn(page, 'staff@demo.test');
  await inWaitingRoom(page);

  // An appointment.
  await page.goto('/#/appointment-edit/0/0');
  const [provider, date] = [
    page.getByRole('combobox', { name: 'Provider' }),
    page.getByRole('group', { name: 'Date' }),
  ];
  await date.getByRole('spinbutton', { name: 'Month' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await save(page);
  await expect(date).toHaveAccessibleDescription('Please select date and time.');
  await expect(provider).toHaveAccessibleDescription('Please select a provider.');
  await expect(page.getByRole('combobox', { name: 'Patient' })).toHaveAccessibleDescription('Required');
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Haddad', date: dayAhead(41), time: '0900' });
  await page.goto('/#/appointment-list');
  await button(page, 'Leave').click();
  await page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  await button(page, 'Cancel appointment').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel appointment' }).click();
  await expectToast(page, 'The appointment has been cancelled.');
  await expectBriefly(page, 'This appointment is already cancelled.', () => button(page, 'Cancel appointment').click());

  // A patient.
  await page.goto('/#/patient-edit/0');
  await expect(page.getByLabel('First name')).toBeVisible();
  await save(page);
  const [email, phone] = [page.getByLabel('Email'), page.getByRole('textbox', { name: 'Phone', exact: true })];
  await expect(page.getByLabel('First name')).toHaveAccessibleDescription('Required');
  await expect(email).toHaveAccessibleDescription('Please provide at least one phone or an email.');
  await email.fill('not an email');
  await expect(email).toHaveAccessibleDescription("Doesn't seem valid");
  await button(page, 'Add a phone').click();
  await phone.fill('1125550100');
  await email.focus();
  await expect(phone).toHaveAccessibleDescription(/^Not valid/);

  // What administrators edit: a rule, a company, the cards of a license.
  const { page: admin } = await someone();
  await signIn(admin, emails[0] ?? '');
  await inWaitingRoom(admin);
  await admin.goto('/#/admin/scheduling/edit/0');
  await expect(admin.getByLabel('Description')).toBeVisible();
  await save(admin);
  await expect(admin.getByRole('alert').getByText('Please select at least one provider.')).toBeVisible();
  await admin.goto('/#/admin/company/edit');
  await admin.getByLabel('Remind before (minutes)').fill('1');
  await save(admin);
  await expect(admin.getByLabel('Remind before (minutes)')).toHaveAccessibleDescription(/^Invalid/);
  await admin.goto('/#/admin/payment');
  await button(admin, 'Leave').click();
  await expect(licenseFrame(admin, 'Primary').getByLabel('Card number')).toBeVisible();
  await button(admin, /^Purchase/).click();
  await expect(admin.getByText('Please fill out all required fields.', { exact: true })).toBeVisible();
});
