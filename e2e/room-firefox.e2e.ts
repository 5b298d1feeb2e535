import type { Page } from 'puppeteer-core';
import { apiAs } from './support/api.ts';
import { firefoxProgram, openFirefox } from './support/firefox.ts';
import { expectRecorded } from './support/recording.ts';
import { demoPassword } from './support/server.ts';
import { desktop, expect, noteStatuses, phone, signIn, test } from './support/story.ts';
import {
  audioOf,
  buildAppointmentInRoom,
  expectVideo,
  framesOf,
  keepConnections,
  reads,
  say,
  watchCalls,
} from './support/visit.ts';

/** A patient's Firefox and a doctor's Chromium: offers, codecs and candidates differ by browser. */
test.skip(firefoxProgram === null, 'Firefox is not installed');

const notedOf = () => (globalThis as { noted?: string[] }).noted ?? [];
const textOf = (page: Page) => page.evaluate(() => document.body.innerText);

async function openPage(browser: Awaited<ReturnType<typeof openFirefox>>): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => void errors.push(String(error)));
  await page.setViewport(phone);
  await page.evaluateOnNewDocument(keepConnections);
  return { page, errors };
}

test('patient with Firefox: has video and sound both ways, chat, and a reload of either side', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 6 });
  const browser = await openFirefox({ isCameraAllowed: true });
  try {
    const { page: patient, errors } = await openPage(browser);
    await patient.goto(`${demo.url}/#/link/${visit.accessCode}`);
    await expect
      .poll(() => textOf(patient))
      .toContain('Your provider will be with you soon, please do not close this window');

    const { page: doctor } = await someone();
    await watchCalls(doctor);
    await signIn(doctor, 'doctor@demo.test');
    await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
    await doctor.goto(`/#/appointment/${visit.uid}`);
    await Promise.all([expectVideo(doctor), expectVideo(patient)]);
    for (const page of [doctor, patient]) {
      const before = await audioOf(page);
      await expect.poll(() => audioOf(page)).toBeGreaterThan(before);
    }

    await say(doctor, "Good morning, how's the knee?");
    await patient.locator('button[aria-label^="Chat"]').click();
    await expect.poll(() => textOf(patient)).toContain("Good morning, how's the knee?");
    await patient.locator('textarea').fill('Much better, thanks.');
    await patient.keyboard.press('Enter');
    await reads(doctor, 'Much better, thanks.');

    await patient.reload();
    await expect.poll(() => framesOf(patient), { timeout: 60_000 }).toBeGreaterThan(5);
    await expectVideo(doctor);
    await doctor.reload();
    await expect.poll(() => framesOf(doctor), { timeout: 60_000 }).toBeGreaterThan(5);
    await expectVideo(patient);

    await doctor.getByRole('button', { name: 'End the call' }).click();
    await doctor.getByRole('button', { name: 'Finish call' }).click();
    await expect.poll(() => textOf(patient)).toContain('Your appointment is over');
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('refused camera in Firefox: shows how to allow it, and the visit continues without one', async ({ demo }) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 7 });
  const browser = await openFirefox({ isCameraAllowed: false });
  try {
    const { page: patient } = await openPage(browser);
    await patient.goto(`${demo.url}/#/link/${visit.accessCode}`);
    await expect.poll(() => textOf(patient)).toContain('Video Camera Access is Required');
    expect(await textOf(patient)).toContain('In Firefox: click the crossed-out camera');
    await patient.locator('::-p-text(Continue without camera)').click();
    await expect.poll(() => textOf(patient)).not.toContain('Video Camera Access is Required');
    expect(await textOf(patient)).toContain('Your provider will be with you soon, please do not close this window');
  } finally {
    await browser.close();
  }
});

