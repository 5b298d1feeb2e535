import type { Page } from '@playwright/test';
import { apiAs } from './support/api.ts';
import { expect, expectAccessibleEverywhere, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

type Screen = readonly [path: string, heading: string | RegExp];

/** The screens, each with a heading or text that shows when it has loaded. */
const openScreens: Screen[] = [
  ['/#/link', 'Welcome'],
  ['/#/login', 'Provider Login'],
  ['/#/request-reset', 'Reset Password'],
  ['/#/reset/some-link', /password/i],
  ['/#/thank-you', 'Thank You!'],
  ['/#/offline', /OH NO/],
];
const lists: Screen[] = [
  ['/#/waiting-room', 'Waiting Room'],
  ['/#/appointment-list', /^Appointments/],
  ['/#/schedule/monthly', /^\w+ \d{4}$/],
  ['/#/schedule/daily', /^\w+, \w+ \d+, \d{4}$/],
  ['/#/patient-list', 'Patients'],
  ['/#/admin/home', 'Administration'],
  ['/#/admin/scheduling', 'Scheduling Rules'],
  ['/#/admin/scheduling/time-off', 'Closures and leave'],
  ['/#/not-found', 'Page not found'],
];
const emptyForms: Screen[] = [
  ['/#/appointment-edit/0/0', 'New Appointment'],
  ['/#/patient-edit/0', 'New patient'],
  ['/#/instant-appointment', 'Instant Appointment'],
  ['/#/user', 'My Account'],
  ['/#/admin/scheduling/edit/0', 'Scheduling Rule Editor'],
  ['/#/admin/company/edit', 'Demo Clinic'],
];

async function expectEachAccessible(page: Page, screens: readonly Screen[]): Promise<void> {
  for (const [path, heading] of screens) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
    await expect(page.getByRole('progressbar')).toHaveCount(0);
    await expectAccessibleEverywhere(page);
  }
}

// room-accessibility.e2e.ts has the room, with the other calls.
test.describe('accessibility on a light phone and a dark desktop', () => {
  test('screens of a signed-out person: axe finds nothing', async ({ someone, allow }) => {
    allow(/401|Failed to load resource/);
    const { page } = await someone();
    // Otherwise the page without a connection leaves itself.
    await page.route('**/ping', (route) => route.abort());
    await expectEachAccessible(page, openScreens);
  });

  test('steps of booking by link: axe finds nothing', async ({ someone, demo }) => {
    const admin = await apiAs(demo, 'admin@demo.test');
    const { companyUid } = await admin<{ companyUid: string }>('GET', '/api/companies/0');
    const { page } = await someone({ timezoneId: 'Europe/Berlin' });
    await page.goto(`/#/patient/book/${companyUid}`);
    await page.getByRole('button', { name: 'Maya Reyes' }).click();
    await page.getByRole('button', { name: 'Next month' }).click();
    await expect(page.getByRole('radio').first()).toBeVisible();
    await expectAccessibleEverywhere(page);
    await page.getByRole('radio').last().check();
    await page
      .getByRole('region', { name: /^Available times on/ })
      .getByRole('button')
      .last()
      .click();
    await expect(page.getByRole('heading', { name: 'Your details' })).toBeVisible();
    await expectAccessibleEverywhere(page);
    await page.getByRole('button', { name: 'Pick another time' }).click();
    await page.getByRole('button', { name: 'Request a time instead' }).click();
    await expect(page.getByRole('heading', { name: 'Request a time' })).toBeVisible();
    await expectAccessibleEverywhere(page);
  });

  test('lists of staff: axe finds nothing', async ({ someone }) => {
    const { page } = await someone();
    await signIn(page, 'admin@demo.test');
    await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
    await expectEachAccessible(page, lists);
  });

  test('forms of staff, empty and filled: axe finds nothing', async ({ someone, demo }) => {
    const visit = await buildAppointmentInRoom(demo, {
      patient: 5,
      welcomeMessage: 'Please have your medication list at hand.',
    });
    const { page } = await someone();
    await signIn(page, 'admin@demo.test');
    await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
    await expectEachAccessible(page, [
      ...emptyForms,
      [`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`, `${visit.patientName} · `],
      [`/#/patient-edit/${visit.patientId}`, visit.patientName],
    ]);
  });
});
