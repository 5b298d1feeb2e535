import net from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { startTestApp } from '../../../test/test-app.ts';
import { sendMessage } from '../../features/notifications/delivery.ts';
import { toRefusal } from '../http/problem.ts';
import { openDatabase } from './database.ts';

const app = await startTestApp();
const { db } = app.context;

test('nothing waits inside a transaction: neither a second one, nor a password hash, nor a message', async () => {
  await db.open({ kind: 'door' }, async () => {
    await expect(db.open({ kind: 'door' }, async () => 1)).rejects.toThrow('A second transaction was opened');
    await expect(app.context.passwords.hash('x')).rejects.toThrow('A password was hashed inside a transaction.');
    const text = { method: 'text', text: { to: '+12025550100', text: 'x' } } as const;
    const transports = { mail: () => Promise.resolve(), text: () => Promise.resolve() };
    expect(() => sendMessage(transports, text, '2030-01-01T00:00:00Z')).toThrow('A message was sent inside');
  });
});

test('what a transaction started and left running may open one of its own', async () => {
  const later = Promise.withResolvers<void>();
  const goesOn = await db.open({ kind: 'door' }, async () => ({
    ended: later.promise.then(() => db.open({ kind: 'door' }, async () => 'opened')),
  }));
  later.resolve();
  expect(await goesOn.ended).toBe('opened');
});

/** Passes connections on to the database, until it is frozen: then it keeps them open and passes nothing on. */
async function startRelay(database: { host?: string | undefined; port?: number | undefined }) {
  let isFrozen = false;
  const pairs = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const target = net.connect(`${database.host}/.s.PGSQL.${database.port}`);
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      pairs.add(from);
      from.on('data', (data) => {
        if (!isFrozen) to.write(data);
      });
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of pairs) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    freeze: (frozen: boolean) => {
      isFrozen = frozen;
    },
  };
}

test('a database that answers nothing is noticed: what waits is refused, what comes is refused immediately', async () => {
  const database = await createTestDatabase();
  const relay = await startRelay(database.application);
  const behind = openDatabase({ ...database.application, host: '127.0.0.1', port: relay.port }, () => {});
  onTestFinished(async () => {
    await behind.close();
    await database.drop();
  });
  const ask = () => behind.open({ kind: 'door' }, (tx) => sql`select 1`.execute(tx));
  await ask();
  relay.freeze(true);
  const start = performance.now();
  const waiting = await Promise.allSettled([ask(), ask(), behind.ping()]);
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  for (const one of waiting) expect(toRefusal((one as PromiseRejectedResult).reason).refusal.code).toBe('unavailable');
  expect(performance.now() - start).toBeLessThan(10_000);
  const refusedWithinMs = async () => {
    const asked = performance.now();
    await expect(ask()).rejects.toThrow(/terminated|timeout|not available/);
    return performance.now() - asked;
  };
  await expect.poll(refusedWithinMs, { timeout: 10_000 }).toBeLessThan(100);
  relay.freeze(false);
  await expect
    .poll(
      () =>
        ask().then(
          () => 'back',
          () => 'away',
        ),
      { timeout: 10_000 },
    )
    .toBe('back');
});
