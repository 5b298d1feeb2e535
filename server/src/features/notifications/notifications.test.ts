import { getAppointment, notifyAppointment, startInstantAppointment } from '@roomside/contract/appointments/calls.ts';
import { passwordReset, requestPasswordReset } from '@roomside/contract/auth/calls.ts';
import { getVisitCalendar } from '@roomside/contract/room/calls.ts';
import ICAL from 'ical.js';
import { sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { startMailPeer, startTextPeer } from '../../../test/message-peers.ts';
import { ageHeartbeats, quickJobs } from '../../../test/quick-jobs.ts';
import { startNode } from '../../../test/start-node.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import {
  type AppointmentValues,
  buildAppointment,
  buildCompany,
  buildPatient,
  buildUser,
  type PatientValues,
} from '../../demo/builders.ts';
import { movableClock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { startJobs } from '../../platform/jobs.ts';
import { openKeys } from '../../platform/keys.ts';
import { readSettings } from '../../platform/settings.ts';
import { jobHandlers } from '../jobs.ts';
import { accountSecurityQueue } from './deliver-account-security.ts';
import { emailChangedQueue } from './deliver-email-changed.ts';
import { licenseMailQueue } from './deliver-license-mail.ts';
import { deliverNotification, type JobContext } from './deliver-notification.ts';
import { deliverPasswordMail } from './deliver-password-mail.ts';
import { deliveryTexts } from './texts.ts';
import { createTransports } from './transports.ts';

const mail = await startMailPeer();
const text = await startTextPeer();
const env = { SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>', SMS_URL: text.url };
const app = await startTestApp({ env });
const { context } = app;
const transports = createTransports(context.settings, context.db, false);

let people = 0;
const newEmail = () => `person-${(people += 1)}@example.test`;

/** Builds a clinic, signs in a provider and books an appointment for the given patient. */
async function clinic(patient: PatientValues = {}, appointment: AppointmentValues = {}, companyName = 'Maple Clinic') {
  const { companyId } = await buildCompany(context, { companyName });
  const doctor = await buildUser(context, { companyId, firstName: 'Maya', lastName: "O'Hara", password });
  const email = patient.email ?? newEmail();
  const { patientId } = await buildPatient(context, { companyId, ...patient, email });
  const built = await buildAppointment(context, {
    companyId,
    patientId,
    doctorId: doctor.userId,
    startDate: '2030-03-08T19:30:00Z',
    ...appointment,
  });
  const person = await app.signIn({ email: doctor.email, password });
  const notify = () => person.call(notifyAppointment, { params: { appointmentId: built.appointmentId } });
  return { ...built, email, person, notify };
}

/** Inserts a queued row without its job, so that a test decides when it is delivered. */
async function queueOnly(
  appointment: { companyId: number; appointmentId: number; patientId: number },
  method = 'email',
  { db }: Pick<JobContext, 'db'> = context,
) {
  const now = new Date().toISOString();
  const { notification_id } = await db.open({ kind: 'job', companyId: appointment.companyId }, (tx) =>
    tx
      .insertInto('notification_logs')
      .values({
        company_id: appointment.companyId,
        appointment_id: appointment.appointmentId,
        patient_id: appointment.patientId,
        kind: 'invitation',
        method,
        due_at: now,
        created_at: now,
      })
      .returning('notification_id')
      .executeTakeFirstOrThrow(),
  );
  return { companyId: appointment.companyId, notificationId: notification_id };
}

const rowsOf = ({ companyId, appointmentId }: { companyId: number; appointmentId: number }) =>
  context.db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .selectFrom('notification_logs')
      .select(['method', 'state', 'error', 'sent_at'])
      .where('appointment_id', '=', appointmentId)
      .orderBy('method')
      .execute(),
  );

describe('invitation', () => {
  test('is sent by mail and text with the link, the code and the calendar entry @APPT-3', async () => {
    const { notify, email, accessCode, appointmentUid, appointmentId, person } = await clinic({
      firstName: 'Pat',
      phones: ['2025550147'],
    });
    expect((await notify()).status).toBe(204);
    const link = `http://localhost/#/link/${accessCode}`;

    const received = await mail.first(email);
    expect(received.headers.get('subject')).toBe('Your video visit with Maple Clinic on Friday, March 8');
    expect(received.headers.get('from')).toBe('Roomside <visits@roomside.test>');
    const [plain, html, entry, attached] = received.parts;
    expect(received.parts.map((part) => part.type.split(';')[0])).toEqual([
      'text/plain',
      'text/html',
      'text/calendar',
      'application/ics',
    ]);
    expect(plain!.text).toContain('Hello Pat,');
    expect(plain!.text).toContain("With: Maya O'Hara");
    expect(plain!.text).toContain('When: Friday, March 8, 2030 at 2:30 PM Eastern Standard Time');
    expect(plain!.text).toContain(`Access code: ${accessCode}`);
    expect(plain!.text).toContain(link);
    expect(html!.text).toContain(`href="${link}"`);
    expect(entry!.type).toMatch(/method=REQUEST/);
    expect(attached!.text).toBe(entry!.text);
    const event = new ICAL.Event(
      new ICAL.Component(ICAL.parse(entry!.text) as unknown[]).getFirstSubcomponent('vevent')!,
    );
    expect([event.uid, event.startDate.toString()]).toEqual([`${appointmentUid}@roomside`, '2030-03-08T19:30:00Z']);

    const message = await text.first('+12025550147');
    expect(message).toEqual({
      to: '+12025550147',
      from: '+12025550100',
      account: 'AC1:secret',
      body: `Maple Clinic: your video visit is on Fri, Mar 8, 2:30 PM EST. Join: ${link} (code ${accessCode})`,
    });
    // The log of the appointment.
    const logs = await vi.waitFor(
      async () => {
        const { notificationLogs } = (await person.call(getAppointment, { params: { appointmentId } })).json;
        expect(notificationLogs.map((log) => log.state)).toEqual(['sent', 'sent']);
        return notificationLogs;
      },
      { timeout: 30_000 },
    );
    expect(logs.map((log) => [log.notificationMethod.name, log.user?.lastName])).toEqual([
      ['Text', "O'Hara"],
      ['Email', "O'Hara"],
    ]);
    expect(app.logged.join()).not.toContain(email);
    expect(app.logged.join()).not.toContain(accessCode);
  });

  test('shows the names of patient and clinic as typed, escaped in HTML', async () => {
    const { notify, email } = await clinic(
      { firstName: `D'Arcy <b>&amp;`, lastName: 'Søren "Q"' },
      {},
      `Smith & Sons' <Clinic>`,
    );
    await notify();
    const received = await mail.first(email);
    const [plain, html] = received.parts;
    expect(received.headers.get('subject')).toBe(`Your video visit with Smith & Sons' <Clinic> on Friday, March 8`);
    expect(plain!.text).toContain(`Hello D'Arcy <b>&amp;,`);
    expect(html!.text).toContain('Hello D&#39;Arcy &lt;b&gt;&amp;amp;,');
    expect(html!.text).toContain('Smith &amp; Sons&#39; &lt;Clinic&gt;');
    expect(html!.text).not.toMatch(/<b>|<Clinic>/);
  });

  test('contains no name with a web or email address, which would become a link', async () => {
    const { notify, email } = await clinic({ firstName: 'Win at http://evil.test', lastName: 'Now' });
    await notify();
    const received = await mail.first(email);
    expect(received.raw).not.toMatch(/evil/);
    expect(received.parts[0]?.text).toContain('Hello,');
    const named = await clinic({ firstName: 'Ada', lastName: 'evil.test' });
    await named.notify();
    const { raw, parts } = await mail.first(named.email);
    expect(raw).not.toMatch(/evil/);
    expect(parts[0]?.text).toContain('Hello Ada,');
  });

  test('says that an instant appointment starts now, and contains no name of an anonymous patient', async () => {
    const { person } = await clinic();
    const email = newEmail();
    const response = await person.call(startInstantAppointment, { body: { email, phone: '2025550188' } });
    expect(response.json.invited).toBe(true);
    const received = await mail.first(email);
    expect(received.headers.get('subject')).toBe('Your video visit with Maple Clinic starts now');
    expect(received.headers.get('to')).toBe(email);
    expect(received.parts[0]!.text).toMatch(
      /^Hello,\n\nMaple Clinic is waiting for you\. Your video visit starts now\./,
    );
    expect(received.parts[0]!.text).not.toContain('Anonymous');
    expect((await text.first('+12025550188')).body).toMatch(/^Maple Clinic: your video visit starts now\. Join: /);
  });

  test('returns 422 and inserts no row for a patient with neither email nor phone', async () => {
    const appointment = await clinic({ email: '' });
    const response = await appointment.notify();
    expect([response.status, response.problem.code]).toEqual([422, 'no-contact']);
    expect(await rowsOf(appointment)).toEqual([]);
  });
});

describe('failed delivery', () => {
  test('retries after a temporary refusal of mail server and gateway, and sends once', async () => {
    const appointment = await clinic({ phones: ['2025550155'] });
    mail.refusals.push(451);
    // 401: the operator can correct the account, so the message is retried.
    text.refusals.push(503, 401);
    await appointment.notify();
    await mail.first(appointment.email);
    await text.first('+12025550155');
    await vi.waitFor(
      async () =>
        expect(await rowsOf(appointment)).toEqual([
          { method: 'email', state: 'sent', error: '', sent_at: expect.any(String) },
          { method: 'text', state: 'sent', error: '', sent_at: expect.any(String) },
        ]),
      { timeout: 30_000 },
    );
    expect(mail.to(appointment.email)).toHaveLength(1);
  });

  test('a permanent refusal is not retried, and its reason contains no email or phone', async () => {
    const appointment = await clinic({ phones: ['2025550166'] });
    const byMail = await queueOnly(appointment);
    const byText = await queueOnly(appointment, 'text');
    mail.refusals.push(550);
    text.refusals.push(400);
    await deliverNotification(context, transports, byMail, { last: false });
    await deliverNotification(context, transports, byText, { last: false });
    expect(await rowsOf(appointment)).toEqual([
      { method: 'email', state: 'failed', error: 'The mail server rejected the message (550).', sent_at: null },
      { method: 'text', state: 'failed', error: 'The text message gateway rejected the message (400).', sent_at: null },
    ]);
    expect(app.logged.join()).not.toContain(appointment.email);
    expect(app.logged.join()).not.toContain('2025550166');
  });

  test('the last attempt after a temporary failure marks the row failed with the reason', async () => {
    const appointment = await clinic();
    const job = await queueOnly(appointment);
    const unreachable = createTransports(readSettings({ ...env, SMTP_URL: 'smtp://127.0.0.1:1' }), context.db, false);
    await expect(deliverNotification(context, unreachable, job, { last: false })).rejects.toThrow(
      deliveryTexts.mailUnreachable,
    );
    expect(await rowsOf(appointment)).toMatchObject([{ state: 'queued', error: deliveryTexts.mailUnreachable }]);
    await expect(deliverNotification(context, unreachable, job, { last: true })).rejects.toThrow(
      deliveryTexts.mailUnreachable,
    );
    expect(await rowsOf(appointment)).toMatchObject([{ state: 'failed', error: deliveryTexts.mailUnreachable }]);
  });

  test.each([
    ['without mail server', 'email', {}, deliveryTexts.noMailServer],
    ['without gateway', 'text', {}, deliveryTexts.noGateway],
    ['to a patient whose email was removed', 'email', env, deliveryTexts.noEmail],
    ['to a patient whose phone was removed', 'text', env, deliveryTexts.noPhone],
  ])('%s: the row is failed with the reason', async (_, method, settings, reason) => {
    const appointment = await clinic(settings === env ? { email: '' } : { phones: ['2025550177'] });
    const job = await queueOnly(appointment, method);
    await deliverNotification(context, createTransports(readSettings(settings), context.db, false), job, {
      last: false,
    });
    expect(await rowsOf(appointment)).toEqual([{ method, state: 'failed', error: reason, sent_at: null }]);
  });

  test('an invitation to an appointment that was cancelled meanwhile is not sent', async () => {
    const appointment = await clinic({}, { cancelled: true });
    await deliverNotification(context, transports, await queueOnly(appointment), { last: false });
    expect(await rowsOf(appointment)).toMatchObject([{ state: 'dropped', error: deliveryTexts.cancelled }]);
    expect(mail.to(appointment.email)).toEqual([]);
  });
});

describe('message of a job that runs more than once', () => {
  test('two workers with one job at the same time, and a third one later: the message is sent once', async () => {
    const appointment = await clinic();
    const job = await queueOnly(appointment);
    const { promise, resolve } = Promise.withResolvers<void>();
    mail.state.hold = promise;
    const before = mail.state.reading;
    const first = deliverNotification(context, transports, job, { last: false });
    await vi.waitFor(() => expect(mail.state.reading).toBe(before + 1), { timeout: 30_000 });
    await expect(deliverNotification(context, transports, job, { last: true })).rejects.toThrow(deliveryTexts.busy);
    resolve();
    mail.state.hold = null;
    await first;
    await deliverNotification(context, transports, job, { last: false });
    expect(await rowsOf(appointment)).toMatchObject([{ state: 'sent', error: '' }]);
    expect(mail.to(appointment.email)).toHaveLength(1);
  });

  test('worker that is killed while sending: the message is sent once', async () => {
    const database = await createTestDatabase();
    const db = openDatabase(database.application, () => {});
    const secret = 'test-secret-test-secret-test-secret!';
    const log = pino({ level: 'silent' });
    const clock = movableClock();
    const base = { ...context, db, keys: await openKeys(db, secret), log, clock };
    const email = newEmail();
    const { companyId } = await buildCompany(base);
    const { patientId } = await buildPatient(base, { companyId, email });
    const appointment = await buildAppointment(base, { companyId, patientId });
    const { promise, resolve } = Promise.withResolvers<void>();
    mail.state.hold = promise;
    const before = mail.state.reading;
    const worker = startWorker({ application: database.application, secret, env });
    await worker.ready;
    const job = await queueOnly(appointment, 'email', base);
    const sender = await startJobs({ application: database.application, log, handlers: {} });
    await db.open({ kind: 'job', companyId }, (tx) => sender.send(tx, 'notification', job));
    await vi.waitFor(() => expect(mail.state.reading).toBe(before + 1), { timeout: 30_000 });
    worker.kill('SIGKILL');
    await worker.gone;
    // The mail server had not accepted the mail and now refuses it.
    mail.refusals.push(421);
    resolve();
    mail.state.hold = null;
    await vi.waitFor(() => expect(mail.refusals).toEqual([]), { timeout: 30_000 });
    const owner = new pg.Client(database.owner);
    await owner.connect();
    await ageHeartbeats(owner);
    await owner.end();
    // The lease of the killed worker has ended by then.
    clock.set(clock.now() + 60_000);
    const transports = createTransports(base.settings, db, false);
    onTestFinished(transports.close);
    const second = await startJobs({
      application: database.application,
      log,
      times: quickJobs,
      handlers: jobHandlers(base, transports, () => sender),
    });
    await vi.waitFor(() => expect(mail.to(email)).toHaveLength(1), { timeout: 40_000 });
    const states = () =>
      db.open({ kind: 'job', companyId }, async (tx) => {
        const { rows } = await sql<{ state: string }>`select state::text from pgboss.job
          union all select state from notification_logs`.execute(tx);
        return rows.map((row) => row.state).sort();
      });
    await vi.waitFor(async () => expect(await states()).toEqual(['completed', 'sent']), { timeout: 30_000 });
    expect(mail.to(email)).toHaveLength(1);
    await sender.stop();
    await second.stop();
    await db.close();
    await database.drop();
  });
});

/** Starts a job worker in a separate process, which the test can kill. */
function startWorker(options: { application: object; secret: string; env: Record<string, string> }) {
  const code = `
    import 'temporal-polyfill/global';
    import { pino } from 'pino';
    import { systemClock as clock } from './platform/clock.ts';
    import { openDatabase } from './platform/database/database.ts';
    import { startJobs } from './platform/jobs.ts';
    import { openKeys } from './platform/keys.ts';
    import { readSettings } from './platform/settings.ts';
    import { jobHandlers } from './features/jobs.ts';
    import { createTransports } from './features/notifications/transports.ts';
    const { application, secret, env } = JSON.parse(process.argv[1]);
    const log = pino({ level: 'silent' });
    const db = openDatabase(application, () => {});
    const context = { settings: readSettings(env), publicUrl: 'http://localhost', demo: false, clock, db, keys: await openKeys(db, secret), log };
    await startJobs({ application, log, handlers: jobHandlers(context, createTransports(context.settings, db, false), () => context.jobs) });
    process.stdout.write('ready');`;
  const child = startNode(['--input-type=module-typescript', '-e', code, JSON.stringify(options)], {
    cwd: new URL('../../', import.meta.url).pathname,
  });
  return Object.assign(child, {
    ready: new Promise<void>((resolve) => child.stdout.once('data', () => resolve())),
    gone: new Promise<void>((resolve) => child.once('exit', () => resolve())),
  });
}

describe('mail of a job that runs again after a lost response', () => {
  test.each([
    [accountSecurityQueue, (userId: number) => ({ userId, change: 'authenticator-added' })],
    [emailChangedQueue, (userId: number, oldEmail: string) => ({ userId, oldEmail })],
    [
      licenseMailQueue,
      (userId: number, _: string, companyId: number) => ({
        companyId,
        userId,
        kind: 'failed',
        expirationDate: '2030-03-08',
        chargeId: null,
      }),
    ],
  ])('%s: has the same Message-ID, and another job has its own', async (queue, data) => {
    const email = newEmail();
    const { companyId } = await buildCompany(context, {});
    const { userId } = await buildUser(context, { companyId, email });
    const clock = movableClock();
    const deliver = jobHandlers({ ...context, clock }, transports, () => context.jobs)[queue]!;
    const run = (jobId: string) => deliver(data(userId, email, companyId) as never, { jobId, last: false });
    await run('first');
    clock.set(clock.now() + 26 * 3_600_000);
    await run('first');
    await run('second');
    const ids = mail.to(email).map((one) => one.headers.get('message-id'));
    expect([ids.length, ids[1], new Set(ids).size]).toEqual([3, ids[0], 2]);
  });
});

describe('mail to reset a password', () => {
  test('is sent to a user and its link sets the password; an unknown email gets the same response and no mail', async () => {
    const email = newEmail();
    const user = await buildUser(context, { email, firstName: "D'Arcy", password });
    const superEmail = newEmail();
    await buildUser(context, { companyId: null, email: superEmail, password });
    const ask = (address: string) => app.anonymous().call(requestPasswordReset, { body: { email: address } });
    const before = mail.mails.length;
    const responses = [await ask('unknown@example.test'), await ask(user.email.toUpperCase()), await ask(superEmail)];
    expect(responses.map((response) => [response.status, response.text])).toEqual([
      [204, ''],
      [204, ''],
      [204, ''],
    ]);
    await vi.waitFor(
      async () => {
        const { rows } = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
          sql<{ state: string }>`select state from pgboss.job where name = 'password-reset-mail'`.execute(tx),
        );
        expect(rows.map((row) => row.state)).toEqual(['completed', 'completed', 'completed']);
      },
      { timeout: 30_000 },
    );
    expect([mail.to(email).length, mail.to(superEmail).length, mail.mails.length - before]).toEqual([1, 1, 2]);
    const received = await mail.first(email);
    expect(received.headers.get('subject')).toBe('Reset your password');
    expect(received.parts[0]!.text).toContain("Hello D'Arcy,");
    const token = /http:\/\/localhost\/#\/reset\/(\S+)/.exec(received.parts[0]!.text)?.[1] ?? '';
    const reset = await app
      .anonymous()
      .call(passwordReset, { body: { user: { refreshToken: token, password: 'another-long-password-7' } } });
    expect(reset.status).toBe(200);
    await app.signIn({ email, password: 'another-long-password-7' });
  });

  test('mail server that refuses six times, then accepts: one mail with a link that works, and four more within the hour', async () => {
    const email = newEmail();
    const { userId } = await buildUser(context, { email, password });
    const job = { userId, purpose: 'reset', mailUid: 'six-refusals' } as const;
    for (let i = 0; i < 6; i += 1) {
      mail.refusals.push(451);
      await expect(deliverPasswordMail(context, transports, job)).rejects.toThrow(deliveryTexts.mailLater(451));
    }
    await deliverPasswordMail(context, transports, job);
    for (let i = 0; i < 5; i += 1) await deliverPasswordMail(context, transports, { ...job, mailUid: `more-${i}` });
    // Another attempt after a lost mark of the job: the same link in the same mail.
    await deliverPasswordMail(context, transports, job);
    const tokens = mail.to(email).map((one) => /#\/reset\/(\S+)/.exec(one.parts[0]!.text)?.[1] ?? '');
    expect([tokens.length, new Set(tokens).size, tokens.at(-1)]).toEqual([6, 5, tokens[0]]);
    const ids = mail.to(email).map((one) => one.headers.get('message-id'));
    expect(ids.at(-1)).toBe(ids[0]);
    expect(app.logged.join()).toContain('a mail to choose a password was above the limit');
    const body = { user: { refreshToken: tokens[0]!, password: 'another-long-password-8' } };
    expect((await app.anonymous().call(passwordReset, { body })).status).toBe(200);
    // A link that has ended is not mailed.
    await deliverPasswordMail(context, transports, job);
    expect(mail.to(email)).toHaveLength(6);
  });

  test('server that is not reachable for six attempts: the queue sends one mail', async () => {
    const email = newEmail();
    await buildUser(context, { email, password });
    mail.refusals.push(...Array.from({ length: 6 }, () => 421));
    expect((await app.anonymous().call(requestPasswordReset, { body: { email } })).status).toBe(204);
    await vi.waitFor(() => expect(mail.to(email)).toHaveLength(1), { timeout: 30_000, interval: 100 });
    expect(mail.refusals).toEqual([]);
  });
});

describe('calendar entry of an appointment', () => {
  test('staff and the patient of the appointment get it; other callers get 404 or 401', async () => {
    const appointment = await clinic();
    const other = await clinic();
    const params = { uid: appointment.appointmentUid };
    const patient = await app.signInPatient(appointment.accessCode);
    const stranger = await app.signInPatient(other.accessCode);
    const [forStaff, forPatient] = [
      await appointment.person.call(getVisitCalendar, { params }),
      await patient.call(getVisitCalendar, { params }),
    ];
    for (const response of [forStaff, forPatient]) {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
      const event = new ICAL.Event(
        new ICAL.Component(ICAL.parse(response.text) as unknown[]).getFirstSubcomponent('vevent')!,
      );
      expect(event.uid).toBe(`${appointment.appointmentUid}@roomside`);
    }
    expect((await stranger.call(getVisitCalendar, { params })).status).toBe(404);
    expect((await other.person.call(getVisitCalendar, { params })).status).toBe(404);
    expect((await app.anonymous().call(getVisitCalendar, { params })).status).toBe(401);
  });
});
