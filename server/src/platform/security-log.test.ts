import { expect, test } from 'vitest';
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

test('flush: counts events beyond 300 different ones in one row', async () => {
  const added = await watchAudit(app);
  const log = new SecurityLog(context.db, context.clock, context.log);
  for (let i = 0; i < 1000; i += 1) log.record({ ...event, address: `192.0.2.${i}` });
  await log.flush();
  const rows = await added();
  expect(rows).toHaveLength(301);
  expect(rows.at(-1)).toMatchObject({
    action: 'manyRefusals',
    address: '',
    objects: { refused: 'various', count: 700 },
  });
});

test('flush: after an error writes the events the next time', async () => {
  const added = await watchAudit(app);
  let isDown = true;
  const db: typeof context.db = {
    ...context.db,
    open: (kind, work) => (isDown ? Promise.reject(new Error('down')) : context.db.open(kind, work)),
  };
  const log = new SecurityLog(db, context.clock, context.log);
  log.record(event);
  await expect(log.flush()).rejects.toThrow('down');
  isDown = false;
  await log.flush();
  expect(await added()).toMatchObject([{ action: 'login', objects: { refused: 'wrong-code' } }]);
});
