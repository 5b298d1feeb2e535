import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { afterFile } from './after-file.ts';
import type {} from './cluster.ts';

/** The database of one test file. */
export interface TestDatabase {
  readonly name: string;
  /** Connects as app_user, with row-level security. */
  readonly application: pg.ClientConfig;
  /** Connects as superuser and owner. */
  readonly owner: pg.ClientConfig;
  /** Drops the database and closes its connections, once. Done after the test file at the latest. */
  drop(): Promise<void>;
}

/** Creates a copy of the migrated template, or an empty database. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const cluster = inject('cluster');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await run(cluster, `create database ${name}${empty ? '' : ' template roomside_template'}`);
  let dropped: Promise<void> | undefined;
  const drop = () => (dropped ??= run(cluster, `drop database ${name} with (force)`));
  afterFile(drop);
  return {
    name,
    application: { ...cluster, user: 'app_user', database: name },
    owner: { ...cluster, database: name },
    drop,
  };
}

async function run(cluster: pg.ClientConfig, sql: string): Promise<void> {
  const client = new pg.Client({ ...cluster, database: 'postgres' });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
