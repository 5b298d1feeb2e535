import type { Page } from '@playwright/test';
import { desktop, expect, expectAccessibleEverywhere, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, framesOf, watchCalls } from './support/visit.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const theirs = '.room-tile video';

/**
 * How much neighboring pixels of an image differ; the fake camera's has sharp edges everywhere. All images are compared at the smallest size
 * that a browser without time sends.
 */
const sharpnessOf = (page: Page, selector: string) => page.locator(selector).first().evaluate(measure);

/** Runs in the page. */
function measure(image: Element): number {
  const canvas = document.createElement('canvas');
  const [width, height] = [80, 60];
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d');
  if (!context || !(image instanceof HTMLVideoElement || image instanceof HTMLImageElement)) return 0;
  context.drawImage(image, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  let sum = 0;
  for (let i = 4; i < data.length; i += 4) {
    const step = Math.abs((data[i + 1] ?? 0) - (data[i - 3] ?? 0));
    // Noise of the codec is no edge.
    if (step > 24) sum += step;
  }
  return sum / 1000;
}

/** Counts the negotiations of the page's connections from now on. */
const countNegotiations = (page: Page) =>
  page.evaluate(() => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    Object.assign(globalThis, { negotiations: 0 });
    const counted = globalThis as unknown as { negotiations: number };
    for (const one of madeConnections) one.addEventListener('signalingstatechange', () => (counted.negotiations += 1));
  });
const negotiationsOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { negotiations: number }).negotiations);

async function switchBlur(page: Page, on: boolean): Promise<void> {
  await button(page, 'Settings').click();
  const toggle = page.getByRole('switch', { name: 'Blur my background' });
  await expect(toggle).toBeChecked({ checked: !on });
  await toggle.click();
  await expect(toggle).toBeChecked({ checked: on });
  if (on) await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await button(page, 'Done').click();
}

test('background blur: others and pictures show it, until it is switched off; it is remembered', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 8 });
  const { page: patient } = await someone({ viewport: desktop });
  const { page: doctor, context } = await someone({ viewport: desktop });
  await watchCalls(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await watchCalls(doctor);
  await signIn(doctor, 'doctor@demo.test');
  await expect(doctor.getByRole('heading', { name: /Waiting/ })).toBeVisible();
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(doctor);
  await expectVideo(patient);
  const sharp = await sharpnessOf(doctor, theirs);
  expect(sharp).toBeGreaterThan(0);
  const isBlurred = async (page = doctor, selector = theirs) => (await sharpnessOf(page, selector)) < sharp / 4;
  await countNegotiations(patient);

  // On a busy machine the product ends the blur by itself, as it must: the rest cannot be seen there.
  let isTooSlow = false;
  const watching = patient
    .getByText(/this device is too slow/)
    .waitFor({ timeout: 0 })
    .then(() => {
      isTooSlow = true;
    })
    .catch(() => undefined);
  try {
    await switchBlur(patient, true);
    await expect.poll(() => isBlurred()).toBe(true);
    const before = await framesOf(doctor);
    await expect.poll(() => framesOf(doctor)).toBeGreaterThan(before + 10);
    // A browser that lacks time sends a smaller image, whose sides are rounded.
    expect(
      await doctor.locator(theirs).evaluate((video: HTMLVideoElement) => video.videoWidth / video.videoHeight),
    ).toBeCloseTo(4 / 3, 1);
    await expect.poll(() => isBlurred(patient, '.room-self video')).toBe(true);

    await button(patient, 'Turn camera off').click();
    await expect(doctor.getByRole('img', { name: 'camera off' })).toBeVisible();
    await button(patient, 'Turn camera off').click();
    await expect(doctor.getByRole('img', { name: 'camera off' })).toHaveCount(0);
    const shown = await framesOf(doctor);
    await expect.poll(() => framesOf(doctor)).toBeGreaterThan(shown + 10);
    await expect.poll(() => isBlurred()).toBe(true);

    // Another camera, and another size that staff ask for.
    const own = patient.locator('.room-self video');
    await button(patient, 'Settings').click();
    // There and back: the other one has no sharp edges.
    for (const camera of [2, 1]) {
      await patient.getByRole('combobox', { name: 'Camera' }).click();
      await patient.getByRole('option').nth(camera).click();
      await expect(patient.getByRole('option')).toHaveCount(0);
    }
    const preview = '.room-settings-preview video';
    await expect
      .poll(() => patient.locator(preview).evaluate((video: HTMLVideoElement) => video.currentTime))
      .toBeGreaterThan(0.5);
    await expect.poll(() => isBlurred(patient, preview)).toBe(true);
    await button(patient, 'Done').click();
    await button(doctor, `Options for ${visit.patientName}`).click();
    await doctor.getByRole('menuitem', { name: /QVGA/ }).click();
    await expect.poll(() => own.evaluate((video: HTMLVideoElement) => video.videoWidth)).toBe(320);
    await expect.poll(() => isBlurred(patient, '.room-self video')).toBe(true);
    const resized = await framesOf(doctor);
    await expect.poll(() => framesOf(doctor)).toBeGreaterThan(resized + 10);
    await expect.poll(() => isBlurred()).toBe(true);

    // A picture that staff take is sent by the patient's device.
    const uploading = patient.waitForResponse(/api\/photos/);
    await button(doctor, 'Take picture').click();
    expect((await uploading).status()).toBe(200);
    const photos = await context.newPage();
    await photos.goto(`/#/photo-list/${visit.patientId}`);
    const photo = photos.getByRole('main').getByRole('img');
    await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100);
    expect(await photo.evaluate(measure)).toBeLessThan(sharp / 4);
    await photos.close();

    await switchBlur(patient, false);
    await expect.poll(() => sharpnessOf(doctor, theirs)).toBeGreaterThan(sharp / 2);
    expect(await negotiationsOf(patient)).toBe(0);

    // Remembered on this device: nothing else is sent after a reload.
    await switchBlur(patient, true);
    await expect.poll(() => isBlurred()).toBe(true);
    await patient.reload();
    await expectVideo(doctor);
    await expect.poll(() => framesOf(doctor)).toBeGreaterThan(10);
    expect(await isBlurred()).toBe(true);
    await button(patient, 'Settings').click();
    await expect(patient.getByRole('switch', { name: 'Blur my background' })).toBeChecked();
  } catch (error) {
    if (!isTooSlow) throw error;
  }
  await patient.close();
  await watching;
  // Shown in the results: this was not tested.
  test.skip(isTooSlow, 'this machine was too slow for the blur, so the product switched it off');
});
