import { chromium, type Page } from '@playwright/test';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';
import { testDevices, useRemovableDevices } from './support/devices.ts';
import { button, comeAsDoctor, comeByLink } from './support/guests.ts';
import { desktop, expect, expectAccessible, expectToast, keepNotice, phone, test } from './support/story.ts';
import {
  audioOf,
  buildAppointmentInRoom,
  expectVideo,
  framesOf,
  type MadeVisit,
  reads,
  say,
  watchCalls,
} from './support/visit.ts';

const [camera, otherCamera] = testDevices.cameras;
const [, microphone] = testDevices.microphones;

async function expectSound(page: Page): Promise<void> {
  const before = await audioOf(page);
  await expect.poll(() => audioOf(page)).toBeGreaterThan(before);
}

/** The label of the camera that the page uses. */
const cameraInUse = (page: Page) =>
  page
    .locator('.room-self video')
    .evaluate((video: HTMLVideoElement) => (video.srcObject as MediaStream).getVideoTracks()[0]?.label);

/** Opens the patient's link on a device without a camera, and enters the room. */
async function comeWithoutCamera(page: Page, visit: MadeVisit): Promise<void> {
  await watchCalls(page);
  await page.goto(`/#/link/${visit.accessCode}`);
  const dialog = page.getByRole('alertdialog', { name: 'No camera found' });
  await expect(dialog).toContainText('Please connect a camera to this device and try again.');
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Continue without camera' }).click();
  await expect(dialog).toHaveCount(0);
}

const seenOff = (page: Page, what: 'camera off' | 'muted') =>
  page.locator('.room-tile').getByRole('img', { name: what });

test('camera and microphone that are unplugged during a visit: it goes on, and they are used again when they are back', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 0 });
  const { page: patient } = await someone({ viewport: phone });
  const devices = await useRemovableDevices(patient, [camera, microphone]);
  await comeByLink(patient, visit);
  const { page: doctor } = await someone({ viewport: desktop });
  await comeAsDoctor(doctor, visit);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);

  await devices.unplug(camera);
  await expectToast(patient, 'Your camera was disconnected or is no longer allowed. Others can still hear you.');
  await expect(seenOff(doctor, 'camera off')).toBeVisible();
  await expect(button(patient, 'Turn on camera')).toBeVisible();
  await expectSound(doctor);
  await devices.plugIn(camera);
  await expectToast(patient, 'Your camera is back on.');
  await expect(seenOff(doctor, 'camera off')).toHaveCount(0);
  await expectVideo(doctor);

  await devices.unplug(microphone);
  await expectToast(patient, 'Your microphone is off. Others can see you but can’t hear you.');
  await expect(seenOff(doctor, 'muted')).toBeVisible();
  await expectVideo(doctor);
  await devices.plugIn(microphone);
  await expectToast(patient, 'Your microphone is back on.');
  await expect(seenOff(doctor, 'muted')).toHaveCount(0);
  await expectSound(doctor);

  // While one is in use, another is only offered.
  await keepNotice(patient, `${otherCamera} was connected.`, () => devices.plugIn(otherCamera));
  expect(await cameraInUse(patient)).toBe(camera);
  await button(patient, 'Use it').click();
  await expect.poll(() => cameraInUse(patient)).toBe(otherCamera);
  await expectVideo(doctor);

  // A webcam with its microphone.
  await devices.unplug(camera, otherCamera, microphone);
  const dialog = patient.getByRole('alertdialog', { name: 'Your camera was disconnected' });
  await expect(dialog).toBeVisible();
  await expectAccessible(patient);
  await expectVideo(patient);
  await devices.plugIn(otherCamera, microphone);
  await expect(dialog).toHaveCount(0);
  await Promise.all([expectVideo(doctor), expectSound(doctor)]);
});

test('patient without camera and microphone: comes in, reads and writes, and is seen and heard once they are plugged in', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 1 });
  const { page: patient } = await someone({ viewport: phone });
  const devices = await useRemovableDevices(patient, []);
  await comeWithoutCamera(patient, visit);
  const { page: doctor } = await someone({ viewport: desktop });
  await comeAsDoctor(doctor, visit);
  await Promise.all([expectVideo(patient), expectSound(patient)]);
  for (const what of ['camera off', 'muted'] as const) await expect(seenOff(doctor, what)).toBeVisible();
  await say(patient, 'I can see and hear you.');
  await reads(doctor, 'I can see and hear you.');
  await button(patient, 'Close chat').click();

  // The microphone is used; who has continued without a camera is asked.
  await keepNotice(patient, `${camera} was connected.`, () => devices.plugIn(camera, microphone));
  await expect(seenOff(doctor, 'muted')).toHaveCount(0);
  await expect(seenOff(doctor, 'camera off')).toBeVisible();
  await button(patient, 'Use it').click();
  await Promise.all([expectVideo(doctor), expectSound(doctor)]);
  await expect(seenOff(doctor, 'camera off')).toHaveCount(0);
});

