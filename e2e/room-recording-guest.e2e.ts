import type { Page } from '@playwright/test';
import { apiAs } from './support/api.ts';
import { button, comeAsDoctor, comeByLink, invite, join } from './support/guests.ts';
import { expectRecorded } from './support/recording.ts';
import { expect, expectToast, phone, test } from './support/story.ts';
import { buildAppointmentInRoom, expectMediaOf, watchCalls } from './support/visit.ts';

const question = (page: Page) =>
  page.getByRole('alertdialog', { name: 'Your provider would like to record this visit.' });
const sign = (page: Page, text: string) => page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) });

interface Listed {
  data: { blobs: { started: string; stopped: string }[] }[];
}

test('visit of three is recorded: patient and guest allow it, and each has a track with their name', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 4 });
  const { page: doctor } = await someone();
  await comeAsDoctor(doctor, visit);
  const { page: patient } = await someone({ viewport: phone });
  await comeByLink(patient, visit);
  const link = await invite(doctor, { name: 'Maria Lopez', role: 'Interpreter' });
  await doctor.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  const { page: guest } = await someone({ viewport: phone });
  await watchCalls(guest);
  await join(guest, link, 'Maria Lopez');
  await Promise.all([doctor, patient, guest].map((page) => expectMediaOf(page, 2)));

  await button(doctor, 'Record this visit').click();
  await question(patient).getByRole('button', { name: 'Allow', exact: true }).click();
  // The guest has not answered.
  await expect(question(guest)).toBeVisible();
  await expect(sign(doctor, 'Asking to record…')).toBeVisible();
  await question(guest).getByRole('button', { name: 'Allow', exact: true }).click();
  for (const page of [doctor, patient, guest]) await expect(sign(page, 'Recording')).toBeVisible();
  await expectRecorded(doctor, 4_000, 3);
  await button(doctor, 'Stop recording').click();
  await expectToast(doctor, 'The recording has been uploaded.');
  for (const page of [doctor, patient, guest]) await expect(sign(page, 'Recorded')).toBeVisible();

  const api = await apiAs(demo, 'doctor@demo.test');
  const { data } = await api<Listed>('GET', `/api/appointments/${visit.appointmentId}/recordings`);
  expect(data.map(({ blobs }) => blobs.length)).toEqual([1, 1, 1]);
  await button(doctor, 'End the call').click();
  await doctor.getByRole('alertdialog').getByRole('button', { name: 'Finish call' }).click();
  await doctor.getByRole('link', { name: 'Recordings' }).click();
  const tiles = doctor.getByRole('figure');
  await expect(tiles).toHaveCount(3);
  for (const name of ['Maria Lopez (interpreter)', visit.patientName])
    await expect(tiles.filter({ hasText: name })).toHaveCount(1);
  const durations = () =>
    doctor.locator('.rec-tile video').evaluateAll((all: HTMLVideoElement[]) => all.map(({ duration }) => duration));
  const lengths = data
    .flatMap(({ blobs }) => blobs.map(({ started, stopped }) => (Date.parse(stopped) - Date.parse(started)) / 1000))
    .toSorted((a, b) => a - b);
  const areWhole = async () =>
    (await durations())
      .toSorted((a, b) => a - b)
      .map((duration, index) => Math.abs(duration - (lengths[index] ?? 0)) < 1);
  await expect.poll(areWhole).toEqual([true, true, true]);
  // Looked for in the page, from before it plays, because the recording lasts only a few seconds.
  const played = doctor.waitForFunction(
    () => {
      const videos = [...document.querySelectorAll<HTMLVideoElement>('.rec-tile video')];
      return videos.length === 3 && videos.every(({ currentTime }) => currentTime > 1);
    },
    undefined,
    { polling: 50 },
  );
  await Promise.all([played, button(doctor, 'Play all').click()]);
});
