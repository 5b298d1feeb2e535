import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { apiAs } from './support/api.ts';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';
import { expectTracksLoaded } from './support/recorded-visit.ts';
import { expectRecorded, storedChunks, storedSegments } from './support/recording.ts';
import {
  desktop,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  expectToast,
  keepNotice,
  phone,
  signIn,
  signInByForm,
  test,
} from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, type MadeVisit, watchCalls } from './support/visit.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const question = (page: Page) =>
  page.getByRole('alertdialog', { name: 'Your provider would like to record this visit.' });
const sign = (page: Page, text: string) => page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) });

async function comeByLink(page: Page, visit: MadeVisit): Promise<void> {
  await watchCalls(page);
  await page.goto(`/#/link/${visit.accessCode}`);
  await expect(page.getByLabel('Your video')).toBeVisible();
}

async function comeAsDoctor(page: Page, visit: MadeVisit): Promise<void> {
  await watchCalls(page);
  await signIn(page, 'doctor@demo.test');
  await expect(page).toHaveURL(/waiting-room/);
  await page.goto(`/#/appointment/${visit.uid}`);
  await expect(page.getByLabel('Your video')).toBeVisible();
}

/** Both see and hear each other. */
async function meet(doctor: Page, patient: Page, visit: MadeVisit): Promise<void> {
  await comeByLink(patient, visit);
  await comeAsDoctor(doctor, visit);
  await expectVideo(doctor);
  await expectVideo(patient);
}

async function record(doctor: Page, patient: Page): Promise<void> {
  await button(doctor, 'Record this visit').click();
  await question(patient).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(sign(doctor, 'Recording')).toBeVisible();
}

interface Listed {
  data: { recordingId: number; blobs: { started: string; stopped: string; address: string }[] }[];
}
const lengthOf = ({ started, stopped }: { started: string; stopped: string }) =>
  (Date.parse(stopped) - Date.parse(started)) / 1000;

/** A track that is paused is moved when it is further away, s. */
const isAtStart = (currentTime: number) => currentTime < 0.05;

/** The time and length of each shown video, s. */
const videosOf = (page: Page) =>
  page
    .locator('.rec-tile video')
    .evaluateAll((all: HTMLVideoElement[]) =>
      all.map(({ currentTime, duration, paused }) => ({ currentTime, duration, paused })),
    );

