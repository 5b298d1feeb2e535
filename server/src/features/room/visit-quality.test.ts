import { randomUUID } from 'node:crypto';
import { getVisitQuality, saveVisitQuality, type VisitQuality } from '@roomside/contract/room/calls.ts';
import { expect, test } from 'vitest';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context } = app;

const measured: VisitQuality = {
  page: randomUUID(),
  lossAverage: 0.02,
  lossWorst: 0.3,
  rttAverageMs: 60,
  rttWorstMs: 400,
  jitterAverageMs: 8,
  jitterWorstMs: 90,
  concealedAverage: 0.01,
  concealedWorst: 0.2,
  freezes: 3,
  relayed: true,
  interruptions: 1,
  restarts: 2,
  goodSeconds: 60,
  fairSeconds: 4,
  poorSeconds: 0,
};

async function buildVisit() {
  const { companyId } = await buildCompany(context);
  const { email } = await buildUser(context, { companyId, password });
  const appointment = await buildAppointment(context, { companyId });
  const doctor = await app.signIn({ email, password });
  const patient = await app.signInPatient(appointment.accessCode);
  const params = { uid: appointment.appointmentUid };
  const read = async () => (await doctor.call(getVisitQuality, { params })).json.data;
  return { companyId, appointment, doctor, patient, params, read };
}

test('quality of a visit: a page replaces its own row, a reload adds one, the worse side is shown', async () => {
  const { doctor, patient, params, read, companyId, appointment } = await buildVisit();
  expect(await read()).toBeNull();
  await patient.call(saveVisitQuality, { params, body: { ...measured, goodSeconds: 30 } });
  await patient.call(saveVisitQuality, { params, body: measured });
  await patient.call(saveVisitQuality, {
    params,
    body: { ...measured, page: randomUUID(), poorSeconds: 10, relayed: false },
  });
  await doctor.call(saveVisitQuality, { params, body: { ...measured, page: randomUUID(), interruptions: 9 } });
  expect(await read()).toEqual({
    goodSeconds: 120,
    fairSeconds: 8,
    poorSeconds: 10,
    interruptions: 2,
    relayed: true,
  });
  const rows = await context.db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .selectFrom('visit_quality')
      .select(['role_id', 'loss_worst', 'rtt_average_ms'])
      .where('appointment_id', '=', appointment.appointmentId)
      .orderBy('role_id')
      .execute(),
  );
  expect(rows.map((row) => row.role_id)).toEqual(['D', 'P', 'P']);
  expect(rows[0]).toMatchObject({ loss_worst: 0.3, rtt_average_ms: 60 });
});

test('quality of a visit: more pages than a person loads are dropped', async () => {
  const { patient, params, read } = await buildVisit();
  for (let index = 0; index < 52; index += 1)
    await patient.call(saveVisitQuality, { params, body: { ...measured, page: randomUUID(), goodSeconds: 1 } });
  expect((await read())?.goodSeconds).toBe(50);
});

test('quality of a visit: values that cannot be are refused', async () => {
  const { patient, params } = await buildVisit();
  const { status } = await patient.call(saveVisitQuality, { params, body: { ...measured, lossAverage: 1.5 } });
  expect(status).toBe(422);
});
