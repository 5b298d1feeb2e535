import { type StatusFacts, statusOf } from '@roomside/contract/appointments/status.ts';
import { downloadNumbers, getNumbers, listAttention } from '@roomside/contract/numbers/calls.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startMailPeer } from '../../../test/message-peers.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import {
  buildAppointment,
  buildCompany,
  buildPatient,
  buildRule,
  buildUser,
  type PatientValues,
} from '../../demo/builders.ts';
import { readSettings } from '../../platform/settings.ts';
import { deliverNotification } from '../notifications/deliver-notification.ts';
import { deliverPasswordMail } from '../notifications/deliver-password-mail.ts';
import type { Transports } from '../notifications/delivery.ts';
import { deliveryTexts } from '../notifications/texts.ts';
import { createTransports } from '../notifications/transports.ts';

const mail = await startMailPeer();
const app = await startTestApp();
const { context, clock } = app;
clock.freeze();
const owner = new pg.Client(app.database.owner);
await owner.connect();
afterAll(() => owner.end());

const zone = 'America/New_York';
let companyId: number;
let adminId: number;
let doctorId: number;
let admin: Person;
let adminSignIn: { email: string; password: string };

beforeEach(async () => {
  // Wednesday; the clocks went back on 2026-11-01.
  clock.set(Date.parse('2026-11-18T17:00:00Z'));
  ({ companyId } = await buildCompany(context, { timeZone: zone }));
  const built = await buildUser(context, { companyId, role: 'A', password, firstName: 'Ada', lastName: 'Abel' });
  adminId = built.userId;
  doctorId = (await buildUser(context, { companyId, role: 'D', lastName: 'Zorn' })).userId;
  adminSignIn = { email: built.email, password };
  admin = await app.signIn(adminSignIn);
});

const read = async (weeks: number) => (await admin.call(getNumbers, { query: { weeks } })).json;

/** A made-up past of appointments, each with what happened; the same at each run. */
function* madeUp(count: number) {
  let seed = 20_261_118;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  // Three weeks back, so that each side of the change of the clocks has some, and late evenings.
  for (let i = 0; i < count; i += 1) {
    const start = Date.parse('2026-10-29T04:00:00Z') + next(20 * 24 * 4) * 900_000 + i * 1_000;
    const startDate = new Date(start).toISOString();
    const kind = next(6);
    yield {
      startDate,
      minutes: 15,
      cancelled: kind === 0,
      visit:
        kind < 2
          ? undefined
          : {
              duration: kind === 2 ? 20 : 300,
              waited: next(1_500),
              arrivedAt: startDate,
              ...(kind === 3 && { endedAt: new Date(start + 400_000).toISOString() }),
            },
    };
  }
}

/** The value below which the part of the sorted values lies, interpolated as in SQL (ISO 9075, percentile_cont). */
function percentile(values: readonly number[], part: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return Math.round(low + (high - low) * (at - Math.floor(at)));
}

