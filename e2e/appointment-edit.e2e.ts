import type { Page } from '@playwright/test';
import { apiAs, bookAppointment, dayAhead, findPatient } from './support/api.ts';
import { patientArrives, waitUntilJoined } from './support/peer.ts';
import {
  desktop,
  expect,
  expectAccessible,
  expectBriefly,
  expectToast,
  headingOf,
  phone,
  signIn,
  test,
  typeInPage,
} from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const edit = (page: Page, visit: { patientId: number; appointmentId: number }) =>
  page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);

/** Types into a date or time field; these are not plain inputs. */
async function typeWall(page: Page, group: 'Date' | 'Time', keys: string): Promise<void> {
  const first = group === 'Date' ? 'Month' : 'Hours';
  await page.getByRole('group', { name: group }).getByRole('spinbutton', { name: first }).click();
  await page.keyboard.type(keys);
}

/** Expects the text of a date or time field, without the invisible marks of its sections. */
async function expectWall(page: Page, group: 'Date' | 'Time', expected: string): Promise<void> {
  const shown = async () => {
    const text = await page.getByRole('group', { name: group }).textContent();
    return (text ?? '').replaceAll(/[\u200b\u2066-\u2069]/g, '').trim();
  };
  await expect.poll(shown).toContain(expected);
}

/** 'MMDDYYYY', as it is typed. */
const typed = (date: string) => date.slice(5, 7) + date.slice(8) + date.slice(0, 4);

