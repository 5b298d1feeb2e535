import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type { Page } from '@playwright/test';
import { apiAs } from './support/api.ts';
import { holdReading } from './support/hold-reading.ts';
import { desktop, expect, expectAccessible, keepNotice, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, type MadeVisit, watchCalls } from './support/visit.ts';

async function meet(patient: Page, doctor: Page, visit: MadeVisit): Promise<void> {
  await watchCalls(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await watchCalls(doctor);
  await signIn(doctor, 'doctor@demo.test');
  await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(doctor);
  await expectVideo(patient);
}

/** Lets the doctor send a file of these bytes from the disk: from this process, their transfer would keep the page busy for seconds. */
async function sendFile(doctor: Page, name: string, content: Buffer): Promise<void> {
  const file = test.info().outputPath(name);
  fs.writeFileSync(file, content);
  await panel(doctor).getByLabel('Send a file').last().setInputFiles(file);
}

interface Listed {
  data: { name: string }[];
}

const panel = (page: Page) => page.getByRole('complementary', { name: 'Files' });
const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('files of a visit: uploaded and shared by staff, downloaded by the patient @CALL-15 @STATE-26 @ENTITY-9 @ABOUT-4', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 4 });
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone({ viewport: desktop });
  await meet(patient, doctor, visit);

  await doctor.keyboard.press('a');
  await expect(panel(doctor).getByText('No files yet')).toBeVisible();
  await expectAccessible(doctor);
  const content = randomBytes(300_000);
  // The first upload waits, so that its progress can be seen.
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await doctor.route('**/files?name=Plan.pdf', async (route) => {
    await held;
    await route.continue();
  });
  const upload = doctor.waitForRequest('**/files?name=Notes.txt');
  await panel(doctor)
    .getByLabel('Upload files')
    .last()
    .setInputFiles([
      { name: 'Plan.pdf', mimeType: 'application/pdf', buffer: Buffer.concat([Buffer.from('%PDF-1.7\n'), content]) },
      { name: 'Notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Take one a day.') },
    ]);
  await expect(panel(doctor).getByRole('progressbar', { name: 'Uploading Plan.pdf' })).toBeVisible();
  await expect(doctor.getByRole('progressbar', { name: /^Uploading 1 file, \d+%$/ })).toBeVisible();
  // Other pages are free; the sign-out, which would end the upload, asks.
  await doctor.goto('/#/logout');
  const stay = doctor.getByRole('alertdialog', { name: 'Files are still being uploaded.' });
  await stay.getByRole('button', { name: 'Stay signed in' }).click();
  await expect(panel(doctor)).toBeVisible();
  release();
  await expect(panel(doctor).getByRole('button', { name: 'Download Plan.pdf' })).toBeVisible();
  await expect(row(doctor, 'Plan.pdf')).toHaveCount(1);
  await expect(row(doctor, 'Plan.pdf')).toContainText('293 kB');
  expect((await upload).headers()['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  await expect(panel(doctor).getByRole('button', { name: 'Download Notes.txt' })).toBeVisible();
  await expect(panel(doctor).getByRole('progressbar')).toHaveCount(0);

  // Pasted and dropped files are uploaded too.
  await doctor.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['pasted'], 'image.png', { type: 'image/png' }));
    dispatchEvent(new ClipboardEvent('paste', { clipboardData: data }));
    const dropped = new DataTransfer();
    dropped.items.add(new File(['dropped'], 'Dropped.txt', { type: 'text/plain' }));
    dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, cancelable: true }));
  });
  await expect(panel(doctor).getByText(/^Pasted .+\.png$/)).toBeVisible();
  await expect(panel(doctor).getByText('Dropped.txt')).toBeVisible();
  await expectAccessible(doctor);

  // Cells of a spreadsheet are a picture, too: a field takes their text.
  const isTaken = await doctor.evaluate(() => {
    const field = document.body.appendChild(document.createElement('textarea'));
    const data = new DataTransfer();
    data.setData('text/plain', '120/80');
    data.items.add(new File(['cells'], 'cells.png', { type: 'image/png' }));
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    field.dispatchEvent(event);
    field.remove();
    return event.defaultPrevented;
  });
  expect(isTaken).toBe(false);
  await expect(panel(doctor).getByText('cells.png')).toHaveCount(0);

  const share = panel(doctor).getByRole('button', { name: 'Share Plan.pdf with the patient' });
  await keepNotice(patient, 'Your clinic shared a file with you.', () => share.click());
  await expect(share).toHaveAttribute('aria-pressed', 'true');
  await patient.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(panel(patient).getByRole('listitem')).toHaveCount(1);
  await expect(panel(patient).getByRole('button', { name: /Upload|Share|Delete|Send/ })).toHaveCount(0);
  await expectAccessible(patient);
  const [download] = await Promise.all([
    patient.waitForEvent('download'),
    panel(patient).getByRole('button', { name: 'Download Plan.pdf' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Plan.pdf');
  const loaded = fs.readFileSync(await download.path());
  expect(sha256(loaded)).toBe(sha256(Buffer.concat([Buffer.from('%PDF-1.7\n'), content])));

  await expect(row(doctor, 'Plan.pdf')).toContainText(/Downloaded by the patient/);
  const api = await apiAs(demo, 'doctor@demo.test');
  const uid = expect.stringMatching(/^[0-9a-f]{32}$/);
  const { data } = await api<Listed>('GET', `/api/appointments/${visit.appointmentId}/files`);
  expect(data.find(({ name }) => name === 'Plan.pdf')).toMatchObject({
    fileId: expect.any(Number),
    fileUid: uid,
    size: 300_009,
    downloaded: expect.stringMatching(/^\d{4}-/),
  });
  await keepNotice(doctor, 'A picture has been taken', () =>
    doctor.getByRole('button', { name: 'Take picture' }).click(),
  );
  const photos = await api<Listed>('GET', `/api/patients/${visit.patientId}/photos`);
  expect(photos.data[0]).toMatchObject({
    fileId: expect.any(Number),
    fileUid: uid,
    name: expect.stringMatching(/\.jpg$/),
    uploaded: expect.stringMatching(/^\d{4}-/),
    patientId: visit.patientId,
  });

  await share.click();
  await expect(panel(patient).getByText('No files yet')).toBeVisible();
  await share.click();
  await expect(panel(patient).getByText('No files yet')).toHaveCount(0);

  await panel(doctor).getByRole('button', { name: 'Delete Plan.pdf' }).click();
  const question = doctor.getByRole('alertdialog');
  await expect(question).toContainText('Would you like to delete this file?');
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(row(doctor, 'Plan.pdf')).toHaveCount(0);
  await expect(panel(patient).getByText('No files yet')).toBeVisible();

  // The same files are in the appointment's form.
  await doctor.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  const section = doctor.getByRole('region', { name: 'Files' });
  await expect(section.getByRole('button', { name: 'Download Notes.txt' })).toBeVisible();
});

test('a file from device to device: 20 MB arrive as they were; prints the speed beside that of a bare data channel @ABOUT-4', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 0 });
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone({ viewport: desktop });
  await meet(patient, doctor, visit);
  const content = randomBytes(20 * 1024 * 1024);
  await doctor.keyboard.press('a');
  await keepNotice(patient, 'is sending you Scan.bin', () => sendFile(doctor, 'Scan.bin', content));
  await patient.getByRole('button', { name: 'Show', exact: true }).click();
  await expectAccessible(patient);
  await expect(patient.getByRole('button', { name: 'Accept Scan.bin' })).toBeVisible();
  // The first bytes of a connection are slow.
  await bareTime(doctor, patient, content.length, 20);
  const ours = await acceptTime(patient);
  const bare = await bareTime(doctor, patient, content.length, 21);
  await expect(row(doctor, 'Scan.bin').getByText('Delivered')).toBeVisible();
  const [download] = await Promise.all([
    patient.waitForEvent('download'),
    panel(patient).getByRole('button', { name: 'Save Scan.bin' }).click(),
  ]);
  expect(sha256(fs.readFileSync(await download.path()))).toBe(sha256(content));

  const speed = (ms: number) => `${(content.length / ms / 1000).toFixed(1)} MB/s`;
  // oxlint-disable-next-line no-console -- prints the figure.
  console.log(`file transfer: ${speed(ours)}, bare channel ${speed(bare)}, ratio ${(bare / ours).toFixed(2)}`);
});

