import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import { bookVisit, holdSlot } from '@roomside/contract/booking/calls.ts';
import { listUpcomingVisits } from '@roomside/contract/my-visits/calls.ts';
import { listSchedule } from '@roomside/contract/schedule/calls.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { partOf, startNotices } from '../../../test/notices.ts';
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

describe('the link that was sent', () => {
  const known = () => ({
    firstName: 'Kim',
    lastName: 'Known',
    birthDate: '1990-05-17',
    email: `kim-${number}@example.test`,
  });
  const kim = { firstName: 'kim', lastName: 'KNOWN', doB: '1990-05-17' };
  const bookAs = async (contact: { phone: string; email: string }) => {
    const stranger = app.anonymous();
    const params = { companyUid };
    const wanted = { holder: 'a'.repeat(32), doctorId, startDate: '2031-03-04T14:00:00.000Z' };
    const { holdUid } = (await stranger.call(holdSlot, { params, body: wanted })).json;
    const book = () => stranger.call(bookVisit, { params, body: { holdUid, ...kim, ...contact } });
    return { ...(await book()).json, again: book };
  };
  const linkIn = (body: string) => /#\/link\/(\S+)/.exec(body)?.[1] ?? '';
  const whoHas = (uid: string) =>
    context.db.open({ kind: 'job', companyId }, async (tx) => {
      const query = tx.selectFrom('appointments').select('patient_id').where('appointment_uid', '=', uid);
      return (await query.executeTakeFirstOrThrow()).patient_id;
    });

  test('joins a stranger with the one known patient it can be; what the screen showed then opens nothing', async () => {
    const { patientId: kimId } = await buildPatient(context, { companyId, ...known() });
    const booked = await bookAs({ phone: '', email: known().email });
    const { accessCode, appointmentUid } = booked;
    await came(/^Your video visit/, 1, known().email);
    const body = partOf(mail.to(known().email)[0], 'text/plain');
    const link = linkIn(body);
    expect(link).toMatch(new RegExp(`^${accessCode}-[A-Za-z2-9]{10}$`));
    // What the screen showed to whoever booked does not prove anything.
    expect(booked.calendar).not.toContain(link);
    const before = await whoHas(appointmentUid);
    const whoBooked = await app.signInPatient(accessCode);
    expect(await whoHas(appointmentUid)).toBe(before);
    await expect(app.signInPatient(`${accessCode}-abcdefghjk`)).rejects.toThrow('wrong-code');
    // A double click: both come in.
    await Promise.all([app.signInPatient(link), app.signInPatient(link)]);
    expect(await whoHas(appointmentUid)).toBe(kimId);
    // The link goes on working afterwards, and so does what the clinic reads out.
    await app.signInPatient(link);
    const { data } = (await (await app.signInPatient(link)).call(listUpcomingVisits)).json;
    expect(data).toMatchObject([{ appointmentUid }]);
    const [row] = (await front().call(listSchedule, { query: { from: '2031-03-04', to: '2031-03-04' } })).json.data;
    const stored = await front().call(getAppointment, {
      params: { appointmentId: row?.appointmentId ?? 0 },
      query: {},
    });
    expect(stored.json.accessCode).toBe(link);
    // Whoever booked could be anybody: neither his sign-in, nor the code, nor a repeat reaches the known patient.
    expect((await whoBooked.call(listUpcomingVisits)).status).toBe(401);
    await expect(app.signInPatient(accessCode)).rejects.toThrow('wrong-code');
    expect((await booked.again()).problem.code).toBe('hold-ended');
  });

  test('proves the contact it went to and no other that was typed with it', async () => {
    const { patientId: kimId } = await buildPatient(context, { companyId, ...known() });
    // The email is on file, the phone is somebody else's: his text message must not open Kim's records.
    const mine = `212556${String(1000 + number)}`;
    const booked = await bookAs({ phone: mine, email: known().email });
    await came(/^Your video visit/, 1, known().email);
    const sent = await text.first(`+1${mine}`);
    const before = await whoHas(booked.appointmentUid);
    const byText = linkIn(sent.body);
    const byMail = linkIn(partOf(mail.to(known().email)[0], 'text/plain'));
    expect(byText).not.toBe(byMail);
    await app.signInPatient(byText);
    expect(await whoHas(booked.appointmentUid)).toBe(before);
    await app.signInPatient(byMail);
    expect(await whoHas(booked.appointmentUid)).toBe(kimId);
    await expect(app.signInPatient(byText)).rejects.toThrow('wrong-code');
  });
});
