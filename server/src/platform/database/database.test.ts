import net from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { startRoundTripCounter } from '../../../test/round-trips.ts';
import { startTestApp } from '../../../test/test-app.ts';
import { sendMessage } from '../../features/notifications/delivery.ts';
import { toRefusal } from '../http/problem.ts';
import { inOneTrip, openDatabase, type Statement, send } from './database.ts';

const app = await startTestApp();
const { db } = app.context;

test('transaction: a second transaction, a password hash or a message within it throws', async () => {
  await db.open({ kind: 'unauthenticated' }, async () => {
    await expect(db.open({ kind: 'unauthenticated' }, async () => 1)).rejects.toThrow(
      'A second transaction was opened',
    );
    await expect(app.context.passwords.hash('x', 'known')).rejects.toThrow(
      'A password was hashed inside a transaction.',
    );
    const text = { method: 'text', text: { to: '+12025550100', text: 'x' } } as const;
    const transports = { mail: () => Promise.resolve(), text: () => Promise.resolve() };
    expect(() => sendMessage(transports, text, '2030-01-01T00:00:00Z')).toThrow('A message was sent inside');
  });
});

test('transaction: asynchronous work that outlives it may open another one', async () => {
  const later = Promise.withResolvers<void>();
  const goesOn = await db.open({ kind: 'unauthenticated' }, async () => ({
    ended: later.promise.then(() => db.open({ kind: 'unauthenticated' }, async () => 'opened')),
  }));
  later.resolve();
  expect(await goesOn.ended).toBe('opened');
});

const failure = (subject: string) =>
  sql`insert into sign_in_failures (scope, subject, failed_at) values ('email', ${Buffer.from(subject)}, '2030-01-01')`;
const failuresOf = (subject: string) =>
  sql<{ n: number }>`select count(*)::int as n from sign_in_failures where subject = ${Buffer.from(subject)}`;
const storedFailures = (subject: string) =>
  db.open({ kind: 'unauthenticated' }, async (tx) => (await failuresOf(subject).execute(tx)).rows[0]?.n);

test('statements in one round trip: run in order, each sees the writes of those before', async () => {
  const rows = await db.open({ kind: 'unauthenticated' }, (tx) =>
    inOneTrip(tx, failuresOf('order'), failure('order'), failuresOf('order')),
  );
  expect(rows).toEqual([[{ n: 0 }], [], [{ n: 1 }]]);
});