describe('getNumbers', () => {
  test('numbers: are those of a plain computation with the rule of statuses', async () => {
    const expected = new Map<string, { visits: number; missed: number; cancelled: number; waits: number[] }>();
    const now = new Date(clock.now()).toISOString();
    // Each has every third appointment. The second is disabled afterwards, the third gets another role.
    const others = [
      await buildUser(context, { companyId, role: 'D', firstName: 'Bo', lastName: 'Gone' }),
      await buildUser(context, { companyId, role: 'D', firstName: 'Cy', lastName: 'Fled' }),
    ];
    const doctors = [doctorId, ...others.map(({ userId }) => userId)];
    const booked = new Map<number, number>();
    for (const [index, made] of [...madeUp(60)].entries()) {
      const doctor = doctors[index % doctors.length] ?? 0;
      await buildAppointment(context, {
        companyId,
        doctorId: doctor,
        startDate: made.startDate,
        minutes: made.minutes,
        cancelled: made.cancelled,
        overbooked: true,
        ...(made.visit && { visit: made.visit }),
      });
      const facts: StatusFacts = {
        startDate: made.startDate,
        cancelled: made.cancelled,
        cancelledAt: null,
        patientPresent: null,
        providerPresent: null,
        firstArrivedAt: made.visit?.arrivedAt ?? null,
        duration: made.visit?.duration ?? 0,
        endedAt: made.visit && 'endedAt' in made.visit ? (made.visit.endedAt ?? null) : null,
        providerCame: false,
        waitedSeconds: 0,
        completedElsewhere: false,
      };
      const day = Temporal.PlainDate.from(instantToWall(made.startDate, zone).day);
      const week = day.subtract({ days: day.dayOfWeek % 7 }).toString();
      const sum = expected.get(week) ?? { visits: 0, missed: 0, cancelled: 0, waits: [] };
      const status = statusOf(facts, now);
      if (status === 'completed') {
        sum.visits += 1;
        sum.waits.push(made.visit?.waited ?? 0);
      }
      if (status === 'missed') sum.missed += 1;
      if (status === 'cancelled') sum.cancelled += 1;
      else booked.set(doctor, (booked.get(doctor) ?? 0) + made.minutes);
      expected.set(week, sum);
    }
    const [second, third] = others;
    await owner.query('update users set disabled = true where user_id = $1', [second?.userId]);
    await owner.query(`update users set role_id = 'U' where user_id = $1`, [third?.userId]);
    const numbers = await read(4);
    expect([numbers.from, numbers.to]).toEqual(['2026-10-25', '2026-11-18']);
    expect(numbers.weeks).toEqual(
      ['2026-10-25', '2026-11-01', '2026-11-08', '2026-11-15'].map((from) => {
        const sum = expected.get(from);
        return {
          from,
          visits: sum?.visits ?? 0,
          missed: sum?.missed ?? 0,
          cancelled: sum?.cancelled ?? 0,
          waitMedian: percentile(sum?.waits ?? [], 0.5),
          waitP90: percentile(sum?.waits ?? [], 0.9),
        };
      }),
    );
    const all = [...expected.values()];
    const waits = all.flatMap((sum) => sum.waits);
    expect(numbers.total).toEqual({
      visits: waits.length,
      missed: all.reduce((count, sum) => count + sum.missed, 0),
      cancelled: all.reduce((count, sum) => count + sum.cancelled, 0),
      waitMedian: percentile(waits, 0.5),
      waitP90: percentile(waits, 0.9),
    });
    expect(new Map(numbers.providers.map(({ userId, bookedMinutes }) => [userId, bookedMinutes]))).toEqual(
      new Map([[adminId, 0], ...booked]),
    );
    // Former providers come last, without open minutes.
    expect(numbers.providers.map(({ lastName, openMinutes }) => [lastName, openMinutes === null])).toEqual([
      ['Abel', false],
      ['Zorn', false],
      ['Fled', true],
      ['Gone', true],
    ]);
    expect(expected.size).toBeGreaterThanOrEqual(3);
  });

  test('utilization: booked minutes of what rules open, and of the company’s hours without a rule', async () => {
    await buildRule(context, { companyId, doctorIds: [doctorId] });
    const numbers = await read(1);
    const [ada, zorn] = numbers.providers;
    // Monday to Wednesday from 8 to 17 without a rule.
    expect([ada?.lastName, ada?.openMinutes]).toEqual(['Abel', 3 * 9 * 60]);
    // Sunday to Wednesday from 9 to 12 by the rule.
    expect([zorn?.lastName, zorn?.openMinutes]).toEqual(['Zorn', 4 * 3 * 60]);
  });

  test('utilization: a former provider is listed in weeks with appointments that were not cancelled', async () => {
    const gone = await buildUser(context, { companyId, role: 'D', firstName: 'Bo', lastName: 'Gone' });
    const build = (startDate: string, cancelled: boolean) =>
      buildAppointment(context, { companyId, doctorId: gone.userId, startDate, minutes: 30, cancelled });
    await build('2026-11-10T15:00:00Z', false);
    await build('2026-11-17T15:00:00Z', true);
    await owner.query('update users set disabled = true where user_id = $1', [gone.userId]);
    const last = async (weeks: number) => (await read(weeks)).providers.at(-1);
    expect((await last(1))?.lastName).toBe('Zorn');
    expect(await last(2)).toEqual({
      userId: gone.userId,
      firstName: 'Bo',
      lastName: 'Gone',
      bookedMinutes: 30,
      openMinutes: null,
    });
    const csv = await admin.call(downloadNumbers, { query: { weeks: 2, table: 'providers' } });
    expect(csv.text).toContain('\r\nBo Gone,30,\r\n');
  });

  test('device problems: list what the checks found that is not in order, most frequent first', async () => {
    for (const [camera, connection] of [
      ['refused', 'good'],
      ['refused', 'failed'],
      ['works', 'good'],
    ]) {
      const { appointmentId, patientId } = await buildAppointment(context, { companyId, doctorId, overbooked: true });
      await owner.query(
        `insert into device_checks (appointment_id, company_id, patient_id, checked_at, camera, microphone, speaker, connection)
         values ($1, $2, $3, $4, $5, 'works', 'unknown', $6)`,
        [appointmentId, companyId, patientId, new Date(clock.now()).toISOString(), camera, connection],
      );
    }
    const { checks, deviceProblems } = await read(2);
    expect([checks, deviceProblems]).toEqual([
      3,
      [
        { part: 'camera', result: 'refused', count: 2 },
        { part: 'connection', result: 'failed', count: 1 },
      ],
    ]);
  });

  test('another company: is not counted; CSV has the same rows', async () => {
    const other = await buildCompany(context);
    const startDate = '2026-11-17T15:00:00Z';
    await buildAppointment(context, { companyId: other.companyId, startDate, visit: { duration: 300 } });
    await buildAppointment(context, { companyId, doctorId, startDate, visit: { duration: 300, waited: 90 } });
    expect((await read(1)).weeks).toEqual([
      { from: '2026-11-15', visits: 1, missed: 0, cancelled: 0, waitMedian: 90, waitP90: 90 },
    ]);
    const csv = await admin.call(downloadNumbers, { query: { weeks: 1, table: 'weeks' } });
    expect(csv.text.split('\r\n').slice(1)).toEqual(['2026-11-15,1,0,0,90,90', '']);
    for (const [table, first] of [
      ['waits', '2026-11-15,1,90,90'],
      ['providers', 'Provider'],
      ['devices', 'Part'],
    ] as const)
      expect((await admin.call(downloadNumbers, { query: { weeks: 1, table } })).text).toContain(first);
  });
});

