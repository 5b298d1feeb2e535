import {
  getAppointment,
  listAppointments,
  notifyAppointment,
  saveAppointment,
} from '@roomside/contract/appointments/calls.ts';
import { exportCsv, getCsvImport, listCsvImports, undoCsvImport } from '@roomside/contract/csv-import/calls.ts';
import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import { listOpenBalances } from '@roomside/contract/ledger/calls.ts';
import { getNumbers } from '@roomside/contract/numbers/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { listSchedule, moveAppointment } from '@roomside/contract/schedule/calls.ts';
import { getRule, saveRule } from '@roomside/contract/scheduling-rules/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { check, importCsv, settled, upload } from '../../../test/csv-import.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildRule, buildUser } from '../../demo/builders.ts';
import { types } from '../../platform/database/driver.ts';
import { queueDueReminders } from '../notifications/due-notices.ts';

const app = await startTestApp();
const { context, clock } = app;
const owner = new pg.Client({ ...app.database.owner, types });
beforeAll(() => owner.connect());
beforeEach(() => clock.set(Date.parse('2026-11-02T15:00:00Z')));
afterAll(() => owner.end());

interface Clinic {
  readonly companyId: number;
  readonly admin: Person;
  /** Of Dana Doctor. */
  readonly doctorId: number;
  readonly doctor: string;
  /** Ann Lee, born 1980-01-05, external id X1. */
  readonly annId: number;
}

async function buildClinic(): Promise<Clinic> {
  const { companyId } = await buildCompany(context);
  const { email } = await buildUser(context, { companyId, role: 'A', firstName: 'Ada', lastName: 'Admin', password });
  const { userId: doctorId, email: doctor } = await buildUser(context, { companyId });
  const ann = { companyId, firstName: 'Ann', lastName: 'Lee', birthDate: '1980-01-05', externalId: 'X1' };
  const { patientId: annId } = await buildPatient(context, { ...ann, phones: ['2125550123'], email: 'ann@x.test' });
  return { companyId, doctorId, doctor, annId, admin: await app.signIn({ email, password }) };
}

const lines = (...rows: string[]) => `${rows.join('\r\n')}\r\n`;
const header = 'Appointment ID,Patient ID,First Name,Last Name,Birth Date,Provider,Start,Minutes,Status';

/** Checks a file and returns the problems as [line, code, detail]. */
async function problemsOf(admin: Person, content: string, type: ImportType = 'Appointment') {
  const { definition, fileId } = await upload(admin, content, { type });
  const checked = await check(app, admin, definition);
  const { problems } = (await admin.call(getCsvImport, { params: { fileId } })).json;
  return { checked, definition, problems: problems.map(({ line, code, detail }) => [line, code, detail]) };
}

async function appointmentsOf(companyId: number) {
  const { rows } = await owner.query<{ text: string }>(
    `select concat_ws('|', p.last_name, to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'),
       (extract(epoch from ends_at - starts_at) / 60)::int, a.cancelled, a.external_id) as text
     from appointments a join patients p using (patient_id)
     where a.company_id = $1 and a.archived_at is null order by starts_at, appointment_id`,
    [companyId],
  );
  return rows.map(({ text }) => text);
}

