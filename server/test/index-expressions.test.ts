import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from './database.ts';

const database = await createTestDatabase();
const owner = new pg.Client(database.owner);
await owner.connect();
afterAll(() => owner.end());

/** Inlined, it seems cheap to the planner, which then reads all patients of the company instead of this index (`match_patients`). */
const exceptions = ['patients_identity: patient_key'];

test('the expressions and conditions of all indexes are inlined: a function would be called for each row that is written', async () => {
  const { rows: functions } = await owner.query<{ name: string }>(
    `select distinct proname as name from pg_proc join pg_language l on l.oid = prolang
     where pronamespace = 'public'::regnamespace and lanname in ('sql', 'plpgsql')`,
  );
  const { rows: indexes } = await owner.query<{ index: string; table: string; expressions: string }>(
    `select indexrelid::regclass::text as index, indrelid::regclass::text as table,
       concat_ws(', ', pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid)) as expressions
     from pg_index join pg_class c on c.oid = indrelid
     where relnamespace = 'public'::regnamespace and (indexprs is not null or indpred is not null)`,
  );
  expect(indexes.map(({ expressions }) => expressions).join()).toContain('audit_ids(');
  const called: string[] = [];
  for (const { index, table, expressions } of indexes) {
    const { rows } = await owner.query<Record<string, string>>(
      `explain (verbose, costs off) select ${expressions} from ${table}`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    for (const { name } of functions) if (plan.includes(`${name}(`)) called.push(`${index}: ${name}`);
  }
  expect(called).toEqual(exceptions);
});
