import { auditActionsOf } from '@roomside/contract/audit/actions.ts';
import { downloadAuditLog, getAuditState, listAuditLog } from '@roomside/contract/audit/calls.ts';
import { logout } from '@roomside/contract/auth/calls.ts';
import { deletePatient, getPatient, listPatients } from '@roomside/contract/patients/calls.ts';
import { getUser, saveUser } from '@roomside/contract/users/calls.ts';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { buildGuest } from '../../../test/build-guest.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';

const app = await startTestApp();
const { context, clock } = app;
clock.freeze();
const owner = new pg.Client(app.database.owner);
await owner.connect();
afterAll(() => owner.end());

let companyId: number;
let adminId: number;
let admin: Person;
let doctor: Person;
let doctorId: number;
let patientId: number;

beforeEach(async () => {
  ({ companyId } = await buildCompany(context, { companyName: "O'Hara Clinic", timeZone: 'Asia/Kolkata' }));
  const builtAdmin = await buildUser(context, {
    companyId,
    role: 'A',
    firstName: 'Ada',
    lastName: "O'Brien",
    password,
  });
  const builtDoctor = await buildUser(context, { companyId, role: 'D', firstName: 'Dan', lastName: 'Weiss', password });
  adminId = builtAdmin.userId;
  doctorId = builtDoctor.userId;
  admin = await app.signIn({ email: builtAdmin.email, password });
  doctor = await app.signIn({ email: builtDoctor.email, password });
  ({ patientId } = await buildPatient(context, { companyId, firstName: '=SUM(1)', lastName: "D'Arcy" }));
});

const list = async (query: object = {}, by = admin) => {
  await context.security.flush();
  return (await by.call(listAuditLog, { query: { top: 50, skip: 0, ...query } })).json;
};
const actions = async (query: object = {}, by = admin) => (await list(query, by)).data.map(({ action }) => action);
const csv = async (query: object = {}, by = admin) => {
  await context.security.flush();
  return (await by.call(downloadAuditLog, { query })).text;
};

