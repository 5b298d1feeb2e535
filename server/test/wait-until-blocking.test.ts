import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { buildCompany } from '../src/demo/builders.ts';
import { startTestApp } from './test-app.ts';
import { waitUntilBlocking } from './wait-until-blocking.ts';

test('connection that is opened after the first look: is seen', async () => {
  const { context, database } = await startTestApp();
  const { companyId } = await buildCompany(context);
  const other = new pg.Client(database.owner);
  onTestFinished(() => other.end());
  const lock = 'select from companies where company_id = $1 for no key update';
  const locked = await context.db.open({ kind: 'job', companyId }, async (tx) => {
    await sql`select from companies where company_id = ${companyId} for no key update`.execute(tx);
    const seen = waitUntilBlocking(tx);
    // It is answered after the first look.
    await sql`select 1`.execute(tx);
    await other.connect();
    const blocked = other.query(lock, [companyId]);
    await seen;
    return { blocked };
  });
  expect((await locked.blocked).rowCount).toBe(1);
});