test('a file from device to device whose connection breaks: goes on over the next connection, and arrives as it was', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 7 });
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone({ viewport: desktop });
  await meet(patient, doctor, visit);
  const content = randomBytes(30 * 1024 * 1024);
  await doctor.keyboard.press('a');
  await keepNotice(patient, 'is sending you Scan.bin', () => sendFile(doctor, 'Scan.bin', content));
  await patient.getByRole('button', { name: 'Show', exact: true }).click();
  const reading = await holdReading(doctor, 6 * 1024 * 1024);
  await patient.getByRole('button', { name: 'Accept Scan.bin' }).click();
  await expect.poll(reading.isHeld).toBe(true);
  await patient.evaluate(() => (globalThis as unknown as Scope).madeConnections.at(-1)?.close());
  await reading.release();
  await expect(row(doctor, 'Scan.bin').getByText('Delivered')).toBeVisible({ timeout: 120_000 });
  const [download] = await Promise.all([
    patient.waitForEvent('download'),
    panel(patient).getByRole('button', { name: 'Save Scan.bin' }).click(),
  ]);
  expect(sha256(fs.readFileSync(await download.path()))).toBe(sha256(content));
  // Over another connection than the one that it began on.
  const connections = await doctor.evaluate(() => (globalThis as unknown as Scope).madeConnections.length);
  expect(connections).toBeGreaterThan(1);
  await expectVideo(doctor);
});