describe('listAuditLog', () => {
  test('has who did what of whom, when and from where, newest first, and its own reading', async () => {
    await doctor.call(getPatient, { params: { patientId } });
    const [row] = (await list()).data;
    expect(row).toMatchObject({
      at: isoNow(clock),
      actor: { kind: 'user', id: doctorId, name: 'Dan Weiss', roleId: 'D' },
      action: 'getPatient',
      refused: null,
      subjects: [{ kind: 'patient', id: patientId, name: "=SUM(1) D'Arcy", startDate: null }],
      more: 0,
      address: '127.0.0.1',
    });
    expect((await list({ patientId })).data[0]?.action).toBe('getPatient');
    // Both readings: of the whole log, and of this patient's part.
    expect(await actions()).toEqual(['listAuditLog', 'listAuditLog', 'getPatient', 'login', 'login']);
    expect(await actions({ patientId })).toEqual(['listAuditLog', 'getPatient']);
  });

  test('filters by person, patient, days of the clinic’s zone and kind', async () => {
    const { patientId: otherPatient } = await buildPatient(context, { companyId });
    const { appointmentId } = await buildAppointment(context, { companyId, doctorId, patientId });
    await doctor.call(getPatient, { params: { patientId } });
    await doctor.call(getPatient, { params: { patientId: otherPatient } });
    await doctor.call(listPatients, { query: { top: 50, skip: 0 } });
    await doctor.call(getPatient, { params: { patientId: 999_999_999 } });
    await doctor.call(logout, { body: { kind: 'staff' } });
    await owner.query(
      `insert into audit_log (company_id, occurred_at, actor, action, path, objects, request_id)
       values ($1, '2026-05-03T18:29:59.999Z', 'D_7', 'getAppointment', '', $2, 'a'),
         ($1, '2026-05-03T18:30:00.000Z', 'system', 'deliverNotification', '', $3, 'b')`,
      [companyId, { appointmentId }, { appointmentId: [appointmentId] }],
    );
    const ofPatient = ['listPatients', 'getPatient', 'deliverNotification', 'getAppointment'];
    expect((await actions({ patientId })).filter((one) => one !== 'listAuditLog').toSorted()).toEqual(
      ofPatient.toSorted(),
    );
    expect(await actions({ personId: doctorId, kind: 'viewed' })).toEqual(['listPatients', 'getPatient', 'getPatient']);
    expect(await actions({ personId: doctorId, kind: 'signed' })).toEqual(['logout', 'login']);
    expect(await actions({ personId: doctorId, kind: 'refused' })).toEqual(['getPatient']);
    expect(await actions({ personId: doctorId, kind: 'changed' })).toEqual([]);
    // Midnight of May 4 in Kolkata is 18:30 UTC on May 3.
    expect(await actions({ from: '2026-05-04', to: '2026-05-04' })).toEqual(['deliverNotification']);
    expect(await actions({ to: '2026-05-03' })).toEqual(['getAppointment']);
    const [gone] = (await list({ to: '2026-05-03' })).data;
    expect(gone).toMatchObject({
      actor: { kind: 'user', id: 7, name: null, roleId: 'D' },
      subjects: [{ kind: 'appointment', id: appointmentId, name: "=SUM(1) D'Arcy" }],
    });
  });

  test('finds the rows of a patient by the index of their ids, which has none of listed users and companies', async () => {
    const objects = { patientId: 3, patients: [4, 5], appointmentId: '6', users: [7], companies: [8], count: 9 };
    const { rows: ids } = await owner.query<{ ids: string[] }>('select audit_ids($1) as ids', [objects]);
    expect(ids[0]?.ids.toSorted()).toEqual(['3', '4', '5']);
    await owner.query('begin');
    await owner.query('set local enable_seqscan = off');
    const { rows } = await owner.query<Record<string, string>>(
      `explain select from audit_log a where audit_ids(a.objects) && '{3}'::text[]`,
    );
    await owner.query('rollback');
    const plan = rows.map((row) => row['QUERY PLAN'] ?? '');
    expect(plan.filter((line) => line.includes('Index Cond')).length).toBeGreaterThan(0);
    expect(plan.filter((line) => line.includes('Seq Scan'))).toEqual([]);
    // Inlined: a call for each row that is written takes several times as long.
    expect(plan.filter((line) => line.includes('audit_ids('))).toEqual([]);
  });

  test('has every sign-in action under signed', async () => {
    const signed = auditActionsOf('signed');
    for (const action of signed)
      await owner.query(
        `insert into audit_log (company_id, occurred_at, actor, action, path, request_id) values ($1, '2025-01-01', 'A_1', $2, '', 'x')`,
        [companyId, action],
      );
    expect((await actions({ to: '2025-01-02', kind: 'signed' })).toSorted()).toEqual([...signed].toSorted());
  });

  test('names guests', async () => {
    const { appointmentId } = await buildAppointment(context, { companyId, doctorId, patientId });
    const { guestId } = await buildGuest(context, { companyId, appointmentId, patientId }, { name: "Mia D'Angelo" });
    await owner.query(
      `insert into audit_log (company_id, occurred_at, actor, action, path, objects, request_id)
       values ($1, '2025-01-01', $2, 'joinAsGuest', '', $3, 'x')`,
      [companyId, `G_${guestId}`, { guestId }],
    );
    const [row] = (await list({ to: '2025-01-02' })).data;
    expect(row?.actor).toEqual({ kind: 'guest', id: guestId, name: "Mia D'Angelo", roleId: null });
    expect(row?.subjects).toMatchObject([{ kind: 'guest', name: "Mia D'Angelo" }]);
  });

  test('says what retention deleted and keeps, and why a patient was erased; other stored texts are not shown', async () => {
    const stored = [
      { deleted: ['1 chat_messages', '1200 files', '2 recording_blobs', 'Bo Lee', '3 patients'] },
      { companyId, keep: ['chats for ever', 'files 18 months', 'recordings 12 months', 'Bo Lee'] },
      { patientId, reason: 'law' },
      { patientId, reason: 'Bo Lee' },
      { patientId, deleted: 'Bo Lee', keep: [7, 'Bo 12 months'] },
    ];
    for (const [index, objects] of stored.entries())
      await owner.query(
        `insert into audit_log (company_id, occurred_at, actor, action, path, objects, request_id)
         values ($1, $2, 'system', 'deleteOverdue', '', $3, 'x')`,
        [companyId, `2025-01-0${index + 1}`, objects],
      );
    const query = { to: '2025-02-01', orderBy: 'at asc' };
    expect((await list(query)).data.map(({ details }) => details)).toEqual([
      'Deleted: 1 message, 1,200 files, 2 parts of recordings',
      'Kept: chats forever, files and photos for 18 months, recordings for 1 year',
      'Reason: A court or an authority ordered it',
      null,
      null,
    ]);
    // The part about one patient has the reason, too.
    expect((await list({ ...query, patientId })).data[0]?.details).toMatch(/^Reason: /);
    const text = await csv({ to: '2025-02-01' });
    expect(text).toContain(',Deleted old records as the clinic’s settings say,"Deleted: 1 message, 1,200 files,');
    expect(text).not.toContain('Bo');
  });

  test('has pages by keys in both directions, also of rows of one millisecond', async () => {
    await owner.query(
      `insert into audit_log (company_id, occurred_at, actor, action, path, objects, request_id)
       select $1, '2025-01-01', 'A_1', 'page' || n, '', '{}', 'x' from generate_series(1, 7) n`,
      [companyId],
    );
    const query = { to: '2025-01-02', top: 3 };
    const first = await list(query);
    expect(first.total).toBe(7);
    const second = await list({ ...query, skip: 3, total: 7, after: first.last });
    const third = await list({ ...query, skip: 6, total: 7, after: second.last });
    const names = [first, second, third].map(({ data }) => data.map(({ action }) => action));
    expect(names).toEqual([['page7', 'page6', 'page5'], ['page4', 'page3', 'page2'], ['page1']]);
    expect((await list({ ...query, total: 7, before: third.first })).data).toEqual(second.data);
    expect((await list({ ...query, skip: 3 })).data).toEqual(second.data);
    expect(await actions({ ...query, orderBy: 'at asc' })).toEqual(['page1', 'page2', 'page3']);
    const bad = await admin.call(listAuditLog, { query: { top: 3, skip: 0, after: 'bm8' } });
    expect(bad.status).toBe(400);
  });

  test('names archived patients; someone deleted from the database has no name', async () => {
    await doctor.call(getPatient, { params: { patientId } });
    expect((await doctor.call(deletePatient, { params: { patientId } })).status).toBe(204);
    const [deleted, viewed] = (await list({ patientId })).data;
    expect(deleted?.action).toBe('deletePatient');
    expect(viewed?.subjects).toMatchObject([{ name: "=SUM(1) D'Arcy" }]);
    await owner.query(
      `insert into audit_log (company_id, occurred_at, actor, action, path, objects, request_id)
       values ($1, '2025-01-01', 'P_8', 'listMyAppointments', '', '{"patientId": 9, "patients": [${patientId}, 9, 10, 11]}', 'x')`,
      [companyId],
    );
    const [gone] = (await list({ to: '2025-01-02' })).data;
    expect(gone).toMatchObject({
      actor: { kind: 'patient', id: 8, name: null },
      subjects: [{ id: 9, name: null }, { id: patientId }, { id: 10, name: null }],
      more: 1,
    });
  });

  test('is for administrators; has no rows of other companies, and for a Super only those without a company', async () => {
    const { companyId: otherId } = await buildCompany(context);
    const foreign = await buildUser(context, { companyId: otherId, role: 'A', password });
    const other = await app.signIn({ email: foreign.email, password });
    await doctor.call(getPatient, { params: { patientId } });
    expect((await doctor.call(listAuditLog, { query: { top: 5, skip: 0 } })).status).toBe(403);
    expect((await doctor.call(downloadAuditLog, { query: {} })).status).toBe(403);
    expect(await actions({ patientId }, other)).toEqual([]);
    expect(await actions({ personId: doctorId }, other)).toEqual([]);
    expect(await csv({}, other)).not.toContain('Weiss');

    const root = await buildUser(context, { companyId: null, role: 'A', firstName: 'Root', lastName: 'One', password });
    const superUser = await app.signIn({ email: root.email, password });
    const user = (await superUser.call(getUser, { params: { userId: adminId } })).json;
    const { company: _c, created: _d, isExternal: _e, hasPassword: _h, invitedAt: _i, ...body } = user;
    await superUser.call(saveUser, { body: { ...body, lastName: 'Lind' } });
    const seen = await list({ personId: root.userId }, superUser);
    expect(seen.data.map(({ action }) => action)).toEqual(['saveUser', 'getUser', 'login']);
    expect(seen.data[0]).toMatchObject({ actor: { name: 'Root One' }, subjects: [{ kind: 'user', name: 'Ada Lind' }] });
    expect(await actions({ patientId }, superUser)).not.toContain('getPatient');
    expect(await csv({}, superUser)).not.toContain("D'Arcy");
  });
});