test('new appointment of a doctor: is for themselves, with a searched patient and a typed time @APPT-1 @APPT-5 @VALID-4 @CONST-1 @CALL-3 @CALL-4', async ({
  someone,
}) => {
  const date = dayAhead(70);
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  await page.goto('/#/appointment-edit/0/0');
  await expect(page.getByRole('combobox', { name: 'Provider' })).toHaveText('Maya Reyes');
  await expect(page.getByRole('link', { name: 'Add a patient' })).toHaveAttribute('href', '#/patient-edit/0');
  await page.getByRole('group', { name: 'Date' }).getByRole('spinbutton', { name: 'Month' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await save(page);
  const summary = page.getByRole('alert');
  await expect(summary).toContainText('Patient: Required');
  await expect(summary).toContainText('Please select date and time.');

  const searches: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname === '/api/patients' && url.searchParams.has('filter')) searches.push(url.search);
  });
  const patient = page.getByRole('combobox', { name: 'Patient' });
  await patient.click();
  await typeInPage(patient, "o'brien", 30);
  const options = page.getByRole('option', { name: /^O'Brien, / });
  await expect(options.first()).toContainText(/born \d\d\/\d\d\/\d{4}/);
  await expect(page.getByRole('option')).toHaveCount(await options.count());
  expect(searches).toHaveLength(1);
  expect(searches[0]).toContain('top=20');
  // Enter does not take an option of the text before.
  await patient.pressSequentially('zzz');
  await patient.press('Enter');
  await expect(patient).toHaveValue("o'brienzzz");
  await patient.fill("o'brien");
  await page.getByRole('option', { name: /^O'Brien, Olivia/ }).click();
  await typeWall(page, 'Date', typed(date));
  await typeWall(page, 'Time', '0230p');
  const welcome = field(page, 'Welcome message');
  await welcome.fill('x'.repeat(199));
  await welcome.press('End');
  await welcome.pressSequentially('yz');
  await expect(page.getByText('200/200')).toBeVisible();
  await welcome.fill('Bring your list.\nSit in a quiet room.');
  await expect(field(page, 'External ID')).toHaveAttribute('maxlength', '100');
  await save(page);
  await expectToast(page, 'The appointment has been created.');
  await expect(page).toHaveURL(/#\/appointment-edit\/\d+\/[1-9]\d*$/);
  await expect(page.getByRole('region', { name: 'This visit' })).toBeVisible();
  await expectWall(page, 'Time', '02:30 PM');
  await expect(field(page, 'Welcome message')).toHaveValue('Bring your list.\nSit in a quiet room.');
  await expect(page.getByRole('link', { name: 'Enter the room' })).toHaveAttribute(
    'href',
    /^#\/appointment\/[0-9a-f]{32}$/,
  );
  await expect(page.getByRole('link', { name: 'Open the patient’s record' })).toHaveAttribute(
    'href',
    /^#\/patient-edit\/[1-9]/,
  );

  await page.goto(`/#/appointment-list/${date}`);
  await expect(page.getByRole('table', { name: 'Appointments' }).locator('tbody tr')).toHaveText([
    /2:30 PM.*O'Brien, Olivia/,
  ]);
});

test('slot in the route: fills the form; staff have to pick a provider @APPT-1 @CALL-3 @VALID-4', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'staff@demo.test');
  const date = dayAhead(71);
  const { data } = await api<{ data: { userId: number; lastName: string }[] }>('GET', '/api/doctors');
  const doctor = data.find(({ lastName }) => lastName === 'Lindqvist')?.userId;
  const { page } = await someone();
  await signIn(page, 'staff@demo.test');
  await page.goto(`/#/appointment-edit/${date}/1345/${doctor}`);
  await expect(page.getByRole('combobox', { name: 'Provider' })).toHaveText('Jonas Lindqvist');
  await expectWall(page, 'Date', `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`);
  await expectWall(page, 'Time', '01:45 PM');

  const patient = await findPatient(api, 'Tanaka');
  await page.goto(`/#/appointment-edit/${patient}/0`);
  await expect(page.getByRole('combobox', { name: 'Patient' })).toHaveValue(/^Tanaka, /);
  await save(page);
  await expect(page.getByRole('alert')).toContainText('Please select a provider.');
  await page.goto('/#/appointment-edit/2026-13-01/0900/1');
  await expect(page).toHaveURL(/#\/not-found$/);
});

test('taken time: is booked only after a question', async ({ someone, demo, allow }) => {
  allow(/409/);
  const api = await apiAs(demo, 'admin@demo.test');
  const date = dayAhead(72);
  const taken = await bookAppointment(api, { doctor: 'Reyes', patient: "O'Brien", date, time: '1000' });
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  const patient = await findPatient(api, 'Silva');
  await page.goto(`/#/appointment-edit/${date}/1015/${taken.doctorId}`);
  const search = page.getByRole('combobox', { name: 'Patient' });
  await search.fill('silva');
  await page
    .getByRole('option', { name: /^Silva/ })
    .first()
    .click();
  await save(page);
  const question = page.getByRole('alertdialog', { name: 'The provider already has an appointment at this time.' });
  await expect(question).toContainText(/O'Brien, 10:00 AM to 10:30 AM/);
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Pick another time' }).click();
  await expect(search).toHaveValue(/^Silva/);
  await save(page);
  await question.getByRole('button', { name: 'Book anyway' }).click();
  await expectToast(page, 'The appointment has been created.');
  const list = await api<{ data: { patientId: number }[] }>('GET', `/api/appointments?top=10&skip=0&startDate=${date}`);
  expect(list.data).toHaveLength(2);
  expect(list.data.map(({ patientId }) => patientId)).toContain(taken.patientId);
  expect(patient).toBeGreaterThan(0);
});

test('cancellation: asks, ends the link, and can be undone @STATE-2', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Haddad', date: dayAhead(73), time: '0900' });
  const read = ({ appointmentId } = visit) =>
    api<{
      cancelled: boolean;
      accessCode: string;
      cancellationNotes: string;
      notificationLogs: { state: string }[];
    }>('GET', `/api/appointments/${appointmentId}`);
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  // One that was moved into the past, of which nothing is sent: the question says of which time the patient is notified.
  const moved = await bookAppointment(api, { doctor: 'Reyes', patient: 'Haddad', date: dayAhead(73), time: '1100' });
  await api('POST', `/api/appointments/${moved.appointmentId}/notify`);
  const past = new Date(Date.parse(moved.startDate) - 100 * 86_400_000).toISOString();
  const to = { startDate: past, doctorId: moved.doctorId, version: 0 };
  await expect.poll(async () => (await read(moved)).notificationLogs.map(({ state }) => state)).toContain('sent');
  await api('POST', `/api/appointments/${moved.appointmentId}/move`, to);
  const cancel = page.getByRole('button', { name: 'Cancel appointment' });
  const question = page.getByRole('alertdialog');
  await edit(page, moved);
  await cancel.click();
  await expect(question).toContainText(
    /They still expect .*, 11:00 AM, and will be notified that it’s cancelled: \S+@/,
  );
  await question.getByRole('button', { name: 'Keep it' }).click();

  await api('POST', `/api/appointments/${visit.appointmentId}/notify`);
  await edit(page, visit);
  await field(page, 'Cancellation notes').fill("Patient's car broke down.");
  await cancel.click();
  await expect(question).toContainText('Would you like to cancel this appointment?');
  await expect(question).toContainText(/They’ll be notified: \S+@/);
  await question.getByRole('button', { name: 'Keep it' }).click();
  expect((await read()).cancelled).toBe(false);
  await cancel.click();
  await question.getByRole('button', { name: 'Cancel appointment' }).click();
  await expectToast(page, 'The appointment has been cancelled.');
  const after = await read();
  expect(after).toMatchObject({ cancelled: true, cancellationNotes: "Patient's car broke down." });
  expect(after.accessCode).not.toBe(visit.accessCode);
  await expect(page.getByText('This appointment is cancelled.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(/Cancellation by (email|text)/);
  await expect(page.getByRole('link', { name: 'Enter the room' })).toHaveCount(0);
  // The form knows it, and has nothing to save.
  await expect(page.getByRole('checkbox', { name: 'Cancelled' })).toBeChecked();
  await page.goto('/#/appointment-list');
  await expect(page.getByRole('heading', { name: /^Appointments/ })).toBeVisible();
  await page.goBack();

  await cancel.click();
  await expectToast(page, 'This appointment is already cancelled.');
  await expect(question).toHaveCount(0);

  await page.getByRole('checkbox', { name: 'Cancelled' }).uncheck();
  await save(page);
  await expectToast(page, 'The appointment has been updated.');
  expect((await read()).cancelled).toBe(false);
  await expect(page.getByRole('link', { name: 'Enter the room' })).toBeVisible();
});

test('notes: are saved while typing; a conflict keeps both texts @CALL-11', async ({ someone, demo, allow }) => {
  allow(/409/);
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Müller', date: dayAhead(74), time: '0900' });
  const stored = async () => (await api<{ notes: string }>('GET', `/api/appointments/${visit.appointmentId}`)).notes;
  const first = await someone();
  await signIn(first.page, 'doctor@demo.test');
  await edit(first.page, visit);
  const notes = field(first.page, 'Notes');
  const second = await someone();
  await signIn(second.page, 'staff@demo.test');
  await edit(second.page, visit);
  await expect(field(second.page, 'Notes')).toBeVisible();

  const startedAt = Date.now();
  await expectBriefly(first.page, 'Saved', () => notes.fill("Doesn't sleep well."));
  expect(Date.now() - startedAt).toBeGreaterThan(1_900);
  expect(await stored()).toBe("Doesn't sleep well.");
  await expect(first.page.getByText('Saved', { exact: true })).toHaveCount(0);

  await field(second.page, 'Notes').fill('Called about the bill.');
  const conflict = second.page.getByRole('alert').filter({ hasText: 'Someone else has changed the notes' });
  await expect(conflict).toContainText("Doesn't sleep well.");
  await expect(field(second.page, 'Notes')).toHaveValue('Called about the bill.');
  await expectAccessible(second.page);
  await conflict.getByRole('button', { name: 'Keep both' }).click();
  await expect.poll(stored).toBe("Doesn't sleep well.\n\nCalled about the bill.");
});

test('appointment changed by two people: keeps the input of both', async ({ someone, demo, allow }) => {
  allow(/409/);
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Cohen', date: dayAhead(75), time: '0900' });
  const first = await someone();
  await signIn(first.page, 'doctor@demo.test');
  await edit(first.page, visit);
  const second = await someone();
  await signIn(second.page, 'staff@demo.test');
  await edit(second.page, visit);
  await field(first.page, 'Welcome message').fill('Have your list at hand.');
  await field(second.page, 'Welcome message').fill('Sit in a quiet room.');
  await field(second.page, 'External ID').fill('X-9');
  await typeWall(first.page, 'Time', '1100a');
  await save(first.page);
  await expectToast(first.page, 'The appointment has been updated.');

  await save(second.page);
  const notice = second.page.getByRole('alert').filter({ hasText: 'Someone else has changed this' });
  await expect(notice).toContainText('Welcome message is now “Have your list at hand.”');
  await expect(field(second.page, 'Welcome message')).toHaveValue('Sit in a quiet room.');
  await expect(field(second.page, 'External ID')).toHaveValue('X-9');
  // The time was not touched here: the stored one is shown.
  await expectWall(second.page, 'Time', '11:00 AM');
  await notice.getByRole('button', { name: 'Use the other welcome message' }).click();
  await save(second.page);
  await expectToast(second.page, 'The appointment has been updated.');
  const read = await api<object>('GET', `/api/appointments/${visit.appointmentId}`);
  expect(read).toMatchObject({ welcomeMessage: 'Have your list at hand.', externalId: 'X-9' });
});

test('amounts: are written by administrators and read by doctors @VALID-4', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookAppointment(api, {
    doctor: 'Reyes',
    patient: 'Larsen',
    date: dayAhead(76),
    time: '0900',
    fee: '60',
    collected: '25',
  });
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await edit(page, visit);
  await expect(page.getByText('$35.00 still to pay')).toBeVisible();
  const collected = field(page, 'Collected');
  await expect(collected).not.toHaveAttribute('readonly');
  await collected.fill('60.01');
  await save(page);
  await expect(page.getByRole('alert')).toContainText('Collected cannot be more than the fee.');
  await collected.fill('60');
  await expect(page.getByText('Fully collected')).toBeVisible();
  await save(page);
  await expectToast(page, 'The appointment has been updated.');
  const read = await api<object>('GET', `/api/appointments/${visit.appointmentId}`);
  expect(read).toMatchObject({ fee: '60.00', collected: '60.00' });

  const doctor = await someone();
  await signIn(doctor.page, 'doctor@demo.test');
  await edit(doctor.page, visit);
  for (const name of ['Fee', 'Collected']) {
    await expect(field(doctor.page, name)).toHaveAttribute('readonly', '');
  }
});

test('patient’s link: can be copied; sent notifications are listed @APPT-3 @LIST-21 @ENTITY-23', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Dubois', date: dayAhead(77), time: '0900' });
  const { page, context } = await someone();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn(page, 'doctor@demo.test');
  await edit(page, visit);
  const link = `${demo.url}/#/link/${visit.accessCode}`;
  await expect(field(page, 'Patient’s link')).toHaveValue(link);
  // The heading says whose appointment it is and when; the title of the document names no patient.
  const heading = headingOf(page);
  await expect(heading).toHaveText(/Dubois · \d\d\/\d\d\/\d{4}, 9:00 AM · Scheduled$/);
  await expect(page).toHaveTitle('Appointment · Roomside');
  const list = page.getByRole('link', { name: 'All appointments' });
  await expect(list).toHaveAttribute('href', `#/appointment-list/${dayAhead(77)}`);
  await page.getByRole('button', { name: 'Copy' }).click();
  await expectToast(page, 'The link has been copied.');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);

  const logs = page.getByRole('region', { name: 'Notifications' });
  await expect(logs).toContainText('Nothing has been sent yet.');
  // The input is saved before the invitation is sent.
  await field(page, 'External ID').fill('A-1');
  await page.getByRole('button', { name: 'Send an invitation' }).click();
  const invitation = page.getByRole('alertdialog');
  await expect(invitation).toContainText(/Dubois.*9:00 AM.*Your changes will be saved first\./);
  await page.getByRole('button', { name: 'Invitation Only' }).click();
  await expectToast(page, 'The patient has been notified.');
  await expect(logs).toContainText('Invitation by email');
  // Before a save that notifies the patient, the page says of what and how.
  const notice = page.getByRole('status').filter({ hasText: 'will be notified' });
  await typeWall(page, 'Time', '1130AM');
  await expect(notice).toHaveText(/Dubois will be notified of the new time: \S+@\S+/);
  await typeWall(page, 'Time', '0900AM');
  await expect(notice).toHaveCount(0);
  // Sent by a job.
  await expect(async () => {
    await page.reload();
    await expect(logs).toContainText(/\d{1,2}\/\d{1,2}\/\d{2}.* · Maya Reyes/, { timeout: 10_000 });
  }).toPass();
  expect(await api<object>('GET', `/api/appointments/${visit.appointmentId}`)).toMatchObject({ externalId: 'A-1' });

  await typeWall(page, 'Time', '1130AM');
  await expect(notice).toHaveText(/Dubois will be notified of the new time: \S+@\S+/);
  await expectAccessible(page);
  await typeWall(page, 'Time', '0900AM');
  await expect(notice).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'Jonas Lindqvist' }).click();
  await expect(notice).toHaveText(/Dubois will be notified of the new provider: \S+@\S+/);
  await save(page);
  await expectToast(page, 'The appointment has been updated.');
  await expect(notice).toHaveCount(0);
  await expect(logs).toContainText('New time or provider by email');
});