/** Accepts the file. Returns how long it takes until the page says that it has arrived, ms. */
function acceptTime(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const began = performance.now();
        const observer = new MutationObserver(() => {
          if (!document.querySelector('.room-transfers')?.textContent?.includes('Received')) return;
          observer.disconnect();
          resolve(performance.now() - began);
        });
        observer.observe(document.body, { childList: true, subtree: true, characterData: true });
        (document.querySelector('[aria-label="Accept Scan.bin"]') as HTMLButtonElement).click();
      }),
  );
}

interface Scope {
  madeConnections: RTCPeerConnection[];
  /** How long it took from the first to the last byte, ms. */
  arrived: Promise<number>;
}

/** Sends as many bytes by a bare data channel of the same connection, in the same chunks. Returns how long they take, ms. */
async function bareTime(from: Page, to: Page, bytes: number, id: number): Promise<number> {
  await to.evaluate(
    ([total, channelId]) => {
      const scope = globalThis as unknown as Scope;
      const connection = scope.madeConnections.findLast((one) => one.connectionState === 'connected');
      const channel = connection?.createDataChannel('bare', { negotiated: true, id: channelId });
      let received = 0;
      let began = 0;
      scope.arrived = new Promise((resolve) => {
        channel?.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
          began ||= performance.now();
          received += data.byteLength;
          if (received >= total) resolve(performance.now() - began);
        });
      });
      if (channel) channel.binaryType = 'arraybuffer';
    },
    [bytes, id] as const,
  );
  await from.evaluate(
    async ([total, channelId]) => {
      const { madeConnections } = globalThis as unknown as Scope;
      const connection = madeConnections.findLast((one) => one.connectionState === 'connected');
      const channel = connection?.createDataChannel('bare', { negotiated: true, id: channelId });
      if (!channel) return;
      channel.bufferedAmountLowThreshold = 256 * 1024;
      const next = (event: string) =>
        new Promise((resolve) => channel.addEventListener(event, resolve, { once: true }));
      if (channel.readyState !== 'open') await next('open');
      const chunk = new Uint8Array(16 * 1024);
      for (let sent = 0; sent < total; sent += chunk.length) {
        if (channel.bufferedAmount > 1024 * 1024) await next('bufferedamountlow');
        channel.send(chunk);
      }
    },
    [bytes, id] as const,
  );
  return to.evaluate(() => (globalThis as unknown as Scope).arrived);
}
