import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import { moveUndoMs } from '@roomside/contract/limits.ts';
import { moveAppointment } from '@roomside/contract/schedule/calls.ts';
import { expect, vi } from 'vitest';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../src/demo/builders.ts';
import { releaseHeld } from '../src/features/notifications/new-time.ts';
import { type ReceivedMail, startMailPeer, startTextPeer } from './message-peers.ts';
import { type Person, password, startTestApp } from './test-app.ts';

export const hour = 3_600_000;
/** A Monday, 08:00 in New York. */
export const monday = Date.parse('2031-03-03T13:00:00Z');
export const iso = (ms: number) => new Date(ms).toISOString();

export const partOf = (one: ReceivedMail | undefined, type: string) =>
  one?.parts.find((part) => part.type.startsWith(type))?.text ?? '';

const manyRefusals = 50;

export interface Clinic {
  /** Distinguishes this clinic's users and patients from those of other tests. */
  number: number;
  companyId: number;
  companyUid: string;
  doctorId: number;
  otherId: number;
  /** The patient and their contacts. */
  patientId: number;
  email: string;
  phone: string;
}

/** Starts a server with a mail and a text-message peer. Returns helpers for tests of notifications. */
export async function startNotices() {
  const mail = await startMailPeer();
  const text = await startTextPeer();
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>', SMS_URL: text.url };
  const app = await startTestApp({ env });
  const { context, clock } = app;
  let number = 0;
  let front: Person;
  let frontEmail: string;
  let clinic: Clinic;

  /** Creates a company with two providers and a patient, and sets the clock to Monday. */
  async function openClinic(): Promise<Clinic> {
    number += 1;
    clock.set(monday);
    const { companyId, companyUid } = await buildCompany(context, {
      companyName: 'Maple Clinic',
      duration: 30,
      remindBeforeMin: 30,
      notifyUsersMin: 5,
      genericSchedule: true,
    });
    ({ email: frontEmail } = await buildUser(context, { companyId, role: 'U', password }));
    await at(monday);
    const doctor = await buildUser(context, { companyId, role: 'D', firstName: 'Maya', lastName: "O'Hara" });
    const other = await buildUser(context, { companyId, role: 'D', firstName: 'Noor', lastName: 'Nash' });
    const email = `patient-${number}@example.test`;
    const phone = `212555${String(1000 + number)}`;
    const person = { firstName: 'Pat', lastName: 'Palmer', email, phones: [phone] };
    const { patientId } = await buildPatient(context, { companyId, ...person });
    const ids = { doctorId: doctor.userId, otherId: other.userId, patientId };
    clinic = { number, companyId, companyUid, email, phone, ...ids };
    return clinic;
  }
  /** Sets the clock and signs in again, since access tokens expire. */
  async function at(ms: number): Promise<void> {
    clock.set(ms);
    front = await app.signIn({ email: frontEmail, password });
  }
  const mails = (subject: RegExp, to = clinic.email) =>
    mail.to(to).filter(({ headers }) => subject.test(headers.get('subject') ?? ''));
  /** Messages of the clinic that are queued and not held. */
  const countUnsent = () =>
    context.db.open({ kind: 'job', companyId: clinic.companyId }, async (tx) => {
      const { count } = await tx
        .selectFrom('notification_logs')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('state', '=', 'queued')
        .where('held_until', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(count);
    });

  /** Messages of the clinic that are being sent. */
  const countBeingSent = () =>
    context.db.open({ kind: 'job', companyId: clinic.companyId }, async (tx) => {
      const rows = tx.selectFrom('notification_logs').select('notification_id').where('state', '=', 'queued');
      return (await rows.where('claimed_until', 'is not', null).execute()).length;
    });

  return {
    mail,
    text,
    env,
    app,
    context,
    clock,
    openClinic,
    at,
    mails,
    countUnsent,
    /** Refuses all messages, which wait for a retry, until `endOutage`. */
    beginOutage: () => {
      mail.refusals.push(...Array.from({ length: manyRefusals }, () => 451));
      text.refusals.push(...Array.from({ length: manyRefusals }, () => 503));
    },
    /** Waits until a mail and a text message were refused. */
    refusedOnce: () =>
      vi.waitFor(() => expect(Math.max(mail.refusals.length, text.refusals.length)).toBeLessThan(manyRefusals), {
        timeout: 30_000,
        interval: 20,
      }),
    /** Accepts messages again. Before that, an attempt from before the last change is refused. */
    endOutage: async () => {
      await vi.waitFor(async () => expect(await countBeingSent()).toBe(0), { timeout: 30_000, interval: 20 });
      mail.refusals.length = 0;
      text.refusals.length = 0;
    },
    front: () => front,
    book: (startDate = iso(monday + 24 * hour)) => buildAppointment(context, { ...clinic, startDate, minutes: 30 }),
    move: (appointmentId: number, to: number, version = 0, doctorId = clinic.doctorId) =>
      front.call(moveAppointment, { params: { appointmentId }, body: { startDate: iso(to), doctorId, version } }),
    /** Lets the time for Undo pass, and releases the held notifications. */
    passUndo: async () => {
      clock.set(clock.now() + moveUndoMs);
      await releaseHeld(context);
    },
    logsOf: async (appointmentId: number) =>
      (await front.call(getAppointment, { params: { appointmentId }, query: {} })).json.notificationLogs,
    /** Waits until the emails have arrived and no message is left to send: the peers have one before its row says so. */
    came: async (subject: RegExp, count = 1, to = clinic.email) => {
      const patience = { timeout: 30_000, interval: 30 };
      await vi.waitFor(() => expect(mails(subject, to)).toHaveLength(count), patience);
      await vi.waitFor(async () => expect(await countUnsent()).toBe(0), patience);
    },
  };
}
