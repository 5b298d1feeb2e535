import { expect, expectAccessibleEverywhere, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, watchCalls } from './support/visit.ts';

test('axe finds nothing in a visit that waits, one that is too early, and one that runs', async ({ someone, demo }) => {
  const early = await buildAppointmentInRoom(demo, { patient: 6, minutesAhead: 180 });
  const { page: soon } = await someone({ timezoneId: 'Europe/Berlin' });
  await soon.goto(`/#/link/${early.accessCode}`);
  await expect(soon.getByRole('heading', { name: 'Your visit is coming up' })).toBeVisible();
  await expectAccessibleEverywhere(soon);

  const visit = await buildAppointmentInRoom(demo, {
    patient: 5,
    welcomeMessage: 'Please have your medication list at hand.',
  });
  const { page: patient } = await someone();
  await watchCalls(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(patient.getByText('Your provider will be with you soon, please do not close this window')).toBeVisible();
  await expectAccessibleEverywhere(patient);
  const { page: staff } = await someone();
  await signIn(staff, 'admin@demo.test');
  await expect(staff.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await staff.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(patient);
  await expectAccessibleEverywhere(patient);
  await expectAccessibleEverywhere(staff);
});