describe('import of appointments', () => {
  test('creates them in the clinic’s zone, for patients by external id or name and birth date; again: changes nothing', async () => {
    const { admin, companyId, doctor } = await buildClinic();
    await buildPatient(context, { companyId, firstName: 'Bob', lastName: 'Fox', birthDate: '1975-12-31' });
    const rows = await watchAudit(app);
    const file = lines(
      header,
      `A1,X1,,,,${doctor.toUpperCase()},11/5/2026 2:30 PM,20,Scheduled`,
      ',,BOB,Fox,12/31/1975,"Doctor, Dana",2026-11-05 09:00,,',
      ',,Bob,Fox,1975-12-31,"Dr. Dana Doctor, MD",2024-06-03 09:00,45,Completed',
      ',X1,Ann,Lee,,Dana Doctor,11/6/26 10am,30,Cancelled by patient',
    );
    const done = await importCsv(app, admin, file, {}, 'Appointment');
    expect(done).toMatchObject({ records: 4, created: 4, wrong: 0, doubled: 0, type: 'Appointment' });
    const stored = [
      'Fox|2024-06-03 13:00|45|f|',
      'Fox|2026-11-05 14:00|15|f|',
      'Lee|2026-11-05 19:30|20|f|A1',
      'Lee|2026-11-06 15:00|30|t|',
    ];
    expect(await appointmentsOf(companyId)).toEqual(stored);
    const { rows: ids } = await owner.query<{ id: number }>(
      'select appointment_id as id from appointments where company_id = $1',
      [companyId],
    );
    expect((await rows()).filter(({ action }) => action === 'importAppointments')).toEqual([
      expect.objectContaining({
        objects: { importId: done.fileId, appointments: expect.arrayContaining(ids.map(({ id }) => id)) },
      }),
    ]);
    const again = await importCsv(app, admin, file, {}, 'Appointment');
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 4, wrong: 0, doubled: 0 });
    expect(await appointmentsOf(companyId)).toEqual(stored);
    // Nothing was sent.
    const sent = await owner.query('select 1 from notification_logs where company_id = $1', [companyId]);
    expect(sent.rows).toEqual([]);
  });

  test('what was over before the import: is completed or missed, is the patient’s last appointment, and nothing is owed for it', async () => {
    const { admin, companyId, doctor, annId } = await buildClinic();
    await owner.query(`update companies set self_pay_fee = 120 where company_id = $1`, [companyId]);
    const row = (start: string, status: string, minutes = 30) => `,X1,,,,${doctor},${start},${minutes},${status}`;
    const file = lines(
      header,
      row('10/28/2026 9:00', 'Checked out'),
      row('10/29/2026 9:00', 'No-show'),
      row('10/30/2026 9:00', 'Cancelled'),
      // It has begun, and is not over.
      row('11/2/2026 9:01', 'Scheduled', 60),
      row('11/5/2026 9:00', 'Scheduled'),
    );
    expect(await importCsv(app, admin, file, {}, 'Appointment')).toMatchObject({ created: 5, wrong: 0 });
    const page = { top: 20, skip: 0 } as const;
    const { data } = (
      await admin.call(listAppointments, { query: { ...page, patientId: annId, orderBy: 'startDate asc' } })
    ).json;
    expect(data.map((one) => [one.status, one.statusTooltip.split(' ', 2).join(' '), one.fee])).toEqual([
      ['completed', 'Completed in', '0.00'],
      ['missed', 'Missed: no', '0.00'],
      ['cancelled', 'Cancelled 11/02/2026,', '0.00'],
      ['scheduled', 'Scheduled for', '120.00'],
      ['scheduled', 'Scheduled for', '120.00'],
    ]);
    const ann = async () =>
      (await admin.call(listPatients, { query: page })).json.data.find((one) => one.patientId === annId);
    expect(await ann()).toMatchObject({
      lastAppointment: '2026-11-02T14:01:00.000Z',
      nextAppointment: '2026-11-05T14:00:00.000Z',
    });
    clock.set(Date.parse('2026-11-02T15:02:00Z'));
    expect(await ann()).toMatchObject({ lastAppointment: '2026-10-28T13:00:00.000Z' });
    const days = { ...page, from: '2026-10-01', to: '2026-11-01', orderBy: 'startDate desc' } as const;
    expect((await admin.call(listOpenBalances, { query: days })).json.data).toEqual([]);
    const calendar = await admin.call(listSchedule, { query: { from: '2026-10-28', to: '2026-10-29' } });
    expect(calendar.json.data.map(({ status }) => status)).toEqual(['completed', 'missed']);
    // The numbers are of visits here: neither a visit nor a wait of no seconds.
    const { total } = (await admin.call(getNumbers, { query: { weeks: 4 } })).json;
    expect(total).toMatchObject({ visits: 0, missed: 2, cancelled: 1, waitMedian: null });
    const { text } = await admin.call(exportCsv, { query: { type: 'Appointment' } });
    expect(
      text
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',').at(-1)),
    ).toEqual(['Completed', 'Missed', 'Cancelled', 'Missed', 'Scheduled']);
  });

  test('refuses what it would have to guess, and never books over another appointment', async () => {
    const { admin, companyId, doctor, doctorId, annId } = await buildClinic();
    const stranger = await buildClinic();
    await buildUser(context, { companyId, firstName: 'Kim', lastName: 'Twin' });
    await buildUser(context, { companyId, firstName: 'Kim', lastName: 'Twin' });
    await buildUser(context, { companyId, firstName: 'Gone', lastName: 'Away', disabled: true });
    await buildUser(context, { companyId, firstName: 'Una', lastName: 'User', role: 'U' });
    const twin = { companyId, firstName: 'Two', lastName: 'Same', birthDate: '1990-01-01' };
    await buildPatient(context, twin);
    await buildPatient(context, twin);
    const taken = { companyId, doctorId, patientId: annId, startDate: '2026-11-05T15:00:00Z', minutes: 30 };
    await buildAppointment(context, taken);
    const before = await appointmentsOf(companyId);
    const row = (patient: string, provider: string, start: string, rest = '30,') =>
      `,${patient},${provider},${start},${rest}`;
    const file = lines(
      header,
      row('Z9,,,', doctor, '11/6/2026 9:00'),
      row(',Two,Same,1/1/1990', doctor, '11/6/2026 9:00'),
      row('X1,Other,Person,2/2/1990', doctor, '11/6/2026 9:00'),
      row('Q1,Ann,Lee,1/5/1980', doctor, '11/6/2026 9:00'),
      row('X1,,,', stranger.doctor, '11/6/2026 9:00'),
      row('X1,,,', 'Kim Twin', '11/6/2026 9:00'),
      row('X1,,,', 'Gone Away', '11/6/2026 9:00'),
      row('X1,,,', 'Una User', '11/6/2026 9:00'),
      row('X1,,,', doctor, '11/5/2026 10:15'),
      row('X1,,,', doctor, '11/9/2026 9:00'),
      row(',,,', doctor, '11/9/2026 11:00'),
      row('X1,,,', doctor, '11/9/2026 9:15'),
      row('X1,,,', doctor, '11/9/2026 9:00', '60,'),
      row('X1,,,', doctor, '11/5/2026 10:00', '45,'),
      row('X1,,,', doctor, '3/14/2027 2:30 AM'),
      row('X1,,,', doctor, '11/9/2026'),
      row('X1,,,', doctor, '11/9/2026 9:30', '3,Dreaming'),
      row('X1,,,', doctor, '11/9/2026 9:30'),
    );
    const { checked, definition, problems } = await problemsOf(admin, file);
    expect(problems).toEqual([
      [2, 'patient-unknown', 0],
      [3, 'several', 2],
      [4, 'other-person', 0],
      [5, 'other-external', 0],
      [6, 'provider-unknown', 0],
      [7, 'provider-several', 2],
      [8, 'provider-disabled', 0],
      [9, 'provider-disabled', 0],
      [10, 'overlap', 0],
      [12, 'patient-needed', 0],
      [13, 'overlap-row', 11],
      [14, 'same-row', 11],
      [15, 'differs', 0],
      [16, 'time-gap', 0],
      [17, 'time-missing', 0],
      [18, 'length', 0],
      [18, 'status', 0],
    ]);
    expect(checked).toMatchObject({ created: 2, wrong: 15, doubled: 1 });
    const done = await importCsv(app, admin, file, {}, 'Appointment');
    expect(done).toMatchObject({ created: 2, wrong: 15, doubled: 1 });
    expect(definition.sendReminders).toBe(false);
    expect(await appointmentsOf(companyId)).toEqual([
      ...before,
      'Lee|2026-11-09 14:00|30|f|',
      'Lee|2026-11-09 14:30|30|f|',
    ]);
    expect(await appointmentsOf(stranger.companyId)).toEqual([]);
  });

  test('a provider is found by a last name that is a title, too', async () => {
    const { admin, companyId } = await buildClinic();
    await buildUser(context, { companyId, firstName: 'Anh', lastName: 'Do' });
    await buildUser(context, { companyId, firstName: 'Anh', lastName: 'Le' });
    const names = ['Anh Do', 'Do, Anh', 'Dr. Anh  DO', 'Anh Do, MD', 'Prof. Dr. Anh Do DO', 'Anh Le, D.O., PhD'];
    const rows = names.map((name, at) => `,X1,,,,"${name}",11/5/2026 ${at + 9}:00,30,`);
    const { problems, checked } = await problemsOf(admin, lines(header, ...rows, ',X1,,,,Anh,11/5/2026 9:00,30,'));
    expect(problems).toEqual([[8, 'provider-unknown', 0]]);
    expect(checked).toMatchObject({ created: 6 });
  });

  test('a provider who is busy in their own calendar then: the row is refused', async () => {
    const { admin, companyId, doctor, doctorId, annId } = await buildClinic();
    const { email: other } = await buildUser(context, { companyId });
    await owner.query(
      `insert into busy_times (company_id, user_id, starts_at, ends_at) values
        ($1, $2, '2026-11-05T08:00:00Z', '2026-11-05T09:00:00Z'), ($1, $2, '2026-11-05T14:00:00Z', '2026-11-05T15:00:00Z'),
        ($1, $2, '2026-11-05T20:00:00Z', '2026-11-05T21:00:00Z')`,
      [companyId, doctorId],
    );
    await buildAppointment(context, { companyId, doctorId, patientId: annId, startDate: '2026-11-05T14:00:00Z' });
    const row = (start: string, rest = '30,', provider = doctor) => `,X1,,,,${provider},${start},${rest}`;
    const file = lines(
      header,
      row('11/5/2026 14:45'),
      row('11/5/2026 9:15'),
      row('11/5/2026 9:55'),
      row('11/5/2026 8:50', '90,'),
      // There already; cancelled; before and behind; another provider.
      row('11/5/2026 9:00', '15,'),
      row('11/5/2026 9:30', '15,Cancelled'),
      row('11/5/2026 8:30', '30,'),
      row('11/5/2026 10:00', '30,'),
      row('11/5/2026 9:15', '30,', other),
    );
    const { problems, checked } = await problemsOf(admin, file);
    expect(problems).toEqual([
      [2, 'overlap-calendar', 0],
      [3, 'overlap-calendar', 0],
      [4, 'overlap-calendar', 0],
      [5, 'overlap', 0],
    ]);
    const counts = { created: 4, unchanged: 1, wrong: 4 };
    expect(checked).toMatchObject(counts);
    expect(await importCsv(app, admin, file, {}, 'Appointment')).toMatchObject(counts);
  });

  test('start in the hour that comes twice: is the first one, unless an offset says which; the export says it', async () => {
    const { admin, companyId, doctor } = await buildClinic();
    const row = (start: string) => `,X1,,,,${doctor},${start},15,`;
    const file = lines(header, row('2026-11-01 01:30'), row('2026-11-01 01:30 -05:00'), row('2026-11-01T08:00:00Z'));
    expect(await importCsv(app, admin, file, {}, 'Appointment')).toMatchObject({ created: 3, wrong: 0 });
    expect(await appointmentsOf(companyId)).toEqual([
      'Lee|2026-11-01 05:30|15|f|',
      'Lee|2026-11-01 06:30|15|f|',
      'Lee|2026-11-01 08:00|15|f|',
    ]);
    const { text } = await admin.call(exportCsv, { query: { type: 'Appointment' } });
    expect(text).toContain(',2026-11-01 01:30,15,');
    expect(text).toContain(',2026-11-01 01:30 -05:00,15,');
  });

  test('reminders: none unless the import asks for them, or the clinic has notified the patient itself', async () => {
    const { admin, companyId, doctor } = await buildClinic();
    const { email: second } = await buildUser(context, { companyId, firstName: 'Second' });
    const { email: third } = await buildUser(context, { companyId, firstName: 'Third' });
    const { email: moved } = await buildUser(context, { companyId, firstName: 'Moved' });
    const { email: restored } = await buildUser(context, { companyId, firstName: 'Restored' });
    const at = (provider: string) => lines(header, `,X1,,,,${provider},2026-11-02 12:00,15,`);
    await importCsv(app, admin, at(doctor), {}, 'Appointment');
    await importCsv(app, admin, at(moved), {}, 'Appointment');
    await importCsv(app, admin, at(restored), {}, 'Appointment');
    await importCsv(app, admin, at(second), { sendReminders: true }, 'Appointment');
    await importCsv(app, admin, at(third), {}, 'Appointment');
    const { rows } = await owner.query<{ id: number; email: string }>(
      `select appointment_id as id, u.email from appointments a join users u on u.user_id = a.doctor_id
       where a.company_id = $1`,
      [companyId],
    );
    const idOf = (email: string) => rows.find((one) => one.email === email)?.id ?? 0;
    expect((await admin.call(notifyAppointment, { params: { appointmentId: idOf(third) } })).status).toBe(204);
    await moveThereAndBack(admin, idOf(moved));
    await cancelAndRestore(admin, idOf(restored));
    clock.set(Date.parse('2026-11-02T16:40:00Z'));
    const reminded = async () =>
      (
        await owner.query<{ id: number }>(
          `select appointment_id as id from notification_logs where company_id = $1 and kind = 'reminder' group by 1 order by 1`,
          [companyId],
        )
      ).rows.map(({ id }) => id);
    await queueDueReminders(context);
    expect(await reminded()).toEqual([idOf(second), idOf(third)].toSorted((a, b) => a - b));
    for (const email of [doctor, moved, restored]) expect(await reminded()).not.toContain(idOf(email));
  });

  /** By drag and drop, and Undo: the patient was never invited, so nothing is sent. */
  async function moveThereAndBack(admin: Person, appointmentId: number) {
    const { startDate, doctorId } = (await admin.call(getAppointment, { params: { appointmentId }, query: {} })).json;
    const later = new Date(Date.parse(startDate) + 3_600_000).toISOString();
    for (const [version, to] of [later, startDate].entries()) {
      const move = { params: { appointmentId }, body: { startDate: to, doctorId, version } };
      expect((await admin.call(moveAppointment, move)).json.notice).toBe('notInvited');
    }
  }

  async function cancelAndRestore(admin: Person, appointmentId: number) {
    const texts = { cancellationNotes: '', externalId: '', welcomeMessage: '' };
    for (const cancelled of [true, false]) {
      const shown = (await admin.call(getAppointment, { params: { appointmentId }, query: {} })).json;
      const { version, startDate, doctorId, patientId } = shown;
      const body = { appointmentId, version, startDate, doctorId, patientId, cancelled, ...texts };
      expect((await admin.call(saveAppointment, { body })).status).toBe(200);
    }
  }

  test('undo: archives what was created, unless it was edited or the patient was notified', async () => {
    const { admin, companyId, doctor } = await buildClinic();
    const row = (start: string) => `,X1,,,,${doctor},${start},15,`;
    const file = lines(
      header,
      row('11/5/2026 9:00'),
      row('11/5/2026 10:00'),
      row('11/5/2026 11:00'),
      row('6/5/2024 9:00'),
    );
    const { fileId } = await importCsv(app, admin, file, {}, 'Appointment');
    const { rows } = await owner.query<{ id: number }>(
      'select appointment_id as id from appointments where company_id = $1 order by starts_at',
      [companyId],
    );
    const [, edited = 0, notified = 0] = rows.map(({ id }) => id);
    const shown = (await admin.call(getAppointment, { params: { appointmentId: edited }, query: {} })).json;
    const { appointmentId, version, startDate, doctorId, patientId, cancelled } = shown;
    const body = { appointmentId, version, startDate, doctorId, patientId, cancelled };
    const texts = { cancellationNotes: '', externalId: 'kept', welcomeMessage: '' };
    expect((await admin.call(saveAppointment, { body: { ...body, ...texts } })).status).toBe(200);
    expect((await admin.call(notifyAppointment, { params: { appointmentId: notified } })).status).toBe(204);
    expect((await admin.call(undoCsvImport, { params: { fileId } })).status).toBe(204);
    expect(await settled(app, admin, fileId)).toMatchObject({ state: 'undone', kept: 2 });
    expect(await appointmentsOf(companyId)).toEqual(['Lee|2026-11-05 14:00|15|f|kept', 'Lee|2026-11-05 15:00|15|f|']);
    const sent = await owner.query('select kind from notification_logs where company_id = $1', [companyId]);
    expect(new Set(sent.rows.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(['invitation']));
  });

  test.each(['after their appointments', 'again after their appointments'])(
    'undo: patients of an import can be undone %s',
    async (when) => {
      const { admin, companyId, doctor } = await buildClinic();
      const patients = lines('External ID,First Name,Last Name,Birth Date,Email', 'X7,New,Comer,1/5/1980,n@x.test');
      const { fileId: ofPatients } = await importCsv(app, admin, patients);
      const appointments = lines(header, `,X7,,,,${doctor},11/5/2026 9:00,15,`, `,X7,,,,${doctor},6/5/2024 9:00,15,`);
      const { fileId: ofAppointments, ...done } = await importCsv(app, admin, appointments, {}, 'Appointment');
      expect(done).toMatchObject({ created: 2 });
      if (when.startsWith('again')) {
        expect((await admin.call(undoCsvImport, { params: { fileId: ofPatients } })).status).toBe(204);
        expect(await settled(app, admin, ofPatients)).toMatchObject({ state: 'undone', kept: 1 });
        const { data } = (await admin.call(listCsvImports)).json;
        const { undoUntil, kept } = data.find((one) => one.fileId === ofPatients) ?? {};
        expect([undoUntil === null, kept]).toEqual([false, 1]);
      }
      for (const fileId of [ofAppointments, ofPatients]) {
        expect((await admin.call(undoCsvImport, { params: { fileId } })).status).toBe(204);
        expect(await settled(app, admin, fileId)).toMatchObject({ state: 'undone', kept: 0 });
      }
      expect(await appointmentsOf(companyId)).toEqual([]);
      const { rows } = await owner.query(
        `select last_name from patients where company_id = $1 and archived_at is null`,
        [companyId],
      );
      expect(rows).toEqual([{ last_name: 'Lee' }]);
    },
  );

  test('rows of a later step collide with those of an earlier one', async () => {
    const { admin, companyId, doctor } = await buildClinic();
    const day = (at: number) => new Date(Date.UTC(2027, 0, 1 + at)).toISOString().slice(0, 10);
    const slot = (at: number) => `${day(Math.floor(at / 8))} ${String(9 + (at % 8)).padStart(2, '0')}:00`;
    const row = (at: number, minutes: number) => `,X1,,,,${doctor},${slot(at)},${minutes},`;
    const rows = Array.from({ length: 1_200 }, (_, at) => row(at, 30));
    // The same as line 2, and one that overlaps line 3.
    const file = lines(header, ...rows, row(0, 30), `,X1,,,,${doctor},${slot(1).replace(':00', ':20')},30,`);
    const { checked, problems } = await problemsOf(admin, file);
    expect(problems).toEqual([
      [1202, 'same-row', 2],
      [1203, 'overlap-row', 3],
    ]);
    const counts = { rows: 1_202, created: 1_200, wrong: 1, doubled: 1 };
    expect(checked).toMatchObject(counts);
    expect(await importCsv(app, admin, file, {}, 'Appointment')).toMatchObject(counts);
    expect(await appointmentsOf(companyId)).toHaveLength(1_200);
    // Of more than one step, too.
    const { text } = await admin.call(exportCsv, { query: { type: 'Appointment' } });
    expect(new Set(text.trim().split('\r\n')).size).toBe(1_201);
  });
});

