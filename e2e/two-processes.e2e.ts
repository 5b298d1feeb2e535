import type { Page } from '@playwright/test';
import { apiAs, bookAppointment } from './support/api.ts';
import { limitDuring } from './support/machine.ts';
import { redisProgram, startProcesses } from './support/processes.ts';
import { expect, expectBriefly, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, framesOf, reads, say, watchCalls } from './support/visit.ts';

/** Maximum time of a page without its server after kill -9, ms, on an idle machine. */
const backWithin = 5_000;

/** Kills the server of the page; returns the time until it is reconnected, ms, which has a limit. The video has to continue. */
async function survives(page: Page, other: Page, kill: () => Promise<void>): Promise<number> {
  const pages = [page, other];
  const reconnect = async () => {
    const from = Date.now();
    await expectBriefly(page, 'The connection has been re-established.', () =>
      expectBriefly(page, 'Your connection is unstable. Trying to reconnect...', kill),
    );
    return Date.now() - from;
  };
  const { result: took, limit } = await limitDuring(page, backWithin, reconnect());
  // The same peer connections as before.
  for (const one of pages) {
    const frames = await framesOf(one);
    await expect.poll(() => framesOf(one)).toBeGreaterThan(frames);
  }
  expect(took).toBeLessThan(limit);
  return took;
}

const connectionsMade = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { madeConnections: unknown[] }).madeConnections.length);

test.describe('two processes over one database and Redis', () => {
  test.skip(redisProgram === null, 'redis-server is not installed');

  test('visit across two processes: shares calendars and waiting rooms, and survives kill -9 of either @STATE-8 @ROOM-9 @HUB-2', async ({
    someone,
    allow,
  }) => {
    allow(
      /WebSocket|Failed to fetch|ERR_CONNECTION|ERR_EMPTY|Failed to load resource|Connection disconnected|Failed to complete negotiation|Failed to start/,
    );
    const { one, two, stop } = await startProcesses();
    try {
      const visit = await buildAppointmentInRoom(one);
      const { page: doctor } = await someone({ url: one.url });
      await watchCalls(doctor);
      await signIn(doctor, 'doctor@demo.test');
      await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
      const { page: colleague } = await someone({ url: two.url });
      await signIn(colleague, 'admin@demo.test');
      const date = new Date(Date.now() + 100 * 86_400_000).toISOString().slice(0, 10);
      await colleague.goto(`/#/schedule/daily/${date}`);
      await expect(colleague.getByRole('group', { name: /Reyes/ })).toBeVisible();

      // A booking on one process appears in the calendar on the other.
      await bookAppointment(await apiAs(one, 'doctor@demo.test'), {
        doctor: 'Reyes',
        patient: 'Kowalski',
        date,
        time: '0900',
      });
      await expect(colleague.getByRole('link', { name: /^Kowalski.* 9:00 AM to / })).toBeVisible();

      const { page: patient } = await someone({ url: two.url, viewport: phone });
      await watchCalls(patient);
      const arrival = doctor.getByRole('dialog', { name: 'Patient Arrived' });
      // It stays while the pointer is over it.
      await Promise.all([arrival.hover(), patient.goto(`/#/link/${visit.accessCode}`)]);
      await arrival.getByRole('button', { name: 'See the Patient' }).click();
      await Promise.all([expectVideo(doctor), expectVideo(patient)]);
      await say(doctor, 'From the one to the other.');
      await reads(patient, 'From the one to the other.');

      const made = [await connectionsMade(doctor), await connectionsMade(patient)];
      const first = await survives(doctor, patient, () => one.kill());
      await one.start();
      const second = await survives(patient, doctor, () => two.kill());
      process.stdout.write(`\nBack after kill -9: doctor ${first} ms, patient ${second} ms\n`);
      expect([await connectionsMade(doctor), await connectionsMade(patient)]).toEqual(made);
      await two.start();

      await say(doctor, 'Still there?');
      await reads(patient, 'Still there?');
      // Both are on the remaining process; the end reaches the other side.
      await doctor.getByRole('button', { name: 'End the call' }).click();
      await doctor.getByRole('button', { name: 'Finish call' }).click();
      await expect(patient).toHaveURL(/#\/thank-you/);
      await expect(doctor).toHaveURL(new RegExp(`#/appointment-edit/${visit.patientId}/${visit.appointmentId}`));
    } finally {
      await stop();
    }
  });
});