test('unsaved input: blocks leaving, also by a typed address; the form on a dark phone in another time zone is accessible', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Johnson', date: dayAhead(78), time: '0900' });
  const { page } = await someone({ viewport: phone, colorScheme: 'dark', timezoneId: 'Europe/Berlin' });
  await signIn(page, 'doctor@demo.test');
  await edit(page, visit);
  await expectWall(page, 'Time', '09:00 AM');
  // 2:00 PM while only one of both zones has daylight saving time.
  const there = new Date(visit.startDate).toLocaleTimeString('en-US', {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'Europe/Berlin',
  });
  await expect(page.getByText(`Clinic time (Eastern Time). For you it’s ${there}`)).toBeVisible();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  await field(page, 'External ID').fill('typed');
  await page.getByRole('link', { name: 'All appointments' }).click();
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(field(page, 'External ID')).toHaveValue('typed');

  // A typed address changes the hash only.
  const type = (address: string) => page.evaluate((hash) => void (location.hash = hash), address);
  const editor = page.url();
  await type('#/patient-list');
  await question.getByRole('button', { name: 'Stay' }).click();
  expect(page.url()).toBe(editor);
  await expect(field(page, 'External ID')).toHaveValue('typed');
  await type('#/patient-list');
  await question.getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByRole('heading', { name: 'Patients', level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(editor);
});

for (const [width, viewport, order] of [
  ['a desktop', desktop, ['Visit', 'This visit', 'Patient’s link', 'Notes', 'Files']],
  ['a phone', phone, ['This visit', 'Patient’s link', 'Notes', 'Visit', 'Cancellation']],
] as const) {
  test(`form on ${width}: Save is always on the screen, in the order of reading`, async ({ someone, demo }) => {
    const api = await apiAs(demo, 'admin@demo.test');
    const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Haddad', date: dayAhead(79), time: '0900' });
    const { page } = await someone({ viewport });
    await signIn(page, 'admin@demo.test');
    await edit(page, visit);
    const button = page.getByRole('button', { name: 'Save', exact: true });
    await expect(button).toBeInViewport({ ratio: 1 });
    const shown = await page
      .getByRole('main')
      .getByRole('region')
      .evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel));
    expect(shown.filter((name) => (order as readonly (string | null)[]).includes(name))).toEqual(order);
    // Also at the end, where it does not stand below the button that cancels.
    await page.getByRole('button', { name: 'Cancel appointment' }).scrollIntoViewIfNeeded();
    await expect(button).toBeInViewport({ ratio: 1 });
    const [cancel, own] = [
      await page.getByRole('button', { name: 'Cancel appointment' }).boundingBox(),
      await button.boundingBox(),
    ];
    expect(own?.x).toBeGreaterThan((cancel?.x ?? 0) + (cancel?.width ?? 0));
    // A field that takes the focus is not behind the bar.
    await field(page, 'Cancellation notes').focus();
    const notes = await field(page, 'Cancellation notes').boundingBox();
    expect((notes?.y ?? 0) + (notes?.height ?? 0)).toBeLessThanOrEqual(own?.y ?? 0);
    await field(page, 'Cancellation notes').fill('Called.');
    await button.click();
    // What is said then does not cover it.
    const toast = page.getByRole('status').filter({ hasText: 'The appointment has been updated.' });
    await expect(toast).toBeVisible();
    const said = await toast.boundingBox();
    expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThanOrEqual(own?.y ?? 0);
    await expectToast(page, 'The appointment has been updated.');
    // The turn of a tablet changes the order, and the field that is typed in keeps the focus.
    await field(page, 'Cancellation notes').focus();
    for (const size of [{ width: 768, height: 1024 }, desktop, phone]) {
      await page.setViewportSize(size);
      await expect(page.getByRole('region').first()).toHaveAccessibleName(size === desktop ? 'Visit' : 'This visit');
      await expect(field(page, 'Cancellation notes')).toBeFocused();
    }
  });
}

test('arrivals: an open appointment is read again for its own patient only', async ({ someone, demo }) => {
  const own = await buildAppointmentInRoom(demo, { patient: 8 });
  const other = await buildAppointmentInRoom(demo, { patient: 9 });
  const { page } = await someone();
  const connected = waitUntilJoined(page);
  await signIn(page, 'doctor@demo.test');
  await connected;
  await edit(page, own);
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeVisible();
  const reads: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === `/api/appointments/${own.appointmentId}`) reads.push(request.method());
  });
  const sheet = page.getByRole('dialog', { name: 'Patient Arrived' });
  // The sheet stays while the pointer is over it.
  const [stranger] = await Promise.all([patientArrives(demo, other), sheet.hover()]);
  await expect(sheet).toContainText(other.patientName);
  expect(reads).toEqual([]);
  const patient = await patientArrives(demo, own);
  await expect.poll(() => reads).toContain('GET');
  for (const peer of [stranger, patient]) peer.leave();
});