test('a visit is recorded: the patient allows it, both see it, and staff play it @REC-1 @REC-2 @REC-3 @ABOUT-4', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo);
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone({ viewport: desktop });
  await meet(doctor, patient, visit);
  // ROLE-2.
  await expect(button(patient, 'Record this visit')).toHaveCount(0);

  await button(doctor, 'Record this visit').click();
  await expect(sign(doctor, 'Asking to record…')).toBeVisible();
  await expect(question(patient)).toBeVisible();
  await expectAccessible(patient);
  expect(await storedSegments(doctor)).toBe(0);
  await question(patient).getByRole('button', { name: 'Allow', exact: true }).click();
  for (const page of [doctor, patient]) await expect(sign(page, 'Recording')).toBeVisible();
  await expectRecorded(doctor, 5_000);
  await button(doctor, 'End the call').click();
  await expectToast(doctor, 'Stop the recording before you end the visit.');
  await button(doctor, 'Stop recording').click();
  await expectToast(doctor, 'The recording has been uploaded.');
  for (const page of [doctor, patient]) await expect(sign(page, 'Recorded')).toBeVisible();
  expect(await storedSegments(doctor)).toBe(0);

  const api = await apiAs(demo, 'doctor@demo.test');
  const { data } = await api<Listed>('GET', `/api/appointments/${visit.appointmentId}/recordings`);
  expect(data.map(({ blobs }) => blobs.length)).toEqual([1, 1]);
  await button(doctor, 'End the call').click();
  await doctor.getByRole('alertdialog').getByRole('button', { name: 'Finish call' }).click();
  await doctor.getByRole('link', { name: 'Recordings' }).click();

  await expect(doctor).toHaveURL(new RegExp(`#/recordings/${visit.appointmentId}$`));
  const title = new RegExp(`^Appointment with ${visit.patientName} on \\d+/\\d+/\\d+, \\d+:\\d+ [AP]M`);
  await expect(doctor.getByRole('heading', { name: title })).toBeVisible();
  await expect(doctor).toHaveTitle('Recordings · Roomside');
  // What is played is as long as what was recorded.
  const lengths = data.flatMap(({ blobs }) => blobs.map(lengthOf)).toSorted((a, b) => a - b);
  const areWhole = async () =>
    (await videosOf(doctor))
      .map(({ duration }) => duration)
      .toSorted((a, b) => a - b)
      .map((duration, index) => Math.abs(duration - (lengths[index] ?? 0)) < 1);
  await expect.poll(areWhole).toEqual([true, true]);
  await expectAccessibleEverywhere(doctor);

  await doctor.setViewportSize(desktop);
  // In the order of the list: what they show was recorded at the same time. A track that is late is moved at the next tick. Done in the page and
  // begun before, since the recording lasts only a few seconds: it has not ended when it is paused.
  const begins = data.map(({ blobs }) => Date.parse(blobs[0]?.started ?? '') / 1000);
  const paused = doctor.waitForFunction(
    (starts) => {
      const times = [...document.querySelectorAll<HTMLVideoElement>('.rec-tile video')].map(
        (video) => video.currentTime,
      );
      const [one = Number.NaN, other = Number.NaN] = times.map((time, index) => (starts[index] ?? Number.NaN) + time);
      if (!times.every((time) => time > 1) || !(Math.abs(one - other) < 0.2)) return false;
      const pause = [...document.querySelectorAll('button')].find(
        (one) => (one.ariaLabel ?? one.innerText) === 'Pause all',
      );
      pause?.click();
      return pause !== undefined;
    },
    begins,
    { polling: 50 },
  );
  await Promise.all([paused, button(doctor, 'Play all').click()]);
  await expect.poll(async () => (await videosOf(doctor)).map(({ paused }) => paused)).toEqual([true, true]);
  // Tracks stop where the position of the player was last moved, a moment before.
  expect((await videosOf(doctor)).every(({ currentTime }) => currentTime > 0.5)).toBe(true);
  await button(doctor, 'Stop').click();
  await expect
    .poll(async () => (await videosOf(doctor)).map(({ currentTime, paused }) => [isAtStart(currentTime), paused]))
    .toEqual([
      [true, true],
      [true, true],
    ]);
  // Before it plays: it may be over when this process gets to the slider.
  const slider = doctor.getByRole('slider', { name: 'Position' });
  await slider.fill(String(Number(await slider.getAttribute('max')) - 800));
  await expect.poll(async () => (await videosOf(doctor)).every(({ currentTime }) => currentTime > 1)).toBe(true);
  await button(doctor, 'Play all').click();
  // At the end everything stops and rewinds.
  await expect
    .poll(async () => (await videosOf(doctor)).map(({ currentTime, paused }) => [isAtStart(currentTime), paused]))
    .toEqual([
      [true, true],
      [true, true],
    ]);
  await slider.fill('2000');
  await expect
    .poll(async () => (await videosOf(doctor)).every(({ currentTime }) => currentTime > 1 && currentTime < 2.5))
    .toBe(true);
  await doctor.getByRole('heading', { name: title }).click();
  await doctor.keyboard.press('ArrowLeft');
  await expect.poll(async () => (await videosOf(doctor))[0]?.currentTime).toBeLessThan(0.5);

  await button(doctor, 'Hide toolbar').click();
  await expect(button(doctor, 'Play all')).toHaveCount(0);
  await button(doctor, 'Show toolbar').click();
  const tiles = doctor.getByRole('figure');
  await button(doctor, `Stretch ${visit.patientName}`).click();
  await expect(button(doctor, `Stretch ${visit.patientName}`)).toHaveAttribute('aria-pressed', 'true');
  await button(doctor, `Close ${visit.patientName}`).click();
  await expect(tiles).toHaveCount(1);
  await button(doctor, 'Restore removed tracks').click();
  await expect(tiles).toHaveCount(2);
  await expectTracksLoaded(doctor);
  await tiles
    .first()
    .getByRole('button', { name: /^\d+:\d+:\d+ [AP]M$/ })
    .click();
  const downloading = doctor.waitForEvent('download');
  await tiles
    .first()
    .getByRole('link', { name: /^Download the segment/ })
    .click();
  expect((await downloading).suggestedFilename()).toMatch(/^recording-.*\.(mp4|webm)$/);

  await button(doctor, `Delete track of ${visit.patientName}`).click();
  await doctor
    .getByRole('alertdialog', { name: 'Would you like to delete this track?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(tiles).toHaveCount(1);
  await button(doctor, 'Delete all').click();
  await doctor
    .getByRole('alertdialog', { name: 'Would you like to delete this recording?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(doctor.getByText('No recordings', { exact: true })).toBeVisible();
  await expectAccessibleEverywhere(doctor);
  await doctor.getByRole('link', { name: 'Back to the appointment' }).click();
  await expect(doctor).toHaveURL(/appointment-edit/);
});

/** Records two segments of each device with a pause between them; returns the recorded time of each track, s. */
async function recordTwice(doctor: Page, patient: Page, demo: Parameters<typeof apiAs>[0], visit: MadeVisit) {
  for (let i = 0; i < 2; i += 1) {
    await record(doctor, patient);
    await expectRecorded(doctor, 2_500);
    await button(doctor, 'Stop recording').click();
    await expectToast(doctor, 'The recording has been uploaded.');
    await expect.poll(() => storedSegments(doctor)).toBe(0);
  }
  const api = await apiAs(demo, 'doctor@demo.test');
  const { data } = await api<Listed>('GET', `/api/appointments/${visit.appointmentId}/recordings`);
  expect(data.map(({ blobs }) => blobs.length)).toEqual([2, 2]);
  return data.map(({ blobs }) => (Date.parse(blobs[1]?.stopped ?? '') - Date.parse(blobs[0]?.started ?? '')) / 1000);
}

/** Plays a file in the page: its length (s), and whether its last second and its sound can be played after a seek. */
async function playFile(page: Page, file: string, type: string) {
  const content = fs.readFileSync(file).toString('base64');
  return page.evaluate(
    async ([base64 = '', mediaType = '']) => {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const video = document.createElement('video');
      video.muted = true;
      const once = (event: string) => new Promise((resolve) => video.addEventListener(event, resolve, { once: true }));
      const loaded = once('loadedmetadata');
      video.src = URL.createObjectURL(new Blob([bytes], { type: mediaType }));
      await loaded;
      const { duration } = video;
      const sought = once('seeked');
      video.currentTime = duration - 1;
      await sought;
      const ended = once('ended');
      await video.play();
      await ended;
      return { duration, at: video.currentTime, width: video.videoWidth, error: video.error };
    },
    [content, type],
  );
}

for (const type of ['video/mp4', 'video/webm'] as const) {
  test(`a track is downloaded as one ${type} file, with its pause, and plays`, async ({ someone, demo }) => {
    const visit = await buildAppointmentInRoom(demo);
    const { page: patient } = await someone({ viewport: phone });
    const { page: doctor } = await someone({ viewport: desktop });
    await doctor.addInitScript((wanted) => {
      // As in browsers without the dialog.
      Reflect.deleteProperty(globalThis, 'showSaveFilePicker');
      const supported = MediaRecorder.isTypeSupported.bind(MediaRecorder);
      MediaRecorder.isTypeSupported = (one) => one.startsWith(wanted) && supported(one);
    }, type);
    await meet(doctor, patient, visit);
    const [length = 0] = await recordTwice(doctor, patient, demo, visit);
    await doctor.goto(`/#/recordings/${visit.appointmentId}`);
    const tile = doctor.getByRole('figure').first();
    const name = await tile.locator('.rec-name').innerText();
    const downloading = doctor.waitForEvent('download');
    await tile.getByRole('button', { name: /^Download the track of/ }).click();
    const download = await downloading;
    await expectToast(doctor, `The track of ${name} has been downloaded.`);
    const extension = type.split('/')[1] ?? '';
    expect(download.suggestedFilename()).toMatch(new RegExp(`^recording-.*\\.${extension}$`));
    const played = await playFile(doctor, await download.path(), type);
    expect(Math.abs(played.duration - length)).toBeLessThan(1);
    expect(played).toMatchObject({ error: null, width: 640 });
    expect(Math.abs(played.at - played.duration)).toBeLessThan(0.1);
    await expectAccessibleEverywhere(doctor);
  });
}

test('the file of a track goes where the dialog says; a cancelled download leaves none', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo);
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone({ viewport: desktop });
  // The person’s choice: a file of the browser's private file system.
  await doctor.addInitScript(() =>
    Object.assign(globalThis, {
      showSaveFilePicker: async () =>
        (await navigator.storage.getDirectory()).getFileHandle('chosen', { create: true }),
    }),
  );
  await meet(doctor, patient, visit);
  await record(doctor, patient);
  await expectRecorded(doctor, 2_500);
  await button(doctor, 'Stop recording').click();
  await expectToast(doctor, 'The recording has been uploaded.');
  await doctor.goto(`/#/recordings/${visit.appointmentId}`);
  const chosen = () =>
    doctor.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const names: string[] = [];
      for await (const name of root.keys()) names.push(name);
      return names.includes('chosen') ? (await (await root.getFileHandle('chosen')).getFile()).size : null;
    });
  const start = doctor.getByRole('button', { name: /^Download the track of/ });
  const cancel = doctor.getByRole('button', { name: /^Cancel the download of/ });

  // The server does not answer.
  await expect.poll(async () => (await videosOf(doctor)).every(({ duration }) => duration > 0)).toBe(true);
  await doctor.route('**/Recording/**', () => undefined);
  await start.first().click();
  await expect(doctor.getByRole('progressbar', { name: 'Downloading… 0%' })).toBeVisible();
  await doctor.getByRole('link', { name: 'Back to the appointment' }).click();
  await doctor.getByRole('alertdialog', { name: 'A download is still running.' }).getByText('Stay').click();
  await cancel.click();
  await expect(cancel).toHaveCount(0);
  expect(await chosen()).toBeNull();
  await doctor.unroute('**/Recording/**');

  await start.first().click();
  await expectToast(
    doctor,
    `The track of ${await doctor.locator('.rec-name').first().innerText()} has been downloaded.`,
  );
  expect(await chosen()).toBeGreaterThan(10_000);
});

