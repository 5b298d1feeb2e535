import { expect, expectBriefly, phone, signIn, test } from './support/story.ts';
import { onlyThrough, openLine, startTurn, turnProgram } from './support/turn.ts';
import { buildAppointmentInRoom, expectVideo, framesOf, watchCalls } from './support/visit.ts';

test.describe('lost connection', () => {
  test.skip(turnProgram === null, 'coturn is not installed');

  test('shows a notice, and the video returns with the connection @STATE-14 @STATE-22', async ({
    someone,
    startOwnDemo,
  }) => {
    const turn = await startTurn();
    const line = await openLine(turn.port);
    const demo = await startOwnDemo({
      TURN_URLS: `turn:127.0.0.1:${turn.port}?transport=udp`,
      TURN_SECRET: turn.secret,
    });
    try {
      const visit = await buildAppointmentInRoom(demo);
      const { page: doctor } = await someone({ url: demo.url });
      const { page: patient } = await someone({ url: demo.url, viewport: phone });
      await onlyThrough(doctor, turn.port);
      await onlyThrough(patient, line.port);
      for (const page of [doctor, patient]) await watchCalls(page);
      await signIn(doctor, 'doctor@demo.test');
      await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
      await patient.goto(`/#/link/${visit.accessCode}`);
      await doctor.goto(`/#/appointment/${visit.uid}`);
      await Promise.all([expectVideo(doctor), expectVideo(patient)]);

      await expectBriefly(doctor, 'The video link is lost. Reconnecting...', async () => {
        line.open = false;
      });
      // The room stays open.
      await expect(doctor).toHaveURL(new RegExp(visit.uid));
      line.open = true;
      const from = Date.now();
      await expect.poll(() => framesOf(doctor), { timeout: 90_000, intervals: [100] }).toBeGreaterThan(0);
      await expectVideo(doctor);
      await expectVideo(patient);
      test.info().annotations.push({ type: 'seconds until video', description: String((Date.now() - from) / 1000) });
    } finally {
      line.close();
      await turn.stop();
    }
  });
});
