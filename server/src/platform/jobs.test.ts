import pg from 'pg';
import { pino } from 'pino';
import { afterAll, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/database.ts';
import { openDatabase } from './database/database.ts';
import { prepareJobs, startJobs } from './jobs.ts';

const database = await createTestDatabase();
const db = openDatabase(database.application, () => {});
const logged: string[] = [];
const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
const ran: string[] = [];
const failOnce = new Set(['fails']);
const options = { application: database.application, log };
const jobs = await startJobs({
  ...options,
  handlers: {
    test: async ({ name }: { name: string }) => {
      ran.push(name);
      if (failOnce.delete(name))
        throw Object.assign(new Error('550 pat@example.test is unknown'), { code: 'EENVELOPE' });
    },
  },
});
afterAll(async () => {
  await jobs.stop();
  await db.close();
});

const send = (name: string) => db.open({ kind: 'unauthenticated' }, (tx) => jobs.send(tx, 'test', { name }));
const waitForRun = (name: string) => expect.poll(() => ran).toContain(name);

test('job: runs after its transaction is committed, and not after a rollback', async () => {
  const undone = db.open({ kind: 'unauthenticated' }, async (tx) => {
    await jobs.send(tx, 'test', { name: 'undone' });
    throw new Error('no');
  });
  await expect(undone).rejects.toThrow('no');
  await send('committed');
  await waitForRun('committed');
  expect(ran).not.toContain('undone');
});

test('new job: is taken by a worker of another process immediately, although it polls once a minute', async () => {
  const other: string[] = [];
  const rare = await startJobs({
    ...options,
    times: { notifiedPollSeconds: 60, pollSeconds: 60 },
    handlers: { rare: async ({ name }: { name: string }) => void other.push(name) },
  });
  // Workers have polled when they are created; later jobs are for the notification.
  await expect.poll(rare.isRunning).toBe(true);
  for (const name of ['first', 'second']) {
    await db.open({ kind: 'unauthenticated' }, (tx) => jobs.send(tx, 'rare', { name }));
    await expect.poll(() => other, { interval: 20 }).toContain(name);
  }
  await rare.stop();
});

test('failed job: is retried, and neither log nor queue has the text of its error', async () => {
  const client = new pg.Client(database.owner);
  await client.connect();
  await send('fails');
  const kept = await vi.waitFor(
    async () => {
      const { rows } = await client.query(`select data, output from pgboss.job where state = 'retry'`);
      expect(rows).toHaveLength(1);
      return JSON.stringify(rows);
    },
    { timeout: 30_000, interval: 20 },
  );
  await client.end();
  await expect.poll(() => ran.filter((name) => name === 'fails')).toHaveLength(2);
  expect(kept).toContain('EENVELOPE');
  expect(logged.join()).toContain('EENVELOPE');
  expect(kept + logged.join()).not.toContain('pat@example.test');
});

test('the application’s role: cannot change the queue’s tables', async () => {
  await prepareJobs(database.owner);
  const client = new pg.Client(database.application);
  await client.connect();
  await expect(client.query('alter table pgboss.job add column x int')).rejects.toThrow(/owner/);
  await client.end();
});

test('isRunning: is true while the workers ask for jobs, and false after stop', async () => {
  const other = await startJobs({ ...options, handlers: { other: async () => {} } });
  expect(other.isRunning()).toBe(true);
  await other.stop();
  expect(other.isRunning()).toBe(false);
});