test('a patient who refuses is not recorded; one who reloads is asked again', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo);
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone();
  await meet(doctor, patient, visit);
  await button(doctor, 'Record this visit').click();
  await question(patient).getByRole('button', { name: 'Don’t allow' }).click();
  await expectToast(doctor, `${visit.patientName} doesn’t want this visit to be recorded.`);
  for (const page of [doctor, patient]) await expect(page.locator('.room-recording')).toHaveCount(0);
  expect(await storedSegments(doctor)).toBe(0);

  await record(doctor, patient);
  await expectRecorded(doctor, 1_000);
  await patient.reload();
  await expect(question(patient)).toBeVisible();
  // Behind the question.
  await expect(patient.locator('.room-recording')).toHaveText('Recording');
  await question(patient).getByRole('button', { name: 'Don’t allow' }).click();
  await expectToast(doctor, 'The others are still being recorded.');
  await expect(sign(doctor, 'Recording')).toBeVisible();
});

test('the visit cannot be ended, nor its page closed without a warning, while a recording runs or is being uploaded @STATE-17', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/Failed to load resource/);
  const visit = await buildAppointmentInRoom(demo);
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone();
  await meet(doctor, patient, visit);
  await doctor.route('**/api/recordings?*', (route) => route.abort());
  await record(doctor, patient);
  await expectRecorded(doctor, 1_000);
  /** Closes the page; staying keeps the visit. */
  const close = async () => {
    const warned = doctor.waitForEvent('dialog').then(async (dialog) => {
      await dialog.dismiss();
      return dialog.type();
    });
    await doctor.close({ runBeforeUnload: true });
    return warned;
  };
  await button(doctor, 'End the call').click();
  await expectToast(doctor, 'Stop the recording before you end the visit.');
  expect(await close()).toBe('beforeunload');
  await button(doctor, 'Stop recording').click();
  await expect(sign(doctor, 'Recorded')).toBeVisible();
  await expect(doctor.getByRole('progressbar', { name: /^The recording couldn’t be uploaded/ })).toBeVisible();
  await button(doctor, 'End the call').click();
  await expectToast(doctor, 'The recording is still being uploaded.');
  expect(await close()).toBe('beforeunload');
  await doctor.unroute('**/api/recordings?*');
  // The next try may be a minute away.
  await expect.poll(() => storedSegments(doctor), { timeout: 90_000 }).toBe(0);
  await expectToast(doctor, 'The recording has been uploaded.');
  await button(doctor, 'End the call').click();
  await doctor.getByRole('alertdialog').getByRole('button', { name: 'Finish call' }).click();
  await expect(patient).toHaveURL(/thank-you/);
});