describe('listAttention', () => {
  const list = async () => (await admin.call(listAttention)).json.data;
  const secureAll = () =>
    owner.query(
      `insert into passkeys (user_id, credential_id, public_key, counter, name, created_at)
       select user_id, 'key-' || user_id, '', 0, 'Key', now() from users where company_id = $1`,
      [companyId],
    );

  test('users without a second factor: are counted, unless they are disabled', async () => {
    const { rows } = await owner.query<{ user_id: number }>('select user_id from users where company_id = $1', [
      companyId,
    ]);
    expect(await list()).toEqual([{ kind: 'without-factor', count: rows.length, date: '' }]);
    await owner.query('update users set disabled = true where user_id = $1', [doctorId]);
    expect(await list()).toEqual([{ kind: 'without-factor', count: rows.length - 1, date: '' }]);
    await owner.query('update users set disabled = false where user_id = $1', [doctorId]);
    await secureAll();
    expect(await list()).toEqual([]);
  });

  test('list: is empty without a reason, has a license that ends within 30 days, and is refused for an expired one', async () => {
    const end = (date: string) =>
      owner.query('update companies set expiration_date = $2 where company_id = $1', [companyId, date]);
    await secureAll();
    expect(await list()).toEqual([]);
    await end('2026-12-19');
    expect(await list()).toEqual([]);
    await end('2026-12-18');
    expect(await list()).toEqual([{ kind: 'license-ends', count: 0, date: '2026-12-18' }]);
    await end('2026-11-18');
    expect((await admin.call(listAttention)).problem.code).toBe('license-expired');
    await end('2099-12-31');
  });

  test('failed messages of the last day, and upcoming appointments of patients without mail and phone: are counted', async () => {
    await secureAll();
    const { patientId } = await buildPatient(context, { companyId, email: '', phones: [] });
    const { appointmentId } = await buildAppointment(context, {
      companyId,
      doctorId,
      patientId,
      startDate: '2026-11-20T15:00:00Z',
    });
    for (const [method, hours] of [
      ['email', 2],
      ['email', 3],
      ['text', 30],
    ] as const)
      await owner.query(
        `insert into notification_logs (company_id, appointment_id, patient_id, kind, method, due_at, state, created_at)
         values ($1, $2, $3, 'reminder', $4, $5, 'failed', $5)`,
        [companyId, appointmentId, patientId, method, new Date(clock.now() - hours * 3_600_000).toISOString()],
      );
    expect(await list()).toEqual([
      { kind: 'email-failing', count: 2, date: '' },
      { kind: 'unreachable-patients', count: 1, date: '' },
    ]);
  });
});

