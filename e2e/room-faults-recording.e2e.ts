import type { Page } from '@playwright/test';
import { apiAs } from './support/api.ts';
import { lasts, record, withLongFaults } from './support/faults.ts';
import { button, comeAsDoctor, comeByLink } from './support/guests.ts';
import { expect, phone, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo } from './support/visit.ts';

test.skip(!withLongFaults, 'runs in npm run test:faults');

interface Listed {
  data: { blobs: { started: string; stopped: string }[] }[];
}

const sign = (page: Page, text: string) => page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) });

test('recording of more than one segment: the first is uploaded while the visit goes on, and nothing is missing between them', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 9 });
  const { page: patient } = await someone({ viewport: phone });
  await comeByLink(patient, visit);
  const { page: doctor } = await someone();
  await comeAsDoctor(doctor, visit);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  await button(doctor, 'Record this visit').click();
  await patient
    .getByRole('alertdialog', { name: 'Your provider would like to record this visit.' })
    .getByRole('button', { name: 'Allow', exact: true })
    .click();
  for (const page of [doctor, patient]) await expect(sign(page, 'Recording')).toBeVisible();

  const api = await apiAs(demo, 'doctor@demo.test');
  const list = async () =>
    (await api<Listed>('GET', `/api/appointments/${visit.appointmentId}/recordings`)).data.map(({ blobs }) => blobs);
  await lasts(doctor, 120);
  await expect.poll(async () => (await list()).map(({ length }) => length), { timeout: 30_000 }).toEqual([1, 1]);
  for (const page of [doctor, patient]) await expect(sign(page, 'Recording')).toBeVisible();
  await lasts(doctor, 5);
  await button(doctor, 'Stop recording').click();
  await expect(doctor.getByRole('status').filter({ hasText: 'The recording has been uploaded.' })).toBeVisible();

  const tracks = await list();
  expect(tracks.map(({ length }) => length)).toEqual([2, 2]);
  const gaps = tracks.map(
    ([first, second]) => (Date.parse(second?.started ?? '') - Date.parse(first?.stopped ?? '')) / 1000,
  );
  record('recording of more than one segment', { 'longest gap, s': Math.max(...gaps) });
  expect(Math.max(...gaps)).toBeLessThanOrEqual(0);

  // The viewer plays from one segment into the next.
  await button(doctor, 'End the call').click();
  await doctor.getByRole('alertdialog').getByRole('button', { name: 'Finish call' }).click();
  await doctor.getByRole('link', { name: 'Recordings' }).click();
  await expect(doctor.getByRole('figure')).toHaveCount(2);
  const lengths = tracks.map(([first]) => (Date.parse(first?.stopped ?? '') - Date.parse(first?.started ?? '')) / 1000);
  for (const length of lengths) expect(Math.abs(length - 120)).toBeLessThan(2);
  const durations = () =>
    doctor.locator('.rec-tile video').evaluateAll((all: HTMLVideoElement[]) => all.map(({ duration }) => duration));
  await expect.poll(async () => (await durations()).every((one) => Math.abs(one - 120) < 2)).toBe(true);
});