test('signing out while a recording runs, or is being uploaded: asks first, and the next sign-in finishes the upload', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/Failed to load resource/);
  const visit = await buildAppointmentInRoom(demo);
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone({ viewport: desktop });
  await meet(doctor, patient, visit);
  await doctor.route('**/api/recordings?*', (route) => route.abort());
  await record(doctor, patient);
  await expectRecorded(doctor, 2_000);
  await button(doctor, 'Open the patient’s chart and keep the visit in a corner').click();
  const corner = doctor.getByRole('complementary', { name: `Visit with ${visit.patientName}` });
  await expect(corner).toBeVisible();
  const next = await buildAppointmentInRoom(demo, { patient: 1 });
  await doctor.goto(`/#/appointment/${next.uid}`);
  const leaving = doctor.getByRole('alertdialog', { name: 'Leave while this visit is being recorded?' });
  await leaving.getByRole('button', { name: 'Stay' }).click();
  await expect(leaving).toHaveCount(0);
  const logout = doctor.getByRole('link', { name: 'Logout' });
  await logout.click();
  const running = doctor.getByRole('alertdialog', { name: 'A recording is still running.' });
  await expect(running).toBeVisible();
  await expectAccessible(doctor);
  await running.getByRole('button', { name: 'Stay signed in' }).click();
  await expect(running).toHaveCount(0);
  await expect(sign(patient, 'Recording')).toBeVisible();

  await corner.getByRole('button', { name: 'Return to the visit' }).click();
  await button(doctor, 'Stop recording').click();
  await expect(sign(doctor, 'Recorded')).toBeVisible();
  await expect(doctor.getByRole('progressbar', { name: /^The recording couldn’t be uploaded/ })).toBeVisible();
  // A typed address too.
  await doctor.goto('/#/logout');
  const uploading = doctor.getByRole('alertdialog', { name: 'A recording is still being uploaded.' });
  await uploading.getByRole('button', { name: 'Sign out' }).click();
  await expect(doctor).toHaveURL(/#\/login$/);
  expect(await storedSegments(doctor)).toBe(2);
  await doctor.unroute('**/api/recordings?*');
  await signInByForm(doctor, 'doctor@demo.test');
  await doctor.getByRole('alertdialog').getByRole('button', { name: 'Upload now' }).click();
  await expectToast(doctor, 'The recording has been uploaded.');
  expect(await storedSegments(doctor)).toBe(0);
});

