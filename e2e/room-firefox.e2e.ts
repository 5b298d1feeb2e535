import type { Page } from 'puppeteer-core';
import { firefoxProgram, openFirefox } from './support/firefox.ts';
import { expect, phone, signIn, test } from './support/story.ts';
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

const textOf = (page: Page) => page.evaluate(() => document.body.innerText);

async function openPage(browser: Awaited<ReturnType<typeof openFirefox>>): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage();
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
  test.setTimeout(120_000);
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
    await expect.poll(() => framesOf(patient), { timeout: 20_000 }).toBeGreaterThan(5);
    await expectVideo(doctor);
    await doctor.reload();
    await expect.poll(() => framesOf(doctor), { timeout: 20_000 }).toBeGreaterThan(5);
    await expectVideo(patient);

    await doctor.getByRole('button', { name: 'End the call' }).click();
    await doctor.getByRole('button', { name: 'Finish Call' }).click();
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
