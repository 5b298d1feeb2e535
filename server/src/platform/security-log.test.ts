import { describe, expect, test } from 'vitest';
import { watchAudit } from '../../test/audit-rows.ts';
import { startTestApp } from '../../test/test-app.ts';
import { SecurityLog } from './security-log.ts';

const app = await startTestApp();
const { context } = app;
const event = {
  action: 'login',
  path: '/api/auth/login',
  reason: 'wrong-code',
  address: '203.0.113.7',
  requestId: 'r',
} as const;
const addressOf = (i: number) => `192.0.${i >> 8}.${i & 255}`;

test('flush: writes one row with a count for equal events, and a row for each different one', async () => {
  const added = await watchAudit(app);
  const log = new SecurityLog(context.db, context.clock, context.log);
  for (let i = 0; i < 50; i += 1) log.record(event);
  log.record({ ...event, address: '203.0.113.8' });
  log.record({ ...event, actor: 'user_7', companyId: 4 });
  await log.flush();
  expect(await added()).toMatchObject([
    { actor: 'unknown', address: '203.0.113.7', objects: { refused: 'wrong-code', count: 50 } },
    { actor: 'unknown', address: '203.0.113.8', objects: { refused: 'wrong-code' } },
    { actor: 'user_7', company_id: 4, objects: { refused: 'wrong-code' } },
  ]);
});

test('flush: writes one row for each of 300 strangers, and counts those of others in one row', async () => {
  const added = await watchAudit(app);
  const log = new SecurityLog(context.db, context.clock, context.log);
  for (let i = 0; i < 1000; i += 1) log.record({ ...event, address: addressOf(i) });
  await log.flush();
  const rows = await added();
  expect(rows).toHaveLength(301);
  expect(rows.at(-1)).toMatchObject({
    action: 'manyRefusals',
    address: '',
    objects: { refused: 'various', count: 700 },
  });
});

const logged = (text: string) => app.logged.filter((line) => line.includes(text));

test('record: an alarm has its row and line while strangers and signed-in people exceed their limits', async () => {
  const added = await watchAudit(app);
  const log = new SecurityLog(context.db, context.clock, context.log);
  for (let i = 0; i < 1000; i += 1) {
    log.record({ ...event, address: addressOf(i) });
    log.record({ ...event, actor: `D_${i}` });
  }
  log.record({ ...event, action: 'refreshTokenReplayed', path: '', reason: 'alarm', isAlarm: true });
  for (let i = 0; i < 3; i += 1) log.countTowards({ name: 'testAlarm', limit: 3, windowMs: 1000 }, event);
  await log.flush();
  const alarms = (await added()).filter(({ objects }) => objects['refused'] === 'alarm');
  expect(alarms).toMatchObject([{ action: 'refreshTokenReplayed' }, { action: 'testAlarm', address: event.address }]);
  expect(logged('testAlarm')).toMatchObject([expect.stringContaining('security alarm')]);
});

test('record: a signed-in person with many different events hides no one else, and their summary has who and from where', async () => {
  const added = await watchAudit(app);
  const log = new SecurityLog(context.db, context.clock, context.log);
  const probe = { ...event, action: 'getPatient', reason: 'not-found', actor: 'D_7', companyId: 4 };
  for (let patientId = 0; patientId < 1000; patientId += 1) log.record({ ...probe, objects: { patientId } });
  log.record({ ...event, actor: 'user_8', companyId: 5, reason: 'wrong-credentials' });
  log.record({ ...probe, actor: 'D_9' });
  await log.flush();
  const rows = await added();
  expect(rows.filter(({ actor }) => actor !== 'D_7')).toMatchObject([
    { actor: 'D_9', action: 'getPatient', objects: { refused: 'not-found' } },
    { actor: 'user_8', company_id: 5, action: 'login', address: event.address },
  ]);
  const own = rows.filter(({ actor }) => actor === 'D_7');
  expect(own).toHaveLength(21);
  expect(own.at(-1)).toEqual({
    company_id: 4,
    actor: 'D_7',
    action: 'manyRefusals',
    path: '',
    objects: { refused: 'various', count: 980 },
    address: event.address,
  });
  expect(logged('"who":"D_7"').at(-1)).toContain('manyRefusals');
});

