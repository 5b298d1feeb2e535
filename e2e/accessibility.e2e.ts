import { desktop, expect, expectAccessible, phone, signIn, test } from './support/story.ts';
import { expectVideo, makeVisit, watchCalls } from './support/visit.ts';

/** Every screen as it stands, with what it shows once it has loaded. */
const staffScreens: [path: string, heading: string | RegExp][] = [
  ['/#/waiting-room', 'Waiting Room'],
  ['/#/appointment-list', /^Appointments/],
  ['/#/appointment-edit/0/0', 'New Appointment'],
  ['/#/patient-list', 'Patients'],
  ['/#/patient-edit/0', /Patient/],
  ['/#/instant-appointment', 'Instant Appointment'],
  ['/#/user', 'My Account'],
  ['/#/not-found', 'Page not found'],
];
const openScreens: [path: string, heading: string | RegExp][] = [
  ['/#/link', 'Welcome'],
  ['/#/login', 'Provider Login'],
  ['/#/request-reset', 'Reset Password'],
  ['/#/reset/some-link', /password/i],
  ['/#/thank-you', 'Thank You!'],
  ['/#/offline', /OH NO/],
];

for (const [name, viewport, colorScheme] of [
  ['a phone in the light', phone, 'light'],
  ['a desktop in the dark', desktop, 'dark'],
] as const) {
  test(`axe finds nothing on any screen: ${name}`, async ({ someone, demo, allow }) => {
    test.setTimeout(150_000);
    allow(/401|Failed to load resource/);
    const { page } = await someone({ viewport, colorScheme });
    for (const [path, heading] of openScreens) {
      await page.goto(path);
      await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
      await expectAccessible(page);
    }
    await signIn(page, 'admin@demo.test');
    await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
    const visit = await makeVisit(demo, { patient: 5, welcomeMessage: 'Please have your medication list at hand.' });
    const visitScreens: typeof staffScreens = [
      [`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`, 'Appointment'],
      [`/#/patient-edit/${visit.patientId}`, visit.patientName],
    ];
    for (const [path, heading] of [...staffScreens, ...visitScreens]) {
      await page.goto(path);
      await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
      await expect(page.getByRole('progressbar')).toHaveCount(0);
      await expectAccessible(page);
    }
    const early = await makeVisit(demo, { patient: 6, minutesAhead: 180 });
    const { page: soon } = await someone({ viewport, colorScheme, timezoneId: 'Europe/Berlin' });
    await soon.goto(`/#/link/${early.accessCode}`);
    await expect(soon.getByRole('heading', { name: 'You are a little early' })).toBeVisible();
    await expectAccessible(soon);

    const { page: patient } = await someone({ viewport, colorScheme });
    await watchCalls(patient);
    await patient.goto(`/#/link/${visit.accessCode}`);
    await expect(
      patient.getByText('Your provider will be with you soon, please do not close this window'),
    ).toBeVisible();
    await expectAccessible(patient);
    await page.goto(`/#/appointment/${visit.uid}`);
    await expectVideo(patient);
    await expectAccessible(patient);
    await expectAccessible(page);
  });
}
