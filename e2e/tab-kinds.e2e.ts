import type { Page } from '@playwright/test';
import { patientArrives, waitUntilJoined } from './support/peer.ts';
import type { Demo } from './support/server.ts';
import { expect, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

/** A patient of the demo's doctor arrives and leaves: expects sheet, sound and badge in this tab. */
async function expectLive(page: Page, demo: Demo, patient: number): Promise<void> {
  const before = await sounds(page);
  const visit = await buildAppointmentInRoom(demo, { patient });
  const sheet = page.getByRole('dialog', { name: 'Patient Arrived' });
  // It stays while the pointer is over it.
  const [arrived] = await Promise.all([patientArrives(demo, visit), sheet.hover()]);
  await expect(sheet).toContainText(visit.patientName);
  expect(await sounds(page)).toBe(before + 1);
  await expect(page.getByRole('link', { name: /^Waiting Room \d+ waiting$/ })).toBeVisible();
  await sheet.getByRole('button', { name: 'Ignore' }).click();
  arrived.leave();
  await expect(page.getByText(visit.patientName)).toHaveCount(0);
}

const sounds = (page: Page) => page.evaluate(() => (globalThis as unknown as { sounds: number }).sounds);

async function countSounds(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.assign(globalThis, { sounds: 0 });
    HTMLMediaElement.prototype.play = async () => {
      (globalThis as unknown as { sounds: number }).sounds += 1;
    };
  });
}

/** Changes the address of the open page without a reload, as typing does. */
const type = (page: Page, path: string) => page.evaluate((hash) => void (location.hash = hash), path);

/** Goes from the patient's side to a page of staff, whose tab connects to the hub again. */
async function typeForStaff(page: Page, path: string): Promise<void> {
  const connected = waitUntilJoined(page);
  await type(page, path);
  await connected;
  await expect(page.getByRole('heading', { name: 'Appointments' })).toBeVisible();
}

test('staff back from the patient’s side: are connected again without a reload @ROUTE-8 @ROUTE-9 @STATE-6', async ({
  someone,
  demo,
}) => {
  const { page } = await someone();
  await countSounds(page);
  await signIn(page, 'doctor2@demo.test');
  await expect(page.getByText('The Waiting Room is Empty')).toBeVisible();
  const own = await buildAppointmentInRoom(demo, { minutesAhead: 24 * 60, patient: 7 });

  for (const [path, back] of [
    ['/patient', '/user'],
    [`/appointment/${own.uid}/pt`, '/waiting-room'],
    ['/thank-you', '/patient-list'],
  ] as const) {
    await type(page, path);
    await expect(page.getByRole('navigation', { name: 'Main menu' })).toHaveCount(0);
    await expect(page).toHaveURL(path === '/thank-you' ? /#\/thank-you$/ : /#\/link$/);
    await type(page, back);
    await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`#${back}`));
  }

  // Also back in the history.
  await type(page, '/waiting-room');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await type(page, '/patient');
  await expect(page).toHaveURL(/#\/link$/);
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toHaveCount(0);
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await expect(page.getByText('The Waiting Room is Empty')).toBeVisible();
});

test('patient’s link in a staff tab: opens the patient’s side; back on staff’s pages arrivals are announced @ROUTE-8 @ROUTE-9', async ({
  someone,
  demo,
}) => {
  const { page } = await someone();
  await countSounds(page);
  const connected = waitUntilJoined(page);
  await signIn(page, 'doctor@demo.test');
  await connected;
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await expectLive(page, demo, 8);

  await type(page, '/patient');
  await expect(page).toHaveURL(/#\/link$/);
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toHaveCount(0);
  await typeForStaff(page, '/appointment-list');
  await expectLive(page, demo, 9);

  const own = await buildAppointmentInRoom(demo, { minutesAhead: 24 * 60, patient: 10 });
  await type(page, `/link/${own.accessCode}`);
  await expect(page).toHaveURL(new RegExp(`#/appointment/${own.uid}/pt$`));
  await type(page, '/patient');
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toHaveCount(0);
  await expect(page).toHaveURL(/#\/patient$/);
  await typeForStaff(page, '/appointment-list');
  await expectLive(page, demo, 11);
});

test('patient with the link of a later visit: goes from /link to the next visit @ROUTE-8', async ({
  someone,
  demo,
}) => {
  const later = await buildAppointmentInRoom(demo, { minutesAhead: 3 * 24 * 60, patient: 13 });
  const { page } = await someone();
  await page.goto(`/#/link/${later.accessCode}`);
  await expect(page).toHaveURL(new RegExp(`#/appointment/${later.uid}/pt$`));
  const next = await buildAppointmentInRoom(demo, { minutesAhead: 26 * 60, patient: 13 });
  await type(page, '/link');
  await expect(page).toHaveURL(new RegExp(`#/appointment/${next.uid}/pt$`));
  await type(page, '/waiting-room');
  await expect(page.getByRole('heading', { name: 'Your next visit' })).toBeVisible();
  await expect(page.getByRole('main').locator(`a[href="#/appointment/${next.uid}/pt"]`)).toBeVisible();
});