describe('export', () => {
  test('patients: imported again, nothing changes; formulas and several phones survive', async () => {
    const { admin, companyId } = await buildClinic();
    await buildPatient(context, {
      companyId,
      firstName: '=HYPERLINK("x")',
      lastName: '\'O\'Hara, "Zoë"',
      email: '',
      phones: ['2125550101', '2125550102', '2125550103', '2125550104'],
    });
    await buildPatient(context, { companyId, firstName: 'ANN', lastName: 'SHOUT', email: 'shout@x.test' });
    await buildPatient(context, { companyId, firstName: 'BOB', lastName: 'SHOUT', email: 'bob@x.test' });
    const { text, headers, status } = await admin.call(exportCsv, { query: { type: 'Patient' } });
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="patients.csv"']);
    const counts = { rows: 4, created: 0, updated: 0, unchanged: 4, wrong: 0, doubled: 0 };
    expect(await importCsv(app, admin, text)).toMatchObject(counts);
  });

  test('appointments: imported again, nothing changes; also those of anonymous patients, disabled providers and odd starts', async () => {
    const { admin, companyId, doctor, doctorId, annId } = await buildClinic();
    await importCsv(app, admin, lines(header, `A1,X1,,,,${doctor},11/5/2026 2:30 PM,20,`), {}, 'Appointment');
    const { userId: gone } = await buildUser(context, { companyId, disabled: true });
    const { patientId: anonymous } = await buildPatient(context, {
      companyId,
      firstName: 'Anonymous',
      verified: false,
    });
    await owner.query('update patients set anonymous = true, birth_date = null where patient_id = $1', [anonymous]);
    const odd = { companyId, doctorId, patientId: anonymous, startDate: '2026-10-05T15:03:27.123Z' };
    await buildAppointment(context, odd);
    await buildAppointment(context, { companyId, doctorId: gone, patientId: annId, startDate: '2026-10-06T15:00:00Z' });
    const again = { companyId, doctorId, patientId: annId, startDate: '2026-10-07T15:00:00Z' };
    await buildAppointment(context, { ...again, cancelled: true });
    await buildAppointment(context, again);
    const rows = await watchAudit(app);
    const { text } = await admin.call(exportCsv, { query: { type: 'Appointment' } });
    const counts = { rows: 5, created: 0, updated: 0, unchanged: 5, wrong: 0, doubled: 0 };
    expect(await importCsv(app, admin, text, {}, 'Appointment')).toMatchObject(counts);
    const audited = await rows();
    expect(audited.filter(({ action }) => action === 'exportCsv')).toEqual([
      expect.objectContaining({ objects: { export: 'Appointment' } }),
    ]);
    const { rows: ids } = await owner.query<{ id: number }>(
      'select appointment_id as id from appointments where company_id = $1 order by 1',
      [companyId],
    );
    expect(audited.filter(({ action }) => action === 'exportCsvRows')).toEqual([
      expect.objectContaining({ objects: { appointments: ids.map(({ id }) => id) } }),
    ]);
  });

  test('appointments: imported again, nothing changes; also with uids that look like card numbers, and starts that no new one has', async () => {
    const { admin, companyId, doctor, doctorId, annId } = await buildClinic();
    const starts = ['1999-12-30T15:00:00Z', '1950-06-01T15:00:00Z', '2026-11-05T15:00:00Z', '2040-01-05T15:00:00Z'];
    for (const startDate of starts)
      await buildAppointment(context, { companyId, doctorId, patientId: annId, startDate });
    const card = 'a4111111111111111bcdefabcdef0123';
    await owner.query(
      `update appointments set appointment_uid = $2 where company_id = $1 and starts_at = '2026-11-05T15:00:00Z'`,
      [companyId, card],
    );
    await owner.query(
      `update appointments set external_id = case when starts_at < '1960-01-01' then '-' else '''=A1' end
       where company_id = $1 and starts_at in ('1950-06-01T15:00:00Z', '2040-01-05T15:00:00Z')`,
      [companyId],
    );
    const { text } = await admin.call(exportCsv, { query: { type: 'Appointment' } });
    expect(text).toContain(`${card},X1,`);
    const counts = { rows: 4, created: 0, updated: 0, unchanged: 4, wrong: 0, doubled: 0 };
    expect(await importCsv(app, admin, text, {}, 'Appointment')).toMatchObject(counts);
    // Of others, none is created with them.
    const row = (id: string, start: string) => `${id},X1,,,,${doctor},${start},30,`;
    const file = lines(
      header,
      row(card.replace('b', 'c'), '11/6/2026 9:00'),
      row('Z1', '12/30/1999 9:00'),
      row('Z2', '1/5/2040 9:00'),
      row('', '1/5/2040 9:00'),
      row('4111 1111 1111 1111', '11/6/2026 10:00'),
      row(card, '12/30/1999 9:00'),
      row('Z3', '0001-01-01 9:00'),
      row('Z4', '12/31/9999 9:00'),
    );
    const { problems } = await problemsOf(admin, file);
    expect(problems).toEqual([
      [2, 'card-number', 0],
      [3, 'start-range', 0],
      [4, 'start-range', 0],
      [5, 'start-range', 0],
      [6, 'card-number', 0],
      [7, 'differs', 0],
      [8, 'start-range', 0],
      [9, 'start-range', 0],
    ]);
  });

  test('is of the caller’s company only', async () => {
    const { admin, annId } = await buildClinic();
    const other = await buildClinic();
    await buildAppointment(context, { companyId: other.companyId, patientId: other.annId, doctorId: other.doctorId });
    const { text } = await admin.call(exportCsv, { query: { type: 'Appointment' } });
    expect(text.trim().split('\r\n')).toHaveLength(1);
    expect(annId).not.toBe(other.annId);
  });
});

