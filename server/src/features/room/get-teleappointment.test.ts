import { createHmac } from 'node:crypto';
import { getTeleappointment } from '@roomside/contract/room/calls.ts';
import { expect, test } from 'vitest';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';

const app = await startTestApp({
  env: { TURN_URLS: 'stun:turn.test:3478, turn:turn.test:3478', TURN_SECRET: 'relay-secret' },
});
const { context, clock } = app;

test('getTeleappointment: returns the appointment, the limit, the right to record and TURN credentials that expire @ENTITY-19 @CALL-8', async () => {
  const { companyId } = await buildCompany(context, { visitLimit: 30 });
  const { email } = await buildUser(context, { companyId, password });
  const appointment = await buildAppointment(context, { companyId });
  const doctor = await app.signIn({ email, password });
  const { json } = await doctor.call(getTeleappointment, { params: { uid: appointment.appointmentUid } });
  expect(json).toMatchObject({
    appointment: { appointmentId: appointment.appointmentId, ended: false },
    limit: 30,
    canRecord: false,
  });
  const [stun, turn] = json.iceServers;
  expect(stun).toEqual({ urls: ['stun:turn.test:3478'] });
  const [expiry, bound] = (turn?.username ?? '').split(':');
  expect(bound).toBe(appointment.appointmentUid);
  expect(Number(expiry) * 1000 - clock.now()).toBeLessThanOrEqual(3_600_000);
  expect(turn?.credential).toBe(
    createHmac('sha1', 'relay-secret')
      .update(turn?.username ?? '')
      .digest('base64'),
  );
  expect(JSON.stringify(json)).not.toContain('relay-secret');
});
