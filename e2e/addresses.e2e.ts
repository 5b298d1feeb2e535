import { apiAs, bookAppointment, dayAhead } from './support/api.ts';
import { desktop, expect, signInByForm, test } from './support/story.ts';
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
  const heading = page.getByRole('heading', { level: 1 });
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
