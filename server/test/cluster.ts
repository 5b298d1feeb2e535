import 'temporal-polyfill/global';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type Cluster, createTestCluster } from './test-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The connection of the test run's PostgreSQL. Tests use database.ts. */
    cluster: Cluster;
    /** A folder that test files of the run share. It is also their folder of temporary files. */
    scratch: string;
  }
}

/** Starts one PostgreSQL for the test run, with the template database that test files copy. What the run leaves behind is removed after it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-tests-'));
  // Processes that are killed in tests leave files behind.
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = scratch;
  const { cluster, stop } = await createTestCluster();
  project.provide('cluster', cluster);
  project.provide('scratch', scratch);
  return async () => {
    const left = await countTestDatabases(cluster);
    await stop();
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    fs.rmSync(scratch, { recursive: true, force: true });
    if (left > 0) throw new Error(`Databases that tests did not drop, whose servers may still run: ${left}`);
  };
}

async function countTestDatabases(cluster: Cluster): Promise<number> {
  const client = new pg.Client({ ...cluster, database: 'postgres' });
  await client.connect();
  const { rows } = await client.query<{ n: number }>(
    "select count(*)::int as n from pg_database where datname like 'test\\_%'",
  );
  await client.end();
  return rows[0]?.n ?? 0;
}
