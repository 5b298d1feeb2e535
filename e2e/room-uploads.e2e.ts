import type { Page, Request } from '@playwright/test';
import { apiAs } from './support/api.ts';
import { withCompany } from './support/company.ts';
import { expectRecorded, storedSegments } from './support/recording.ts';
import { expect, expectToast, keepNotice, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, watchCalls } from './support/visit.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** The uploads of recordings that a page has sent; fails when two run at the same time. */
function followUploads(page: Page) {
  const sent: Request[] = [];
  let running = 0;
  let most = 0;
  const isUpload = (request: Request) => request.url().includes('/api/recordings?');
  page.on('request', (request) => {
    if (!isUpload(request)) return;
    sent.push(request);
    running += 1;
    most = Math.max(most, running);
  });
  const end = (request: Request) => {
    if (isUpload(request)) running -= 1;
  };
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  return { sent, most: () => most };
}

/** Collects the percentages that the bar shows. */
const watchPercents = (page: Page) =>
  page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(globalThis, { percentsSeen: seen });
    const look = () => {
      const value = document.querySelector<HTMLProgressElement>(
        '.room-upload[data-status="uploading"] progress',
      )?.value;
      if (value !== undefined && value !== seen.at(-1)) seen.push(value);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
const percentsOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { percentsSeen: number[] }).percentsSeen);

test('recording: waits for its end or for an empty room, then uploads one segment after another with progress @STATE-18 @CALL-13', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 0 });
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor, context } = await someone();
  await watchCalls(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await watchCalls(doctor);
  await signIn(doctor, 'doctor@demo.test');
  await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();

  // Only where the company allows it.
  await withCompany(demo, { allowRecording: false }, async () => {
    await doctor.goto(`/#/appointment/${visit.uid}`);
    await expectVideo(doctor);
    await expect(button(doctor, 'Mute')).toBeVisible();
    await expect(button(doctor, 'Record this visit')).toHaveCount(0);
  });
  await doctor.reload();
  await expectVideo(doctor);
  // Only for providers, in a browser that can.
  await expect(button(patient, 'Record this visit')).toHaveCount(0);
  const staff = await apiAs(demo, 'staff@demo.test');
  expect(await staff('GET', `/api/teleappointments/${visit.uid}`)).toMatchObject({ canRecord: false });
  await doctor.evaluate(() => {
    const recorder = globalThis.MediaRecorder;
    Object.assign(globalThis, {
      MediaRecorder: undefined,
      restoreRecorder: () => Object.assign(globalThis, { MediaRecorder: recorder }),
    });
  });
  await keepNotice(doctor, 'The recording functionality is not supported', () =>
    button(doctor, 'Record this visit').click(),
  );
  await button(doctor, 'Close').click();
  await doctor.evaluate(() => (globalThis as unknown as { restoreRecorder: () => void }).restoreRecorder());

  const uploads = followUploads(doctor);
  const began = Date.now();
  await button(doctor, 'Record this visit').click();
  await patient.getByRole('alertdialog').getByRole('button', { name: 'Allow', exact: true }).click();
  for (const page of [doctor, patient]) await expect(page.locator('.room-recording')).toHaveText('Recording');
  await expectRecorded(doctor, 3_000);
  expect(uploads.sent).toEqual([]);

  // A slow way to the server until the progress was seen: on a busy machine much may have been recorded.
  const line = await context.newCDPSession(doctor);
  const limitUploads = (uploadThroughput: number) =>
    line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  await limitUploads(60_000);
  await watchPercents(doctor);
  await patient.goto('/#/waiting-room');
  const between = async () => (await percentsOf(doctor)).filter((percent) => percent > 0 && percent < 100).length;
  await expect.poll(between, { timeout: 60_000 }).toBeGreaterThan(2);
  await limitUploads(-1);
  // No one else is in the room: what was recorded is uploaded, without an action.
  await expect.poll(() => storedSegments(doctor), { timeout: 60_000 }).toBe(0);
  await expectToast(doctor, 'The recording has been uploaded.');
  const most = Date.now() - began;
  expect(uploads.sent).toHaveLength(2);
  expect(uploads.most()).toBe(1);
  const percents = await percentsOf(doctor);
  // Once less, at most: the second track may be stored when the first one is on its way.
  const falls = percents.filter((percent, index) => percent < (percents[index - 1] ?? 0));
  expect(falls.length).toBeLessThanOrEqual(1);
  const queries = uploads.sent.map((request) => Object.fromEntries(new URL(request.url()).searchParams));
  const fields = {
    appointmentUid: visit.uid,
    serial: expect.stringMatching(/^[\w-]{8,}$/),
    device: expect.any(String),
  };
  expect(queries).toContainEqual(expect.objectContaining({ ...fields, roleId: 'P', userId: String(visit.patientId) }));
  expect(queries).toContainEqual(expect.objectContaining({ ...fields, roleId: 'D' }));
  for (const { started = '', stopped = '' } of queries) {
    const length = Date.parse(stopped) - Date.parse(started);
    expect(length).toBeGreaterThanOrEqual(3_000);
    expect(length).toBeLessThan(most);
  }
  for (const request of uploads.sent) {
    expect([request.method(), request.headers()['content-type']]).toEqual([
      'POST',
      expect.stringMatching(/^(video|audio)\//),
    ]);
    expect((await request.response())?.status()).toBe(200);
  }

  // From then on everyone sees that the visit was recorded.
  await button(doctor, 'Stop recording').click();
  await patient.goto(`/#/appointment/${visit.uid}/pt`);
  for (const page of [doctor, patient]) await expect(page.locator('.room-recording')).toHaveText('Recorded');
});