describe('downloadAuditLog', () => {
  test('has the filtered rows in the clinic’s time; text that looks like a formula is quoted', async () => {
    await owner.query(
      `insert into audit_log (company_id, occurred_at, actor, action, path, objects, address, request_id)
       values ($1, '2025-11-21T20:15:30.000Z', $2, 'getPatient', '', $3, '203.0.113.7', 'x')`,
      [companyId, `D_${doctorId}`, { patientId }],
    );
    const query = { personId: doctorId, kind: 'viewed', to: '2025-12-31' };
    const [head, line, ...others] = (await csv(query)).split('\r\n');
    expect(head).toBe('Date,Time,Time zone,Person,Role,Action,Details,Concerns,Refused,Address');
    expect(line).toBe(
      "2025-11-22,01:45:30,Asia/Kolkata,Dan Weiss,Doctor,Viewed a patient’s record,,'=SUM(1) D'Arcy,,203.0.113.7",
    );
    expect(others).toEqual(['']);
    expect(await actions({ kind: 'viewed' })).toContain('downloadAuditLog');
  });

  test('has every subject of a row, and words for refusals', async () => {
    const { patientId: second } = await buildPatient(context, { companyId, firstName: 'Bo', lastName: 'Lee' });
    await doctor.call(listPatients, { query: { top: 50, skip: 0 } });
    await doctor.call(getPatient, { params: { patientId: 999_999_999 } });
    const text = await csv({ personId: doctorId });
    expect(second).toBeGreaterThan(0);
    expect(text).toMatch(/D'Arcy; Bo Lee|Bo Lee; =SUM\(1\) D'Arcy/);
    expect(text).toContain('Patient 999999999 (deleted),We couldn’t find this. It may have been deleted.');
  });
});

describe('getAuditState', () => {
  test('says until when the log is verified, and shows an alarm', async () => {
    const [checkedAt, verifiedTo, brokenAt] = ['2026-02-03T10:00:00.000Z', '2026-02-03T09:59:00.000Z', isoNow(clock)];
    // The server's own first check may come in between.
    const stateAfter = async (brokenNo: number | null) => {
      await owner.query('update audit_state set checked_at = $1, verified_to = $2, broken_no = $3, broken_at = $4', [
        checkedAt,
        verifiedTo,
        brokenNo,
        brokenNo === null ? null : brokenAt,
      ]);
      return (await admin.call(getAuditState)).json;
    };
    await expect.poll(() => stateAfter(null)).toEqual({ checkedAt, verifiedTo, brokenAt: null });
    await expect.poll(() => stateAfter(999_999)).toEqual({ checkedAt, verifiedTo, brokenAt });
  });
});
