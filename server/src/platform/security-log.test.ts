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

test('equal events become one row with their count, different ones a row each', async () => {
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

test('beyond 300 different events the rest is counted in one row', async () => {
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

test('what cannot be written is written the next time', async () => {
  const added = await watchAudit(app);
  let isAway = true;
  const db: typeof context.db = {
    ...context.db,
    open: (kind, work) => (isAway ? Promise.reject(new Error('away')) : context.db.open(kind, work)),
  };
  const log = new SecurityLog(db, context.clock, context.log);
  log.record(event);
  await expect(log.flush()).rejects.toThrow('away');
  isAway = false;
  await log.flush();
  expect(await added()).toMatchObject([{ action: 'login', objects: { refused: 'wrong-code' } }]);
});
