import type { Page } from '@playwright/test';
import { soundSamples } from './support/faults.ts';
import { standBetween } from './support/stand-between.ts';
import { expect, expectAccessible, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, type MadeVisit, watchCalls } from './support/visit.ts';

async function meet(doctor: Page, patient: Page, visit: MadeVisit): Promise<void> {
  for (const page of [doctor, patient]) await watchCalls(page);
  await signIn(doctor, 'doctor@demo.test');
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(patient.getByLabel('Your video')).toBeVisible();
  await doctor.goto(`/#/appointment/${visit.uid}`);
}

/** The two words that a page shows. */
async function wordsOn(page: Page): Promise<string> {
  await page.getByRole('button', { name: /^Verification words with/ }).click();
  const words = page.getByText(/^[a-z]+ [a-z]+$/);
  await expect(words).toBeVisible();
  return words.innerText();
}

test('verification words: are the same on both sides, and explained', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 3 });
  const [{ page: doctor }, { page: patient }] = [await someone(), await someone({ viewport: phone })];
  await meet(doctor, patient, visit);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  const words = await wordsOn(doctor);
  expect(await wordsOn(patient)).toBe(words);
  await expect(patient.getByText(/Read these words to each other/)).toBeVisible();
  await expectAccessible(patient);
  await patient.keyboard.press('Escape');
  await expect(patient.getByText(words)).toBeHidden();
});

test('verification words with someone in between: differ, although sound and video arrive', async ({
  someone,
  demo,
  browser,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 4 });
  const [{ page: doctor }, { page: patient }] = [await someone(), await someone({ viewport: phone })];
  const between = await browser.newPage();
  await standBetween(between, [doctor, patient]);
  await meet(doctor, patient, visit);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  expect(await wordsOn(doctor)).not.toBe(await wordsOn(patient));
  await between.close();
});

test('poor network: the quality is shown with advice; video off saves data on both sides, until it is turned on', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 5 });
  const [{ page: doctor }, { page: patient }] = [await someone(), await someone({ viewport: phone })];
  await meet(doctor, patient, visit);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  const mark = patient.getByRole('button', { name: / connection with / });
  await mark.click();
  await expectAccessible(patient);
  await patient.getByRole('button', { name: 'Turn video off to save data' }).click();
  await expect(doctor.getByRole('img', { name: 'camera off' })).toBeVisible();
  const sends = () =>
    doctor.evaluate(async () => {
      const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
      const stats = [...((await madeConnections.at(-1)?.getStats())?.values() ?? [])];
      return stats.find(({ type, kind }) => type === 'outbound-rtp' && kind === 'video')?.active;
    });
  await expect.poll(sends).toBe(false);
  await patient.getByRole('button', { name: 'Turn video on' }).click();
  await expect.poll(sends).toBe(true);
  await expect(doctor.getByRole('img', { name: 'camera off' })).toHaveCount(0);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
});

test('sound: is sent by RED, with Opus and its error correction, at high priority', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 6 });
  const [{ page: doctor }, { page: patient }] = [await someone(), await someone({ viewport: phone })];
  await meet(doctor, patient, visit);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  for (const page of [doctor, patient]) {
    const { codec } = await soundSamples(page);
    const readSound = () =>
      page.evaluate(() => {
        const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
        const pc = madeConnections.at(-1);
        const sender = pc?.getSenders().find(({ track }) => track?.kind === 'audio');
        const { echoCancellation, noiseSuppression, autoGainControl } = sender?.track?.getSettings() ?? {};
        return {
          priority: sender?.getParameters().encodings[0]?.priority,
          fec: /a=fmtp:\d+ .*useinbandfec=1/.test(pc?.remoteDescription?.sdp ?? ''),
          cleaned: [echoCancellation, noiseSuppression, autoGainControl],
        };
      });
    expect(codec).toBe('red');
    // A negotiation in progress refuses the priority; the page sets it again with its next sample.
    await expect.poll(readSound).toEqual({ priority: 'high', fec: true, cleaned: [true, true, true] });
  }
});