describe('import of weekly hours', () => {
  const head = 'Provider,Days,From,To,First day,Last day';

  test('each row becomes a weekly rule; again: changes nothing; undo: the provider can be booked as before', async () => {
    const { admin, companyId, doctor, doctorId } = await buildClinic();
    const file = lines(
      head,
      `${doctor},Mon-Fri,9:00 AM,12:00 PM,,`,
      'Dana Doctor,"Tue, Thu",13:00,24:00,1/4/2027,6/30/2027',
    );
    const { fileId, ...done } = await importCsv(app, admin, file, {}, 'WeeklyHours');
    expect(done).toMatchObject({ created: 2, wrong: 0 });
    const rules = async () =>
      (
        await owner.query<{ rule_id: number; text: string; uses_rules: boolean }>(
          `select r.rule_id, concat_ws('|', rule_type, week_mask, active_start_date, active_end_date, start_minute, end_minute) as text,
             u.uses_rules
           from scheduling_rules r join rule_times t using (rule_id) join rule_providers p using (rule_id)
           join users u on u.user_id = p.user_id
           where r.company_id = $1 and r.archived_at is null and p.user_id = $2 order by r.rule_id`,
          [companyId, doctorId],
        )
      ).rows;
    expect((await rules()).map(({ text, uses_rules: uses }) => [text, uses])).toEqual([
      ['W|62|2026-11-02|540|720', true],
      ['W|20|2027-01-04|2027-06-30|780|1440', true],
    ]);
    expect(await importCsv(app, admin, file, {}, 'WeeklyHours')).toMatchObject({ created: 0, unchanged: 2, wrong: 0 });
    expect((await admin.call(undoCsvImport, { params: { fileId } })).status).toBe(204);
    expect(await settled(app, admin, fileId)).toMatchObject({ state: 'undone', kept: 0 });
    expect(await rules()).toEqual([]);
    const { rows } = await owner.query('select uses_rules from users where user_id = $1', [doctorId]);
    expect(rows).toEqual([{ uses_rules: false }]);
  });

  test.each([
    ['one after the other', ['A', 'undo A', 'B', 'undo B']],
    ['both, the older first', ['A', 'B', 'undo A', 'undo B']],
    ['both, the newer first', ['A', 'B', 'undo B', 'undo A']],
  ])('undo: of two imports, %s: the provider can be booked as before them', async (_name, steps) => {
    const { admin, doctor, doctorId } = await buildClinic();
    const usesRules = async () =>
      (await owner.query('select uses_rules from users where user_id = $1', [doctorId])).rows[0]?.uses_rules as boolean;
    const files = {
      A: lines(head, `${doctor},Mon,9:00,12:00,,`),
      B: lines(head, `${doctor},Tue,9:00,12:00,,`),
    };
    const ids = new Map<string, number>();
    for (const step of steps) {
      const name = step.slice(-1) as 'A' | 'B';
      if (step === name) ids.set(name, (await importCsv(app, admin, files[name], {}, 'WeeklyHours')).fileId);
      else {
        expect((await admin.call(undoCsvImport, { params: { fileId: ids.get(name) ?? 0 } })).status).toBe(204);
        expect(await settled(app, admin, ids.get(name) ?? 0)).toMatchObject({ state: 'undone', kept: 0 });
      }
      expect(await usesRules()).toBe(step !== steps.at(-1) && !(step === 'undo A' && steps[1] === step));
    }
  });

  test('undo: leaves a rule that was edited', async () => {
    const { admin, doctor } = await buildClinic();
    const { fileId } = await importCsv(app, admin, lines(head, `${doctor},Mon,9:00,12:00,,`), {}, 'WeeklyHours');
    const { rows } = await owner.query<{ id: number }>(
      'select rule_id as id from scheduling_rules where import_id = $1',
      [fileId],
    );
    const ruleId = rows[0]?.id ?? 0;
    const { created: _created, ...body } = (await admin.call(getRule, { params: { ruleId } })).json;
    expect((await admin.call(saveRule, { body: { ...body, description: 'Mornings' } })).status).toBe(200);
    await admin.call(undoCsvImport, { params: { fileId } });
    expect(await settled(app, admin, fileId)).toMatchObject({ state: 'undone', kept: 1 });
  });

  test('refuses hours that overlap a rule or an earlier row, and what is not a day or a time', async () => {
    const { admin, companyId, doctor, doctorId } = await buildClinic();
    await buildRule(context, {
      companyId,
      doctorIds: [doctorId],
      ruleType: 'W',
      weekMask: 2,
      times: [['09:00', '12:00']],
    });
    const file = lines(
      head,
      `${doctor},Mon,11:00,13:00,,`,
      `${doctor},Monday,12:00,13:00,1/4/2027,3/1/2027`,
      `${doctor},Mon,12:30,14:00,3/2/2027,`,
      `${doctor},Mon–Wed,12:45,15:00,2/1/2027,`,
      `${doctor},Someday,9:00,10:00,,`,
      `${doctor},Tue,10:00,9:00,,`,
      `${doctor},Tue,25:00,26:00,,`,
      `unknown@x.test,Tue,9:00,10:00,,`,
      `${doctor},Tue,9:00,10:00,2/1/2027,1/1/2027`,
    );
    const { problems, checked } = await problemsOf(admin, file, 'WeeklyHours');
    expect(problems).toEqual([
      [2, 'overlap-rule', 0],
      [5, 'overlap-row', 3],
      [6, 'weekday', 0],
      [7, 'end-order', 0],
      [8, 'time', 0],
      [8, 'time', 0],
      [9, 'provider-unknown', 0],
      [10, 'day-order', 0],
    ]);
    expect(checked).toMatchObject({ created: 2, wrong: 7 });
  });
});