test('record: a network that names many accounts has one share; a stranger cannot hide signed-in people', async () => {
  const added = await watchAudit(app);
  const log = new SecurityLog(context.db, context.clock, context.log);
  for (let i = 0; i < 1000; i += 1)
    log.record({
      ...event,
      actor: `user_${i}`,
      companyId: i,
      address: `2001:db8:7:ab${(i % 256).toString(16).padStart(2, '0')}::1`,
    });
  for (let i = 0; i < 400; i += 1) log.record({ ...event, address: addressOf(i) });
  log.record({ ...event, actor: 'D_7', companyId: 4 });
  await log.flush();
  const rows = await added();
  expect(rows.filter(({ address }) => address.startsWith('2001:db8:7:'))).toHaveLength(21);
  expect(rows.filter(({ action }) => action === 'manyRefusals')).toMatchObject([
    { company_id: null, actor: 'unknown', address: expect.stringContaining('2001:db8:7:'), objects: { count: 980 } },
    { company_id: null, actor: 'unknown', address: '', objects: { count: 101 } },
  ]);
  expect(rows).toContainEqual(expect.objectContaining({ actor: 'D_7', company_id: 4 }));
});

function failingLog() {
  let isDown = true;
  const db: typeof context.db = {
    ...context.db,
    open: (kind, work) => (isDown ? Promise.reject(new Error('down')) : context.db.open(kind, work)),
  };
  return { log: new SecurityLog(db, context.clock, context.log), repair: () => (isDown = false) };
}

test('flush: after an error writes the events the next time, with those that came meanwhile', async () => {
  const added = await watchAudit(app);
  const { log, repair } = failingLog();
  for (let i = 0; i < 3; i += 1) log.record(event);
  const failed = log.flush();
  log.record(event);
  log.record({ ...event, address: '203.0.113.9' });
  await expect(failed).rejects.toThrow('down');
  repair();
  await log.flush();
  expect(await added()).toMatchObject([
    { action: 'login', objects: { refused: 'wrong-code', count: 4 } },
    { address: '203.0.113.9', objects: { refused: 'wrong-code' } },
  ]);
});

test('flush: beside one in progress waits until what that one took is stored', async () => {
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
  const order: string[] = [];
  const db: typeof context.db = {
    ...context.db,
    open: async (kind, work) => {
      await isOpen;
      const done = await context.db.open(kind, work);
      order.push('stored');
      return done;
    },
  };
  const log = new SecurityLog(db, context.clock, context.log);
  log.record(event);
  const first = log.flush();
  await new Promise(setImmediate);
  const second = log.flush().then(() => order.push('returned'));
  await new Promise(setImmediate);
  open();
  await Promise.all([first, second]);
  expect(order).toEqual(['stored', 'returned']);
});

test('flush: under a flood while the database is down keeps a limited number of rows, and every count', async () => {
  const added = await watchAudit(app);
  const { log, repair } = failingLog();
  for (let second = 0; second < 20; second += 1) {
    const failed = log.flush().catch(() => undefined);
    for (let i = 0; i < 400; i += 1) log.record({ ...event, address: `192.0.${second}.${i % 256}`, objects: { i } });
    await failed;
  }
  repair();
  await log.flush();
  const counts = (await added()).map(({ objects }) => Number(objects['count'] ?? 1));
  expect(counts.length).toBeLessThan(900);
  expect(counts.reduce((all, one) => all + one)).toBe(8000);
});

describe('wrong passwords', () => {
  const wrong = { ...event, reason: 'wrong-credentials' };

  test('300 in the installation: raise one alarm', async () => {
    const added = await watchAudit(app);
    const log = new SecurityLog(context.db, context.clock, context.log);
    for (let i = 0; i < 400; i += 1)
      log.record({ ...wrong, reason: i % 2 ? 'wrong-password' : wrong.reason, address: addressOf(i) });
    await log.flush();
    expect((await added()).filter(({ objects }) => objects['refused'] === 'alarm')).toEqual([
      {
        company_id: null,
        actor: 'unknown',
        action: 'manyWrongPasswords',
        path: '',
        objects: { refused: 'alarm' },
        address: addressOf(299),
      },
    ]);
  });

  test('100 of one account: raise an alarm of its company, and 99 of another one do not', async () => {
    const added = await watchAudit(app);
    const log = new SecurityLog(context.db, context.clock, context.log);
    for (let i = 0; i < 100; i += 1) log.record({ ...wrong, actor: 'user_7', companyId: 4, address: addressOf(i) });
    for (let i = 0; i < 99; i += 1) log.record({ ...wrong, actor: 'user_8', companyId: 4, address: addressOf(i) });
    await log.flush();
    expect((await added()).filter(({ objects }) => objects['refused'] === 'alarm')).toMatchObject([
      { company_id: 4, actor: 'user_7', action: 'manyWrongPasswordsOfAccount', address: addressOf(99) },
    ]);
  });
});
