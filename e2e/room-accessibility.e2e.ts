import { desktop, expect, expectAccessible, phone, signIn, test } from './support/story.ts';
import { expectVideo, makeVisit, watchCalls } from './support/visit.ts';

for (const [name, viewport, colorScheme] of [
  ['a phone in the light', phone, 'light'],
  ['a desktop in the dark', desktop, 'dark'],
] as const) {
  test(`axe finds nothing in a visit that waits, one that is too early, and one that runs: ${name}`, async ({
    someone,
    demo,
  }) => {
    const early = await makeVisit(demo, { patient: 6, minutesAhead: 180 });
    const { page: soon } = await someone({ viewport, colorScheme, timezoneId: 'Europe/Berlin' });
    await soon.goto(`/#/link/${early.accessCode}`);
    await expect(soon.getByRole('heading', { name: 'You are a little early' })).toBeVisible();
    await expectAccessible(soon);

    const visit = await makeVisit(demo, { patient: 5, welcomeMessage: 'Please have your medication list at hand.' });
    const { page: patient } = await someone({ viewport, colorScheme });
    await watchCalls(patient);
    await patient.goto(`/#/link/${visit.accessCode}`);
    await expect(
      patient.getByText('Your provider will be with you soon, please do not close this window'),
    ).toBeVisible();
    await expectAccessible(patient);
    const { page: staff } = await someone({ viewport, colorScheme });
    await signIn(staff, 'admin@demo.test');
    await expect(staff.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
    await staff.goto(`/#/appointment/${visit.uid}`);
    await expectVideo(patient);
    await expectAccessible(patient);
    await expectAccessible(staff);
  });
}