describe('listAttention of deliveries', () => {
  const list = async () => (await admin.call(listAttention)).json.data.filter(({ kind }) => kind !== 'without-factor');
  const env = { MAIL_FROM: 'Roomside <visits@roomside.test>', SMTP_URL: mail.url };
  const works = createTransports(readSettings(env), context.db, false);
  const isClosed = createTransports(readSettings({ ...env, SMTP_URL: 'smtp://127.0.0.1:1' }), context.db, false);
  afterAll(() => [works, isClosed].forEach((transports) => transports.close()));
  const later = async (minutes: number) => {
    clock.set(clock.now() + minutes * 60_000);
    // The access token has expired meanwhile.
    admin = await app.signIn(adminSignIn);
  };

  let built = 0;
  /** A queued message about an appointment in an hour or some. */
  async function queued(patient: PatientValues = {}, kind = 'invitation') {
    const { patientId } = await buildPatient(context, { companyId, email: 'pat@example.test', phones: [], ...patient });
    const startDate = new Date(clock.now() + 3_600_000 * (1 + (built++ % 5))).toISOString();
    const { appointmentId } = await buildAppointment(context, { companyId, doctorId, patientId, startDate });
    const { rows } = await owner.query<{ notification_id: string }>(
      `insert into notification_logs (company_id, appointment_id, patient_id, kind, method, due_at, created_at)
       values ($1, $2, $3, $4, 'email', $5, $5) returning notification_id`,
      [companyId, appointmentId, patientId, kind, new Date(clock.now()).toISOString()],
    );
    const job = { companyId, notificationId: Number(rows[0]!.notification_id) };
    return { patientId, deliver: (by: Transports) => deliverNotification(context, by, job, { last: false }) };
  }

  test('mail server that does not answer: is there within minutes, and gone after the mail was sent', async () => {
    const { deliver } = await queued();
    const since = new Date(clock.now()).toISOString();
    await expect(deliver(isClosed)).rejects.toThrow(deliveryTexts.mailUnreachable);
    expect(await list()).toEqual([]);
    await later(4);
    await expect(deliver(isClosed)).rejects.toThrow(deliveryTexts.mailUnreachable);
    expect(await list()).toEqual([{ kind: 'email-failing', count: 1, date: '', since }]);
    await deliver(works);
    expect(await list()).toEqual([]);
  });

  test('message that an outage keeps past the start: stays as not delivered, also when the mail server answers again', async () => {
    const { deliver } = await queued({}, 'newTime');
    const since = new Date(clock.now()).toISOString();
    await expect(deliver(isClosed)).rejects.toThrow(deliveryTexts.mailUnreachable);
    await later(6 * 60);
    await deliver(isClosed);
    expect(await list()).toEqual([{ kind: 'email-failing', count: 1, date: '', since }]);
    await (await queued()).deliver(works);
    expect(await list()).toEqual([{ kind: 'email-failing', count: 1, date: '' }]);
    await later(24 * 60);
    expect(await list()).toEqual([]);
  });

  test('mail to a user, which has no log: the outage is there until the next mail', async () => {
    const since = new Date(clock.now()).toISOString();
    const mailTo = (transports: Transports) =>
      deliverPasswordMail(context, transports, { userId: doctorId, purpose: 'invite', mailUid: `of-${doctorId}` });
    await expect(mailTo(isClosed)).rejects.toThrow(deliveryTexts.mailUnreachable);
    await later(3);
    expect(await list()).toEqual([{ kind: 'email-failing', count: 0, date: '', since }]);
    const { email } = await buildUser(context, { companyId: null, password });
    const root = await app.signIn({ email, password });
    expect((await root.call(listAttention)).json.data).toContainEqual(
      expect.objectContaining({ kind: 'email-failing', since }),
    );
    await mailTo(works);
    expect(await list()).toEqual([]);
  });

  test('one address that is refused for now: is no outage, but counts after minutes', async () => {
    const { deliver } = await queued();
    mail.refusals.push(451);
    await expect(deliver(works)).rejects.toThrow(deliveryTexts.mailLater(451));
    await later(4);
    expect(await list()).toEqual([{ kind: 'email-failing', count: 1, date: '' }]);
  });

  test('patient whose email was refused: is unreachable without a phone, until the patient is changed', async () => {
    const unreachable = async () => (await list()).filter(({ kind }) => kind === 'unreachable-patients');
    const { deliver, patientId } = await queued();
    mail.refusals.push(550);
    await deliver(works);
    const withPhone = await queued({ phones: ['2125550143'] });
    mail.refusals.push(550);
    await withPhone.deliver(works);
    expect(await unreachable()).toEqual([{ kind: 'unreachable-patients', count: 1, date: '' }]);
    await owner.query(`update patients set email = 'new@example.test', version = version + 1 where patient_id = $1`, [
      patientId,
    ]);
    expect(await unreachable()).toEqual([]);
  });
});

test('the start of a visit: is that of its appointment, also after a move', async () => {
  const startDate = '2031-03-04T15:00:00.000Z';
  const visit = { arrivedAt: startDate, duration: 60 };
  const { appointmentId } = await buildAppointment(context, { companyId, doctorId, startDate, visit });
  const startOf = () =>
    context.db.open({ kind: 'job', companyId }, async (tx) => {
      const visits = tx.selectFrom('visits').select('starts_at').where('appointment_id', '=', appointmentId);
      return (await visits.executeTakeFirstOrThrow()).starts_at;
    });
  expect(await startOf()).toBe(startDate);
  const moved = { starts_at: '2031-03-05T16:00:00.000Z', ends_at: '2031-03-05T16:15:00.000Z' };
  await context.db.open({ kind: 'job', companyId }, (tx) =>
    tx.updateTable('appointments').set(moved).where('appointment_id', '=', appointmentId).execute(),
  );
  expect(await startOf()).toBe(moved.starts_at);
});