test('a browser that cannot record says so', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo);
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone();
  await doctor.addInitScript(() => Reflect.deleteProperty(globalThis, 'MediaRecorder'));
  await meet(doctor, patient, visit);
  await keepNotice(doctor, 'The recording functionality is not supported in this browser.', () =>
    button(doctor, 'Record this visit').click(),
  );
});

/** Switches the browser's file system off, as in a browser that has none. */
const withoutFiles = (context: BrowserContext) =>
  context.addInitScript(() => Reflect.deleteProperty(StorageManager.prototype, 'getDirectory'));

for (const kept of ['files', 'database'] as const) {
  test(`a browser that is killed while it records into its ${kept}: the next sign-in finishes the upload`, async ({
    someone,
    demo,
  }) => {
    const visit = await buildAppointmentInRoom(demo);
    const { page: patient } = await someone({ viewport: phone });
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-profile-'));
    const launch = () =>
      chromium.launchPersistentContext(profile, {
        ...findChromium(),
        args: [...CALL_FLAGS],
        baseURL: demo.url,
        reducedMotion: 'reduce',
        serviceWorkers: 'block',
      });
    const killed = await launch();
    if (kept === 'database') await withoutFiles(killed);
    const first = await killed.newPage();
    await meet(first, patient, visit);
    await record(first, patient);
    await expectRecorded(first, 2_000);
    const chunks = await storedChunks(first);
    expect(chunks[kept]).toBeGreaterThan(1);
    expect(chunks[kept === 'files' ? 'database' : 'files']).toBe(0);
    const gone = killed.waitForEvent('close');
    process.kill(processOf(profile), 'SIGKILL');
    await gone;
    await expect(sign(patient, 'Recorded')).toBeVisible({ timeout: 90_000 });

    // Its files are on again: what is in the database is found there.
    const next = await launch();
    try {
      // Another user of this browser sees nothing of it.
      const other = await next.newPage();
      await signIn(other, 'doctor2@demo.test');
      await expect(other.getByRole('heading', { name: /Waiting/ })).toBeVisible();
      expect(await storedSegments(other)).toBe(2);
      await expect(other.getByRole('alertdialog')).toHaveCount(0);
      await other.close();
      const page = await next.newPage();
      await signIn(page, 'doctor@demo.test');
      const offer = page.getByRole('alertdialog', { name: /^A recording from .* was not uploaded completely\.$/ });
      await keepNotice(page, 'The recording has been uploaded.', () =>
        offer.getByRole('button', { name: 'Upload now' }).click(),
      );
      expect(await storedChunks(page)).toEqual({ files: 0, database: 0 });
      await page.goto(`/#/recordings/${visit.appointmentId}`);
      await expect(page.getByRole('figure')).toHaveCount(2);
      await expect.poll(async () => (await videosOf(page)).every(({ duration }) => duration > 1)).toBe(true);
    } finally {
      await next.close();
      fs.rmSync(profile, { recursive: true, force: true });
    }
  });
}

/** The process of the browser with this profile; its children end with it. */
function processOf(profile: string): number {
  const found = fs.readdirSync('/proc').find((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const command = fs.readFileSync(`/proc/${id}/cmdline`, 'utf8');
      return command.includes(`--user-data-dir=${profile}\0`) && !command.includes('--type=');
    } catch {
      // It has ended since.
      return false;
    }
  });
  if (!found) throw new Error('The browser is not running.');
  return Number(found);
}
