import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/test-app.ts';
import { inOneTrip, type Tx } from './database.ts';
import { prepared } from './prepared.ts';

const { db } = (await startTestApp()).context;
const inTx = <T>(work: (tx: Tx) => Promise<T>) => db.open({ kind: 'unauthenticated' }, work);

test('prepared: builds the statement once, and each use has its own arguments', async () => {
  let built = 0;
  const sum = prepared((_tx, { a, b }: { a: number; b: number | null }) => {
    built += 1;
    return sql<{ sum: number | null }>`select ${a}::int + ${2}::int * ${b}::int + ${a}::int as sum`;
  });
  const rows = await inTx((tx) => inOneTrip(tx, sum({ a: 1, b: 10 }), sum({ a: 2, b: 20 }), sum({ a: 3, b: null })));
  expect(rows).toEqual([[{ sum: 22 }], [{ sum: 44 }], [{ sum: null }]]);
  expect(built).toBe(1);
});

test('prepared: does not set columns that are left out or undefined, and sets those that are null', async () => {
  interface Values {
    id: number;
    first_name?: string | undefined;
    password_hash?: string | null;
  }
  const change = prepared((tx, { id, ...values }: Values) =>
    tx.updateTable('users').set(values).where('user_id', '=', id),
  );
  const compile = (args: Values) =>
    inTx(async (tx) => {
      const { sql: text, parameters } = change(args).compile(tx);
      return [text, ...parameters];
    });
  const named = ['update "users" set "first_name" = $1 where "user_id" = $2', 'Ann', 1];
  expect(await compile({ id: 1, first_name: 'Ann' })).toEqual(named);
  const unreachable = ['update "users" set "password_hash" = $1 where "user_id" = $2', null, 2];
  expect(await compile({ id: 2, first_name: undefined, password_hash: null })).toEqual(unreachable);
});

test('prepared: throws when the statement depends on the value of an argument', async () => {
  const byValue = prepared((_tx, { limit }: { limit: number }) => sql`select ${limit > 5 ? 1 : 2}`);
  const used = inTx(async (tx) => byValue({ limit: 9 }).compile(tx));
  await expect(used).rejects.toThrow('depends on the value of limit');
});
