import { listAppointments, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { listUsers } from '@roomside/contract/users/calls.ts';
import { getArrivedCount } from '@roomside/contract/waiting-room/calls.ts';
import { expect, test } from 'vitest';
import { afterFile } from '../../../test/after-file.ts';
import { createTestDatabase } from '../../../test/database.ts';
import { startRoundTripCounter } from '../../../test/round-trips.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

const database = await createTestDatabase();
const counter = await startRoundTripCounter(database.application);
afterFile(counter.stop);
const app = await startTestApp({ database: { ...database, application: counter.connection } });

const { companyId } = await buildCompany(app.context, {});
const { userId: doctorId, email } = await buildUser(app.context, { companyId, role: 'D', password });
const { patientId } = await buildPatient(app.context, { companyId });
const doctor = await app.signIn({ email, password });

/** Returns the minimum over several calls: background work of the server can only add round trips. */
async function roundTripsOf(call: () => Promise<{ status: number }>): Promise<number> {
  let minimum = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 12; i += 1) {
    const before = counter.count();
    expect((await call()).status).toBe(200);
    minimum = Math.min(minimum, counter.count() - before);
  }
  return minimum;
}

test.each([
  ['to another time', 3_600_000],
  ['to another day', 86_400_000],
])('save that moves an appointment %s: needs three round trips to the database', async (_, step) => {
  const { appointmentId } = await buildAppointment(app.context, { companyId, patientId, doctorId });
  let version = 0;
  const move = async () => {
    const startDate = new Date(Date.UTC(2031, 0, 1, 12) + step * version).toISOString();
    const same = { cancelled: false, cancellationNotes: '', externalId: '', welcomeMessage: '' };
    const saved = await doctor.call(saveAppointment, {
      body: { appointmentId, version, startDate, doctorId, patientId, ...same },
    });
    ({ version } = saved.json);
    return saved;
  };
  expect(await roundTripsOf(move)).toBe(3);
});

test('page of a list with a known total: needs three round trips to the database', async () => {
  expect(await roundTripsOf(() => doctor.call(listAppointments, { query: { top: 50, skip: 0, total: 1 } }))).toBe(3);
});

test('page of users with a known total: needs two round trips to the database', async () => {
  const { email: adminEmail } = await buildUser(app.context, { companyId, role: 'A', password });
  const admin = await app.signIn({ email: adminEmail, password });
  expect(await roundTripsOf(() => admin.call(listUsers, { query: { top: 50, skip: 0, total: 1 } }))).toBe(2);
});

test('arrived count: needs at most three round trips to the database', async () => {
  expect(await roundTripsOf(() => doctor.call(getArrivedCount, {}))).toBeLessThanOrEqual(3);
});