test('provider with Firefox: records a visit that the patient allows, and both browsers play it to its end', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 5 });
  const browser = await openFirefox({ isCameraAllowed: true });
  try {
    const { page: doctor, errors } = await openPage(browser);
    await doctor.setViewport(desktop);
    await doctor.evaluateOnNewDocument(noteRecorded);
    await doctor.evaluateOnNewDocument(noteStatuses);
    const { page: patient } = await someone({ viewport: phone });
    await watchCalls(patient);
    await patient.goto(`/#/link/${visit.accessCode}`);
    await expect(patient.getByLabel('Your video')).toBeVisible();
    await doctor.goto(`${demo.url}/#/login`);
    await doctor.locator('input[type=email]').fill('doctor@demo.test');
    await doctor.locator('input[type=password]').fill(demoPassword);
    await doctor.locator('::-p-text(Log In)').click();
    await expect.poll(() => doctor.url()).toContain('waiting-room');
    await doctor.goto(`${demo.url}/#/appointment/${visit.uid}`);
    await Promise.all([expectVideo(doctor), expectVideo(patient)]);

    await doctor.locator('button[aria-label="Record this visit"]').click();
    await patient.getByRole('alertdialog').getByRole('button', { name: 'Allow', exact: true }).click();
    await expectRecorded(doctor, 4_000);
    await doctor.locator('button[aria-label="Stop recording"]').click();
    await expect
      .poll(() => doctor.evaluate(notedOf), { timeout: 60_000 })
      .toContain('The recording has been uploaded.');

    const api = await apiAs(demo, 'doctor@demo.test');
    const { data } = await api<Listed>('GET', `/api/appointments/${visit.appointmentId}/recordings`);
    const files = data.flatMap(({ blobs }) => blobs).toSorted((a, b) => a.size - b.size);
    // The files have everything that the browser gave, which on a busy machine is less than the time that has passed.
    const given = (await doctor.evaluate(recordedChunks)).toSorted((a, b) => sumOf(a) - sumOf(b));
    expect(given).toHaveLength(2);
    // They are written again with other heads of blocks, an index, and silence where there was no sound.
    const areAll = files.map(
      (file, index) => Math.abs(file.size - sumOf(given[index] ?? [])) < 500 + 450 * lengthOf(file),
    );
    expect(areAll, JSON.stringify({ files, given })).toEqual([true, true]);
    const longest = Math.max(...files.map(lengthOf));
    const lengths: number[][] = [];
    const { page: viewer } = await someone({ viewport: desktop });
    await signIn(viewer, 'doctor@demo.test');
    for (const page of [viewer, doctor] as Viewer[]) {
      await page.goto(`${demo.url}/#/recordings/${visit.appointmentId}`);
      const areKnown = async () =>
        (await page.evaluate(durationsOfVideos)).map((duration) => duration > 2 && duration < longest + 1);
      await expect.poll(areKnown, { timeout: 60_000 }).toEqual([true, true]);
      lengths.push(await page.evaluate(durationsOfVideos));
      // Into the file, and from there to its end, where the player rewinds.
      await page.evaluate(seek);
      await expect.poll(() => page.evaluate(areWithin), { timeout: 60_000 }).toBe(true);
      expect(await page.evaluate(playAll)).toEqual(['Play all', 'Pause all']);
      await expect.poll(() => page.evaluate(nameOfPlayButton), { timeout: 60_000 }).toBe('Play all');
    }
    // Both browsers read the same lengths.
    const [first = [], second = []] = lengths;
    for (const [index, length] of first.entries()) expect(second[index]).toBeCloseTo(length, 1);
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
});

/** A page of either browser's driver. */
interface Viewer {
  goto(address: string): Promise<unknown>;
  evaluate<R>(work: () => R): Promise<Awaited<R>>;
}

interface Listed {
  data: { blobs: { started: string; stopped: string; size: number }[] }[];
}
const lengthOf = ({ started, stopped }: { started: string; stopped: string }) =>
  (Date.parse(stopped) - Date.parse(started)) / 1000;
const sumOf = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0);

/** Run in the pages. Keeps the size of each chunk that a recorder gives, bytes. */
const noteRecorded = () => {
  const recorders: number[][] = [];
  Object.assign(globalThis, { recordedChunks: recorders });
  const { start } = MediaRecorder.prototype;
  MediaRecorder.prototype.start = function (timeslice) {
    const chunks: number[] = [];
    recorders.push(chunks);
    this.addEventListener('dataavailable', ({ data }) => void chunks.push(data.size));
    start.call(this, timeslice);
  };
};
const recordedChunks = () => (globalThis as unknown as { recordedChunks: number[][] }).recordedChunks;
const durationsOfVideos = () =>
  [...document.querySelectorAll<HTMLVideoElement>('.rec-tile video')].map(({ duration }) => duration);
const seek = () => {
  const slider = document.querySelector<HTMLInputElement>('input[type=range]');
  if (!slider) throw new Error('There is no slider.');
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {};
  set?.call(slider, '1500');
  slider.dispatchEvent(new Event('input', { bubbles: true }));
};
const areWithin = () =>
  [...document.querySelectorAll<HTMLVideoElement>('.rec-tile video')].every(
    ({ currentTime, seeking }) => !seeking && currentTime > 0.5 && currentTime < 2,
  );
const nameOfPlayButton = () =>
  [...document.querySelectorAll('button')]
    .map((one) => one.ariaLabel ?? one.innerText)
    .find((name) => /^(Play|Pause) all$/.test(name));
/** Clicks Play all. Returns the names of the button before and after, which it has for as long as the recording plays. */
const playAll = () => {
  const button = [...document.querySelectorAll('button')].find(
    (one) => (one.ariaLabel ?? one.innerText) === 'Play all',
  );
  if (!button) throw new Error('There is no button.');
  const nameOf = () => button.ariaLabel ?? button.innerText;
  const names = [nameOf()];
  return new Promise<string[]>((resolve) => {
    const changes = new MutationObserver(() => {
      if (nameOf() === names[0]) return;
      changes.disconnect();
      resolve([...names, nameOf()]);
    });
    changes.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    button.click();
  });
};
