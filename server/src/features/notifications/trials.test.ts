import { getAppointment, notifyAppointment, startInstantAppointment } from '@roomside/contract/appointments/calls.ts';
import { inviteGuest, sendGuestLink } from '@roomside/contract/guests/calls.ts';
import { trialMessagesPerDay } from '@roomside/contract/limits.ts';
import { cancelMyAppointment } from '@roomside/contract/my-appointments/calls.ts';
import { moveAppointment } from '@roomside/contract/schedule/calls.ts';
import { inviteUser, listUsers, saveUser } from '@roomside/contract/users/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRoom } from '../../../test/build-room.ts';
import { startAtNoon } from '../../../test/start-at-noon.ts';
import { startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildPatient, buildUser } from '../../demo/builders.ts';
import { deliveryTexts } from './texts.ts';

const app = await startTestApp({ demo: true });
const { context } = app;
startAtNoon(app.clock);
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
afterAll(() => owner.end());

/** A company that has signed up and has so many messages left today. Its patients have an email only. */
async function buildTrial(left: number) {
  const room = await buildRoom(app);
  const { companyId } = room.appointment;
  const leave = async (more: number, days = 0) => {
    const day = new Date(app.clock.now() - days * 86_400_000).toISOString().slice(0, 10);
    await owner.query(
      `insert into trials (company_id, day, messages) values ($1, $2, $3)
       on conflict (company_id) do update set day = excluded.day, messages = excluded.messages`,
      [companyId, day, trialMessagesPerDay - more],
    );
  };
  await leave(left);
  const book = async () => {
    const { patientId } = await buildPatient(context, {
      companyId,
      email: `trial-${companyId}@example.test`,
      phones: [],
    });
    return buildAppointment(context, { companyId, patientId, startDate: '2031-03-08T19:30:00Z' });
  };
  const notify = ({ appointmentId }: { appointmentId: number }) =>
    room.admin.call(notifyAppointment, { params: { appointmentId } });
  const logsOf = async ({ appointmentId }: { appointmentId: number }) =>
    (await room.admin.call(getAppointment, { params: { appointmentId } })).json.notificationLogs;
  return { ...room, companyId, leave, book, notify, logsOf };
}

const newUser = (email: string) => ({
  userId: 0,
  version: 0,
  firstName: 'Nora',
  lastName: 'Lind',
  email,
  phone: '',
  roleId: 'U' as const,
  npi: '',
  selfPayFee: '',
  notificationType: 1,
  notifyForUsers: [],
  disabled: false,
});

test('company that signed up: sends 200 messages a day; one more is refused, and nothing of it is kept', async () => {
  const { admin, doctor, uid, companyId, leave, book, notify, logsOf } = await buildTrial(1);
  const [first, second] = [await book(), await book()];
  expect((await notify(first)).status).toBe(204);
  const refused = await notify(second);
  expect([refused.status, refused.problem.code, refused.problem.title]).toEqual([
    422,
    'trial-messages',
    'New clinics can send 200 messages a day. Please try again tomorrow, or contact support.',
  ]);
  expect(await logsOf(second)).toEqual([]);
  const instant = await doctor.call(startInstantAppointment, {
    body: { email: `instant-${companyId}@example.test`, phone: '' },
  });
  expect(instant.problem.code).toBe('trial-messages');

  const email = `nora-${companyId}@example.test`;
  expect((await admin.call(saveUser, { body: newUser(email) })).problem.code).toBe('trial-messages');
  const { data } = (await admin.call(listUsers, { query: { top: 50, skip: 0 } })).json;
  expect(data.map((user) => user.email)).not.toContain(email);
  const { userId } = await buildUser(context, { companyId, role: 'U' });
  expect((await admin.call(inviteUser, { params: { userId } })).problem.code).toBe('trial-messages');

  const guest = { name: 'Maria Lopez', role: 'interpreter' as const, email: `maria-${companyId}@example.test` };
  const { guestId } = (await doctor.call(inviteGuest, { params: { uid }, body: guest })).json;
  const send = () => doctor.call(sendGuestLink, { params: { uid, guestId } });
  expect((await send()).problem.code).toBe('trial-messages');

  // The next day.
  await leave(0, 1);
  expect((await notify(second)).status).toBe(204);
  expect((await send()).status).toBe(204);
  expect((await admin.call(saveUser, { body: newUser(email) })).json.invited).toBe(true);
  const { rows } = await owner.query('select messages from trials where company_id = $1', [companyId]);
  expect(rows).toEqual([{ messages: 3 }]);
});

test('company that signed up: what a patient does goes on without a message, and the appointment says why', async () => {
  const { book, logsOf } = await buildTrial(0);
  const appointment = await book();
  const patient = await app.signInPatient(appointment.accessCode);
  const cancelled = await patient.call(cancelMyAppointment, {
    params: { uid: appointment.appointmentUid },
    body: { version: 0 },
  });
  expect(cancelled.status).toBe(204);
  const { rows } = await owner.query(
    `select n.state, n.error, (select count(*)::int from pgboss.job j where j.data->>'notificationId' = n.notification_id::text) as jobs
     from notification_logs n where n.appointment_id = $1`,
    [appointment.appointmentId],
  );
  expect(rows).toEqual([{ state: 'failed', error: deliveryTexts.trialMessages, jobs: 0 }]);
  expect((await logsOf(appointment)).map(({ kind, state }) => [kind, state])).toEqual([['cancelled', 'failed']]);
});

test('company that signed up: a move that the limit leaves without a message says so', async () => {
  const { admin, book, notify, logsOf } = await buildTrial(1);
  const { appointmentId } = await book();
  expect((await notify({ appointmentId })).status).toBe(204);
  const { doctor, version } = (await admin.call(getAppointment, { params: { appointmentId } })).json;
  const to = { startDate: '2031-03-09T19:30:00Z', doctorId: doctor?.userId ?? 0, version };
  const moved = await admin.call(moveAppointment, { params: { appointmentId }, body: to });
  expect(moved.json.notice).toBe('trialLimit');
  const newTimes = (await logsOf({ appointmentId })).filter(({ kind }) => kind === 'newTime');
  expect(newTimes.map(({ state }) => state)).toEqual(['failed']);
});

test('20 simultaneous invitations: no more are sent than permitted', async () => {
  const { book, notify } = await buildTrial(7);
  const appointments = await Promise.all(Array.from({ length: 20 }, book));
  const answers = await Promise.all(appointments.map(notify));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(7);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(13);
});