test('permission that is taken away during a visit and given again: the camera is used again without a reload', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 2 });
  const { page: patient, context } = await someone({ viewport: phone });
  const session = await context.newCDPSession(patient);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  const permit = async (setting: 'granted' | 'denied') => {
    for (const name of ['camera', 'microphone'])
      await session.send('Browser.setPermission', {
        permission: { name },
        setting,
        origin: demo.url,
        ...(targetInfo.browserContextId !== undefined && { browserContextId: targetInfo.browserContextId }),
      });
  };
  await permit('granted');
  await comeByLink(patient, visit);
  const { page: doctor } = await someone({ viewport: desktop });
  await comeAsDoctor(doctor, visit);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);

  await permit('denied');
  await expect(patient.getByRole('alertdialog', { name: 'Your camera was disconnected' })).toContainText(
    'It was unplugged, or your browser no longer allows it.',
  );
  await expect(seenOff(doctor, 'camera off')).toBeVisible();
  await expectVideo(patient);
  await permit('granted');
  await expect(patient.getByRole('alertdialog')).toHaveCount(0);
  await Promise.all([expectVideo(doctor), expectSound(doctor)]);
});

/** The speaker of the other person's sound; empty for the system's. */
const speakerOf = (page: Page) =>
  page
    .locator('.room-tile video')
    .first()
    .evaluate((video: HTMLVideoElement & { sinkId?: string }) => video.sinkId);

test('speaker: is chosen in the settings, and the system’s is used when it is gone', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 3 });
  const { page: patient } = await someone({ viewport: phone });
  await comeByLink(patient, visit);
  const { page: doctor } = await someone({ viewport: desktop });
  await comeAsDoctor(doctor, visit);
  await expectVideo(doctor);
  expect(await speakerOf(doctor)).toBe('');
  await button(doctor, 'Settings').click();
  const speaker = doctor.getByRole('combobox', { name: 'Speaker' });
  await expect(speaker).toHaveText('System default');
  await speaker.click();
  await doctor.getByRole('option', { name: 'Fake Audio Output 2' }).click();
  await expect(speaker).toHaveText('Fake Audio Output 2');
  await expect.poll(() => speakerOf(doctor)).not.toBe('');
  const chosen = await speakerOf(doctor);
  await button(doctor, 'Play test sound').click();
  await button(doctor, 'Done').click();

  await doctor.addInitScript((gone) => {
    const { setSinkId } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.setSinkId = function (id) {
      return id === gone ? Promise.reject(new DOMException('', 'NotFoundError')) : setSinkId.call(this, id);
    };
  }, chosen);
  await doctor.reload();
  await expectVideo(doctor);
  await expectSound(doctor);
  expect(await speakerOf(doctor)).toBe('');
});

test('browser that plays no sound without a tap: shows the video silently, and one tap turns the sound on', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 4 });
  const args = CALL_FLAGS.map((flag) =>
    flag.startsWith('--autoplay-policy') ? '--autoplay-policy=user-gesture-required' : flag,
  );
  const browser = await chromium.launch({ ...findChromium(), args });
  try {
    const { page: patient } = await someone({ viewport: phone, browser });
    // A page with a camera may play sound.
    await useRemovableDevices(patient, []);
    await comeWithoutCamera(patient, visit);
    // A tap counts for five seconds, and so does each look of the test at the page.
    await patient.waitForTimeout(7_000);
    const { page: doctor } = await someone({ viewport: desktop });
    await comeAsDoctor(doctor, visit);
    await expect(seenOff(doctor, 'camera off')).toBeVisible();
    // Then the patient's page has the doctor's stream.
    const link = () =>
      doctor.evaluate(
        () =>
          (globalThis as unknown as { madeConnections: RTCPeerConnection[] }).madeConnections.at(-1)?.connectionState,
      );
    await expect.poll(link).toBe('connected');
    await doctor.waitForTimeout(2_000);
    const tap = button(patient, 'Tap for sound');
    await expect(tap).toBeVisible();
    await expectAccessible(patient);
    const video = patient.locator('.room-tile video');
    const state = () => video.evaluate(({ muted, paused }: HTMLVideoElement) => ({ muted, paused }));
    expect(await state()).toEqual({ muted: true, paused: false });
    await tap.click();
    await expect(tap).toHaveCount(0);
    expect(await state()).toEqual({ muted: false, paused: false });
  } finally {
    await browser.close();
  }
});

test('browser that has no small windows with tools: shows the video in one', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 5 });
  const { page: patient } = await someone({ viewport: phone });
  await comeByLink(patient, visit);
  const { page: doctor } = await someone({ viewport: desktop });
  await doctor.addInitScript(() => {
    Object.defineProperty(globalThis, 'documentPictureInPicture', { value: undefined });
  });
  await comeAsDoctor(doctor, visit);
  await expectVideo(doctor);
  const shown = () => doctor.evaluate(() => document.pictureInPictureElement?.getAttribute('aria-label'));
  await button(doctor, 'Show the visit in a small window').click();
  await expect.poll(shown).toBe(visit.patientName);
  const frames = await framesOf(doctor);
  await expect.poll(() => framesOf(doctor)).toBeGreaterThan(frames);
  await button(doctor, 'Show the visit in a small window').click();
  await expect.poll(shown).toBeUndefined();
});
