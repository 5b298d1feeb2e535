import type { Page } from '@playwright/test';
import { withCompany } from './support/company.ts';
import { waitUntilJoined } from './support/peer.ts';
import { expect, jumpErrors, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, watchCalls } from './support/visit.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Stops the time of the page; `runFor` and `fastForward` move it. */
async function stopTime(page: Page): Promise<void> {
  // Two seconds ahead, so that what the page shows each second is shown for the time at which it stops. More may pass before the browser gets it.
  await expect(async () => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 2_000)).toPass();
}

/** Opens the room as the demo's doctor, with time that the test moves. */
async function comeAsDoctor(page: Page, uid: string): Promise<void> {
  await page.clock.install();
  await watchCalls(page);
  await signIn(page, 'doctor@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto(`/#/appointment/${uid}`);
  await expect(page.getByLabel('Your video')).toBeVisible();
}

/** Counts the saves of notes that the page sends. */
function countSaves(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/notes') && request.method() !== 'GET') count += 1;
  });
  return () => count;
}

test('chat takes 1600 characters and none under 2; notes are saved 3 s after the last key in the room and 2 s in the form, and say so for 1 s @STATE-20 @VALID-3 @CONST-2 @ABOUT-4', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 2 });
  const { page } = await someone();
  await comeAsDoctor(page, visit.uid);
  const message = page.getByRole('textbox', { name: 'Message' });
  const lines = page.getByRole('log').getByRole('paragraph');
  await message.fill('  a  ');
  await message.press('Enter');
  await expect(message).toHaveAccessibleDescription('Required 5/1600');
  await expect(page.getByText('No messages yet.')).toBeVisible();
  await message.fill('  ok ');
  await message.press('Enter');
  await expect(lines).toHaveText(['ok']);
  await expect(message).toHaveValue('');
  await message.focus();
  await page.keyboard.insertText('x'.repeat(1_700));
  await expect(message).toHaveAccessibleDescription('1600/1600');
  await message.press('Enter');
  await expect(lines).toHaveText(['ok', 'x'.repeat(1_600)]);
  await expect(page.getByText('Sending…')).toHaveCount(0);

  await button(page, 'Notes').click();
  const saves = countSaves(page);
  const inRoom = page.getByRole('complementary', { name: 'Notes' });
  const room = { field: inRoom.getByRole('textbox', { name: 'Notes' }), delay: 3_000, badge: inRoom };
  const inForm = page.getByRole('region', { name: 'Notes' });
  const form = { field: inForm.getByRole('textbox', { name: 'Notes' }), delay: 2_000, badge: inForm };
  for (const { field, delay, badge } of [room, form]) {
    await expect(field).toBeVisible();
    const saved = badge.getByText('Saved', { exact: true });
    const before = saves();
    await stopTime(page);
    await field.fill('Sleeps well.');
    await page.clock.runFor(delay - 1);
    await field.fill(`Sleeps well. No pain after ${delay} steps.`);
    await page.clock.runFor(delay - 1);
    expect(saves()).toBe(before);
    await page.clock.runFor(1);
    await expect(saved).toBeVisible();
    expect(saves()).toBe(before + 1);
    await page.clock.runFor(900);
    await expect(saved).toBeVisible();
    await page.clock.runFor(200);
    await expect(saved).toHaveCount(0);
    await page.clock.resume();
    if (field === room.field) await page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  }
});

/** The hue of an element's text, degrees. */
const hueOf = (page: Page) =>
  page.getByRole('timer').evaluate((element) => {
    const canvas = document.createElement('canvas').getContext('2d');
    if (!canvas) return -1;
    canvas.fillStyle = getComputedStyle(element).color;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => value / 255);
    const max = Math.max(red, green, blue);
    const range = max - Math.min(red, green, blue);
    if (range === 0) return -1;
    const sixth =
      max === red ? (green - blue) / range : max === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
    return Math.round((sixth * 60 + 360) % 360);
  });
const isRed = (hue: number) => hue >= 345 || hue <= 15;
const isOrange = (hue: number) => hue >= 25 && hue <= 45;

