import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import { bookSlot, holdSlot } from '@roomside/contract/booking/calls.ts';
import { listUpcomingAppointments } from '@roomside/contract/my-appointments/calls.ts';
import { listSchedule } from '@roomside/contract/schedule/calls.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { partOf, startNotices } from '../../../test/notices.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { buildPatient } from '../../demo/builders.ts';

const notices = await startNotices();
const { app, came, context, front, mail, text } = notices;

let number: number;
let companyId: number;
let companyUid: string;
let doctorId: number;
beforeEach(async () => {
  ({ number, companyId, companyUid, doctorId } = await notices.openClinic());
});

describe('link in a message', () => {
  const knownPatient = () => ({
    firstName: 'Kim',
    lastName: 'Known',
    birthDate: '1990-05-17',
    email: `kim-${number}@example.test`,
  });
  const kim = { firstName: 'kim', lastName: 'KNOWN', doB: '1990-05-17' };
  const bookAs = async (contact: { phone: string; email: string }) => {
    const stranger = app.anonymous();
    const params = { companyUid };
    const hold = { holder: 'a'.repeat(32), doctorId, startDate: '2031-03-04T14:00:00.000Z' };
    const { holdUid } = (await stranger.call(holdSlot, { params, body: hold })).json;
    const book = () => stranger.call(bookSlot, { params, body: { holdUid, ...kim, ...contact } });
    return { ...(await book()).json, again: book };
  };
  const linkIn = (body: string) => /#\/link\/(\S+)/.exec(body)?.[1] ?? '';
  const patientOf = (uid: string) =>
    context.db.open({ kind: 'job', companyId }, async (tx) => {
      const query = tx.selectFrom('appointments').select('patient_id').where('appointment_uid', '=', uid);
      return (await query.executeTakeFirstOrThrow()).patient_id;
    });

  test('merges an unverified patient with the only matching known one; the code that the screen showed is then refused', async () => {
    const { patientId: kimId } = await buildPatient(context, { companyId, ...knownPatient() });
    const booked = await bookAs({ phone: '', email: knownPatient().email });
    const { accessCode, appointmentUid } = booked;
    await came(/^Your video visit/, 1, knownPatient().email);
    const body = partOf(mail.to(knownPatient().email)[0], 'text/plain');
    const link = linkIn(body);
    expect(link).toMatch(new RegExp(`^${accessCode}-[A-Za-z2-9]{10}$`));
    // The code on the screen proves no contact.
    expect(booked.calendar).not.toContain(link);
    const before = await patientOf(appointmentUid);
    const booker = await app.signInPatient(accessCode);
    expect(await patientOf(appointmentUid)).toBe(before);
    await expect(app.signInPatient(`${accessCode}-abcdefghjk`)).rejects.toThrow('wrong-code');
    // Both sign-ins of a double click succeed.
    await Promise.all([app.signInPatient(link), app.signInPatient(link)]);
    expect(await patientOf(appointmentUid)).toBe(kimId);
    // The link continues to work; the clinic sees the same code.
    await app.signInPatient(link);
    const { data } = (await (await app.signInPatient(link)).call(listUpcomingAppointments)).json;
    expect(data).toMatchObject([{ appointmentUid }]);
    const [row] = (await front().call(listSchedule, { query: { from: '2031-03-04', to: '2031-03-04' } })).json.data;
    const stored = await front().call(getAppointment, {
      params: { appointmentId: row?.appointmentId ?? 0 },
      query: {},
    });
    expect(stored.json.accessCode).toBe(link);
    // The person who booked is unverified: their sign-in, the code and a repeat do not reach the known patient.
    expect((await booker.call(listUpcomingAppointments)).status).toBe(401);
    await expect(app.signInPatient(accessCode)).rejects.toThrow('wrong-code');
    expect((await booked.again()).problem.code).toBe('hold-ended');
  });

  test('opened while its patient is merged: waits, and opens the visit of the patient who is left', async () => {
    const { patientId: kimId } = await buildPatient(context, { companyId, ...knownPatient() });
    const { appointmentUid } = await bookAs({ phone: '', email: knownPatient().email });
    await came(/^Your video visit/, 1, knownPatient().email);
    const link = linkIn(partOf(mail.to(knownPatient().email)[0], 'text/plain'));
    const from = await patientOf(appointmentUid);
    const merged = await holdUntilBlocking(context, companyId, (tx) =>
      sql`select merge_patient(${from}, ${kimId}, ${new Date().toISOString()})`.execute(tx),
    );
    const [patient] = await Promise.all([app.signInPatient(link), merged()]);
    expect((await patient.call(listUpcomingAppointments)).json.data).toMatchObject([{ appointmentUid }]);
  });

  test('proves only the contact it was sent to, not the other one of the booking', async () => {
    const { patientId: kimId } = await buildPatient(context, { companyId, ...knownPatient() });
    // The email is Kim's, the phone is another person's: the text message must not open Kim's records.
    const otherPhone = `212556${String(1000 + number)}`;
    const booked = await bookAs({ phone: otherPhone, email: knownPatient().email });
    await came(/^Your video visit/, 1, knownPatient().email);
    const sent = await text.first(`+1${otherPhone}`);
    const before = await patientOf(booked.appointmentUid);
    const byText = linkIn(sent.body);
    const byMail = linkIn(partOf(mail.to(knownPatient().email)[0], 'text/plain'));
    expect(byText).not.toBe(byMail);
    await app.signInPatient(byText);
    expect(await patientOf(booked.appointmentUid)).toBe(before);
    await app.signInPatient(byMail);
    expect(await patientOf(booked.appointmentUid)).toBe(kimId);
    await expect(app.signInPatient(byText)).rejects.toThrow('wrong-code');
  });
});
