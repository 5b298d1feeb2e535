import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import {
  dismissFirstSteps,
  getFirstSteps,
  noteBookingLink,
  startTestVisit,
} from '@roomside/contract/first-steps/calls.ts';
import { getNumbers } from '@roomside/contract/numbers/calls.ts';
import { getPatient } from '@roomside/contract/patients/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { connectHub } from '../../../test/hub-client.ts';
import { startMailPeer } from '../../../test/message-peers.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildRule, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';

const mail = await startMailPeer();
const app = await startTestApp({ env: { SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>' } });
const { context } = app;

let admin: Person;
let companyId: number;
let userId: number;
let email: string;
beforeEach(async () => {
  ({ companyId } = await buildCompany(context));
  ({ userId, email } = await buildUser(context, {
    companyId,
    role: 'A',
    firstName: 'Noor',
    lastName: 'Haddad',
    password,
  }));
  admin = await app.signIn({ email, password });
});

const steps = async (by = admin) => (await by.call(getFirstSteps)).json;

describe('first steps', () => {
  test('each is done by what is stored, and they are dismissed for the company', async () => {
    expect(await steps()).toMatchObject({
      dismissed: false,
      done: { hours: false, colleagues: false, bookingLink: false, testVisit: false },
    });
    await buildRule(context, { companyId, doctorIds: [userId] });
    const colleague = await buildUser(context, { companyId, role: 'A', password });
    await admin.call(noteBookingLink);
    expect((await steps()).done).toEqual({ hours: true, colleagues: true, bookingLink: true, testVisit: false });
    const person = await app.signIn({ email: colleague.email, password });
    await person.call(dismissFirstSteps);
    expect((await steps()).dismissed).toBe(true);
    const other = await buildUser(context, { role: 'A', password });
    expect((await steps(await app.signIn({ email: other.email, password }))).dismissed).toBe(false);
  });

  test('hours and colleagues: a rule that is disabled or deleted, and a user who is disabled, do not count', async () => {
    const ruleId = await buildRule(context, { companyId, doctorIds: [userId] });
    const colleague = await buildUser(context, { companyId, role: 'U' });
    const set = (rule: { disabled?: boolean; archived_at?: string }, disabled: boolean) =>
      context.db.open({ kind: 'job', companyId }, async (tx) => {
        await tx.updateTable('scheduling_rules').set(rule).where('rule_id', '=', ruleId).execute();
        await tx.updateTable('users').set({ disabled }).where('user_id', '=', colleague.userId).execute();
      });
    expect((await steps()).done).toMatchObject({ hours: true, colleagues: true });
    await set({ disabled: true }, true);
    expect((await steps()).done).toMatchObject({ hours: false, colleagues: false });
    await set({ disabled: false }, false);
    expect((await steps()).done).toMatchObject({ hours: true, colleagues: true });
    await set({ archived_at: isoNow(context.clock) }, false);
    expect((await steps()).done).toMatchObject({ hours: false, colleagues: true });
  });

  test('test visit: is with oneself, sends nothing to anyone, is left out of the numbers, and its visit completes the step', async () => {
    const { appointmentId, appointmentUid } = (await admin.call(startTestVisit)).json;
    const { json: appointment } = await admin.call(getAppointment, { params: { appointmentId }, query: {} });
    expect(appointment).toMatchObject({ doctorId: userId, patient: { firstName: 'Noor', lastName: 'Haddad (test)' } });
    const { json: patient } = await admin.call(getPatient, { params: { patientId: appointment.patientId } });
    expect(patient).toMatchObject({ email: '', patientPhones: [] });

    const person = await app.signInPatient(appointment.accessCode);
    const patientHub = await connectHub(app, person);
    await patientHub.subscribe(appointmentUid);
    await patientHub.sendData({ type: messageType.participantArrived, session: appointmentUid });
    // The notice to the provider is queued, judged and dropped.
    await expect
      .poll(async () =>
        (await admin.call(getAppointment, { params: { appointmentId }, query: {} })).json.notificationLogs.map(
          ({ kind, state }) => [kind, state],
        ),
      )
      .toContainEqual(['arrival', 'dropped']);
    expect(mail.to(email)).toEqual([]);

    expect((await steps()).done.testVisit).toBe(false);
    const provider = await connectHub(app, admin);
    await provider.subscribe(appointmentUid);
    expect((await steps()).done.testVisit).toBe(true);
    const { json } = await admin.call(getNumbers, { query: { weeks: 1 } });
    expect(json.total.visits + json.total.missed).toBe(0);
    expect(json.providers.find((one) => one.userId === userId)?.bookedMinutes ?? 0).toBe(0);
  });

  test('a second test visit: uses the same test patient', async () => {
    const patientOf = async () => {
      const { appointmentId } = (await admin.call(startTestVisit)).json;
      return (await admin.call(getAppointment, { params: { appointmentId }, query: {} })).json.patientId;
    };
    expect(await patientOf()).toBe(await patientOf());
  });
});