test('timer for staff: counts down the limit, is orange in the last minute and red afterwards, goes on after a reload, and shows elapsed time without a limit @CONST-7 @ABOUT-4', async ({
  someone,
  demo,
  allow,
}) => {
  // The hub reconnects after each jump of the page's time.
  allow(jumpErrors);
  const { page } = await someone();
  const timer = page.getByRole('timer');
  await withCompany(demo, { limit: 15 }, async () => {
    const visit = await buildAppointmentInRoom(demo, { patient: 4 });
    await comeAsDoctor(page, visit.uid);
    await stopTime(page);
    // The server's time goes on as before: a visit that is read again after a jump would set the timer back.
    await page.route(/\/api\/teleappointments\/\w+$/, () => {});
    await expect(timer).toHaveText(/^1[45]:\d\d left$/);
    await expect(timer).toHaveAccessibleName(/^Time left 1[45]:\d\d$/);
    const [, minutes, seconds] = /(\d+):(\d\d)/.exec(await timer.innerText()) ?? [];
    const left = Number(minutes) * 60 + Number(seconds);
    expect(left).toBeGreaterThan(14 * 60);
    const color = await hueOf(page);
    expect(isRed(color) || isOrange(color)).toBe(false);
    await page.clock.fastForward((left - 61) * 1_000);
    await expect(timer).toHaveText('1:01 left');
    expect(await hueOf(page)).toBe(color);
    await page.clock.runFor(1_000);
    await expect(timer).toHaveText('1:00 left');
    await expect.poll(async () => isOrange(await hueOf(page))).toBe(true);
    await page.clock.runFor(60_000);
    await expect(timer).toHaveText('0:00 left');
    await expect.poll(async () => isOrange(await hueOf(page))).toBe(true);
    await page.clock.runFor(1_000);
    await expect(timer).toHaveText('+0:01');
    await expect(timer).toHaveAccessibleName('Over the time limit 0:01');
    await expect.poll(async () => isRed(await hueOf(page))).toBe(true);
    await page.clock.resume();
    await page.unroute(/\/api\/teleappointments\/\w+$/);
    // A reload 12 minutes later goes on counting.
    await page.route(/\/api\/teleappointments\/\w+$/, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      await route.fulfill({ response, json: { ...json, now: new Date(Date.now() + 12 * 60_000).toISOString() } });
    });
    await page.reload();
    await expect(timer).toHaveText(/^[12]:\d\d left$/);
    await page.unroute(/\/api\/teleappointments\/\w+$/);
    await page.goto('/#/waiting-room');
    await button(page, 'Leave the visit').click();
  });
  await withCompany(demo, { limit: 0 }, async () => {
    // Ahead of its start: the time begins with it.
    const visit = await buildAppointmentInRoom(demo, { patient: 4, minutesAhead: 10 });
    await page.goto(`/#/appointment/${visit.uid}`);
    await expect(timer).toHaveText('0:00');
    await stopTime(page);
    // As above: a visit that is read again would set the timer back.
    await page.route(/\/api\/teleappointments\/\w+$/, () => {});
    await page.clock.fastForward(11 * 60_000);
    await expect(timer).toHaveText(/^(0:5\d|1:[0-5]\d)$/);
    await expect(timer).toHaveAccessibleName(/^Elapsed time/);
    await page.clock.resume();
    await page.unroute(/\/api\/teleappointments\/\w+$/);
  });
});

test('arrival: is shown for 10 s; a picture is a JPEG, and its sheet closes after 5 s @CONST-4', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 7 });
  const { page: doctor } = await someone();
  await doctor.clock.install();
  await watchCalls(doctor);
  const connected = waitUntilJoined(doctor);
  await signIn(doctor, 'doctor@demo.test');
  await connected;
  await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  // The sheets stay while the pointer is over them.
  await doctor.mouse.move(5, 5);
  const { page: patient } = await someone({ viewport: phone });
  await watchCalls(patient);
  await stopTime(doctor);
  await patient.goto(`/#/link/${visit.accessCode}`);
  const arrived = doctor.getByRole('dialog', { name: 'Patient Arrived' });
  await expect(arrived).toBeVisible();
  await doctor.clock.runFor(9_900);
  await expect(arrived).toBeVisible();
  await doctor.clock.runFor(1_000);
  await expect(arrived).toBeHidden();

  await doctor.clock.resume();
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(doctor);
  await expectVideo(patient);
  const sent = patient.waitForRequest('**/api/photos?*');
  await stopTime(doctor);
  await button(doctor, 'Take picture').click();
  const upload = await sent;
  expect(upload.headers()['content-type']).toBe('image/jpeg');
  const taken = doctor.getByRole('dialog', {
    name: 'A picture has been taken - you can find it in the patient account',
  });
  await expect(taken).toBeVisible();
  await doctor.mouse.move(5, 200);
  await doctor.clock.runFor(4_500);
  await expect(taken).toBeVisible();
  await doctor.clock.runFor(1_000);
  await expect(taken).toBeHidden();
  await doctor.clock.resume();
});