test('statements in one round trip: one after a lock sees what the lock’s owner committed', async () => {
  const lock = sql`select pg_advisory_xact_lock(4711)`;
  const [isLocked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const owner = db.open({ kind: 'unauthenticated' }, async (tx) => {
    await lock.execute(tx);
    await failure('lock').execute(tx);
    isLocked.resolve();
    await mayEnd.promise;
  });
  await isLocked.promise;
  const behind = db.open({ kind: 'unauthenticated' }, (tx) => inOneTrip(tx, lock, failuresOf('lock')));
  const waiting = () =>
    db.open({ kind: 'unauthenticated' }, async (tx) => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`.execute(
        tx,
      );
      return rows[0]?.n;
    });
  await expect.poll(waiting).toBe(1);
  mayEnd.resolve();
  await owner;
  const [, seen] = await behind;
  expect(seen).toEqual([{ n: 1 }]);
});

test('statements in one round trip: the first error is thrown and the transaction is rolled back', async () => {
  const broken = db.open({ kind: 'unauthenticated' }, (tx) =>
    inOneTrip(tx, failure('broken'), sql`select 1 / 0`, sql`select no_such_function()`),
  );
  await expect(broken).rejects.toThrow('division by zero');
  expect(await storedFailures('broken')).toBe(0);
});

test('statement that is sent: is committed with the transaction', async () => {
  await db.open({ kind: 'unauthenticated' }, async (tx) => send(tx, failure('sent')));
  expect(await storedFailures('sent')).toBe(1);
});

test('statement that is sent: runs before the next one', async () => {
  const seen = await db.open({ kind: 'unauthenticated' }, async (tx) => {
    send(tx, failure('in order'));
    const [rows] = await inOneTrip(tx, failuresOf('in order'));
    return rows;
  });
  expect(seen).toEqual([{ n: 1 }]);
});

test('several statements that are sent: run in order before a later one, and before the commit', async () => {
  const seen = await db.open({ kind: 'unauthenticated' }, async (tx) => {
    for (let i = 0; i < 5; i += 1) send(tx, failure('several'));
    const [rows] = await inOneTrip(tx, failuresOf('several'));
    for (let i = 0; i < 5; i += 1) send(tx, failure('several'));
    return rows;
  });
  expect(seen).toEqual([{ n: 5 }]);
  expect(await storedFailures('several')).toBe(10);
});

test('statement that is sent: its error rolls the transaction back', async () => {
  const broken = db.open({ kind: 'unauthenticated' }, async (tx) => {
    await failure('broken-commit').execute(tx);
    send(tx, sql`select 1 / 0`);
  });
  await expect(broken).rejects.toThrow('division by zero');
  expect(await storedFailures('broken-commit')).toBe(0);
});

test('statement that is sent: its error is thrown instead of those of later statements, as the caller wants it', async () => {
  const broken = db.open({ kind: 'unauthenticated' }, async (tx) => {
    send(tx, sql`select 1 / 0`, ({ message }) => new Error(`Refused: ${message}`));
    await sql`select 1`.execute(tx);
  });
  await expect(broken).rejects.toThrow('Refused: division by zero');
});

test('statement that is sent: is rolled back when the work throws, and fails no later transaction', async () => {
  const alone = openDatabase({ ...app.database.application, max: 1 }, () => {});
  onTestFinished(() => alone.close());
  const sendAndThrow = (statement: Statement<unknown>) =>
    alone.open({ kind: 'unauthenticated' }, async (tx) => {
      send(tx, statement);
      throw new Error('no');
    });
  await expect(sendAndThrow(failure('thrown'))).rejects.toThrow('no');
  await expect(sendAndThrow(sql`select 1 / 0`)).rejects.toThrow('division by zero');
  await alone.open({ kind: 'unauthenticated' }, (tx) => sql`select 1`.execute(tx));
  expect(await storedFailures('thrown')).toBe(0);
});

test('transaction: begins with its first statement and commits with its last, each in one round trip', async () => {
  const counter = await startRoundTripCounter(app.database.application);
  const counted = openDatabase(counter.connection, () => {});
  onTestFinished(async () => {
    await counted.close();
    counter.stop();
  });
  const work = () =>
    counted.open({ kind: 'unauthenticated' }, async (tx) => {
      await inOneTrip(tx, sql`select 1`, sql`select 2`);
      send(tx, sql`select 3`);
    });
  await work();
  // The proxy's number is never too small.
  let minimum = Infinity;
  for (let turn = 0; turn < 10; turn += 1) {
    const before = counter.count();
    await work();
    minimum = Math.min(minimum, counter.count() - before);
  }
  expect(minimum).toBe(3);
});

/** A proxy of the database. After `freeze` it keeps connections open but passes nothing on. */
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

test('frozen database: is noticed; waiting requests are refused, new ones immediately', async () => {
  const database = await createTestDatabase();
  const relay = await startRelay(database.application);
  const behind = openDatabase({ ...database.application, host: '127.0.0.1', port: relay.port }, () => {});
  onTestFinished(async () => {
    await behind.close();
    await database.drop();
  });
  const ask = () => behind.open({ kind: 'unauthenticated' }, (tx) => sql`select 1`.execute(tx));
  await ask();
  relay.freeze(true);
  const start = performance.now();
  const waiting = await Promise.allSettled([ask(), ask(), ask()]);
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  for (const one of waiting) expect(toRefusal((one as PromiseRejectedResult).reason).refusal.code).toBe('unavailable');
  expect(performance.now() - start).toBeLessThan(10_000);
  const refusedWithinMs = async () => {
    const asked = performance.now();
    await expect(ask()).rejects.toThrow(/terminated|timeout|available/);
    return performance.now() - asked;
  };
  await expect.poll(refusedWithinMs, { timeout: 10_000 }).toBeLessThan(100);
  relay.freeze(false);
  await expect
    .poll(() =>
      ask().then(
        () => 'back',
        () => 'away',
      ),
    )
    .toBe('back');
});

test('afterCommit: runs in order once the rows are committed, and not for a transaction that is rolled back', async () => {
  const seen: unknown[] = [];
  await db.open({ kind: 'unauthenticated' }, async (tx, afterCommit) => {
    afterCommit(() => seen.push(storedFailures('after-commit')));
    afterCommit(() => seen.push('second'));
    await failure('after-commit').execute(tx);
    expect(seen).toEqual([]);
  });
  expect(await Promise.all(seen)).toEqual([1, 'second']);
  const broken = db.open({ kind: 'unauthenticated' }, async (tx, afterCommit) => {
    afterCommit(() => seen.push('never'));
    await sql`select 1 / 0`.execute(tx);
  });
  await expect(broken).rejects.toThrow('division by zero');
  expect(seen).toHaveLength(2);
});
