import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { keptTables, listedExports } from './export-tables.ts';

const database = await createTestDatabase();

test('every table with a company, and each of its columns: is exported or kept on purpose', async () => {
  const client = new pg.Client(database.owner);
  await client.connect();
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array_agg(a.attname::text) as columns from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
       and not a.attisdropped group by c.relname having bool_or(a.attname = 'company_id')`,
  );
  await client.end();
  expect(rows.map(({ table }) => table).toSorted()).toEqual(
    [...listedExports.map(([table]) => table), ...Object.keys(keptTables)].toSorted(),
  );
  for (const [table, { columns, withheld }] of listedExports) {
    const stored = rows.find((row) => row.table === table)?.columns.toSorted();
    // A new column here needs its meaning there, or to be withheld.
    expect([table, [...Object.keys(columns), ...withheld].toSorted()]).toEqual([table, stored]);
  }
});

test('no column of a secret is exported', () => {
  const exported = listedExports.flatMap(([table, { columns }]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  );
  expect(exported.filter((name) => /hash|cipher|secret|token|seed|password|_key$|claim/.test(name))).toEqual([]);
});
