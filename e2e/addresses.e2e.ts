import { apiAs, bookAppointment, dayAhead } from './support/api.ts';
import { desktop, expect, headingOf, signInByForm, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

test('addresses of signing in, and of what follows: each shows its page @ROUTE-2', async ({ someone, demo, allow }) => {
  // A code and two links that no one has.
  allow(/401/);
  const { page } = await someone({ viewport: desktop });
  for (const [path, heading] of [
    ['/#/link', 'Welcome'],
    ['/#/login', 'Provider Login'],
    ['/#/signup', 'Create a New Account'],
    ['/#/request-reset', 'Reset Password'],
    ['/#/thank-you', 'Thank You!'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`${path.slice(1)}$`));
  }
  await page.goto(`/#/link/${'a'.repeat(32)}`);
  await expect(page.getByRole('alert')).toContainText('This access code isn’t valid.');
  await page.goto('/#/login/no-such-token');
  await expect(page.getByRole('alert')).toContainText('This link has already been used or has expired.');
  await page.goto('/#/reset/no-such-link');
  await expect(page.getByLabel('New password')).toBeVisible();

  // The guard of a signed-in person: a provider's first page, a patient's visit.
  await signInByForm(page, 'doctor@demo.test');
  await expect(page.getByRole('heading', { name: /Waiting Room/ })).toBeVisible();
  await page.goto('/#/user');
  await expect(page.getByRole('heading', { level: 1, name: 'My Account' })).toBeVisible();
  for (const path of ['/#/link', '/#/login']) {
    await page.goto(path);
    await expect(page).toHaveURL(/#\/waiting-room$/);
  }
  const visit = await buildAppointmentInRoom(demo, { patient: 9, minutesAhead: 300 });
  const { page: patient } = await someone();
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(patient).toHaveURL(new RegExp(`#/appointment/${visit.uid}/pt$`));
  await expect(patient.getByRole('heading', { level: 1, name: 'Your visit is coming up' })).toBeVisible();
  await patient.goto('/#/link');
  await expect(patient).toHaveURL(/#\/appointment\/\w+\/pt$/);
  await page.goto('/#/logout');
  await expect(page).toHaveURL(/#\/login$/);
});

test('addresses of the payment, the room, the waiting room, an instant visit and the patients: each shows its page @ROUTE-3', async ({
  someone,
  demo,
}) => {
  const visit = await bookAppointment(await apiAs(demo, 'admin@demo.test'), { doctor: 'Reyes', patient: 'Tanaka' });
  const uid = visit.appointmentUid;
  const { page: patient } = await someone({ viewport: desktop });
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(patient).toHaveURL(new RegExp(`#/appointment/${uid}/pt$`));
  await patient.goto(`/#/patient-payment/${uid}`);
  // The demo's clinic takes no cards, and 60 dollars are owed.
  await expect(patient.getByRole('heading', { level: 1, name: 'You can’t pay here yet' })).toBeVisible();
  await patient.getByRole('link', { name: 'Go to my visit' }).click();
  const toolbar = (page: typeof patient) => page.getByRole('toolbar', { name: 'Visit tools' });
  await expect(toolbar(patient)).toBeVisible();

  const { page } = await someone({ viewport: desktop });
  await page.goto('/#/login');
  await signInByForm(page, 'doctor@demo.test');
  await expect(page.getByRole('heading', { level: 1, name: /Waiting Room/ })).toBeVisible();
  for (const [path, heading] of [
    ['/#/instant-appointment', 'Instant Appointment'],
    ['/#/patient-list', 'Patients'],
    ['/#/waiting-room', 'Waiting Room'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
  }
  await page.goto(`/#/appointment/${uid}`);
  await expect(toolbar(page)).toBeVisible();
  await page.goto(`/#/appointment/${uid}/hidden`);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Show toolbar' })).toBeVisible();
  await expect(toolbar(page)).toBeHidden();
});

test('addresses of an appointment, its recordings, and photos: each shows its page @ROUTE-5', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/404/);
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookAppointment(api, { doctor: 'Reyes', patient: 'Tanaka' });
  const { patientId, appointmentId, doctorId } = visit;
  const { page } = await someone({ viewport: desktop });
  const heading = headingOf(page);
  await page.goto(`/#/appointment-edit/${patientId}/${appointmentId}`);
  await expect(page).toHaveURL(/#\/login/);
  await signInByForm(page, 'doctor@demo.test');
  // The page that was asked for.
  await expect(page.getByRole('region', { name: 'This visit' })).toBeVisible();
  await page.goto(`/#/appointment-edit/${dayAhead(3)}/0930/${doctorId}`);
  await expect(heading).toHaveText('New Appointment');
  await expect(page.getByText('Maya Reyes').first()).toBeVisible();
  await page.goto(`/#/recordings/${appointmentId}`);
  await expect(heading).toContainText('Appointment with');
  await page.goto(`/#/photo-list/${patientId}`);
  await expect(heading).toContainText('Photos');
  await page.goto(`/#/photo/${patientId}/${'0'.repeat(32)}`);
  await expect(page.getByText(/We couldn’t find this/)).toBeVisible();
});

test('fields: take as many characters as they may have, and no more @CONST-9', async ({ someone }) => {
  const { page } = await someone({ viewport: desktop });
  /** Types too much into a field of the page. */
  const takes = async (label: string | RegExp, most: number, letter = 'x') => {
    const field = page.getByRole('textbox', { name: label }).first();
    await field.fill(letter.repeat(most + 5));
    await expect(field).toHaveValue(letter.repeat(most));
  };
  await page.goto('/#/link');
  await takes('Access code', 32);
  await page.goto('/#/login');
  await takes('Email', 100);
  await signInByForm(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: /Waiting Room/ })).toBeVisible();
  await page.goto('/#/appointment-edit/0/0');
  await takes(/^Welcome message/i, 200);
  await takes(/^External ID/, 100);
  const title = headingOf(page);
  const leave = async (path: string) => {
    const before = (await title.textContent()) ?? '';
    await page.goto(path);
    const stay = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await stay.getByRole('button', { name: 'Leave' }).click();
    await expect(stay).toHaveCount(0);
    // The page before may have a field of the same name.
    await expect(title).not.toHaveText(before);
  };
  await leave('/#/patient-edit/0');
  await takes(/^First name/i, 50);
  await takes(/^Last name/i, 50);
  await takes(/^Email/, 100);
  await takes(/^External ID/, 50);
  await leave('/#/admin/user/edit/0');
  await takes(/^First name/i, 50);
  await page.getByRole('textbox', { name: /^Phone/ }).fill('2'.repeat(15));
  await expect(page.getByRole('textbox', { name: /^Phone/ })).toHaveValue('(222) 222-2222');
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Doctor' }).click();
  await takes(/^NPI/, 10, '2');
  await takes(/^Password/, 100);
  await page.getByRole('button', { name: 'Generate a password' }).click();
  await expect(page.getByRole('textbox', { name: /^Password/ })).toHaveValue(/^.{12}$/);
  await leave('/#/admin/scheduling/edit/0');
  await takes(/^Description/, 100);
  await leave('/#/admin/promo/edit/0');
  await takes('Promo Code', 50);
});
