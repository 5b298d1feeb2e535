import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { prepareDatabase } from '../src/platform/database/migrate.ts';
import { prepareJobs } from '../src/platform/jobs.ts';
import { startPostgres } from '../src/platform/postgres/embedded.ts';

/** The connection of a test cluster. */
export interface Cluster {
  readonly host: string;
  readonly port: number;
  /** Superuser. */
  readonly user: string;
}

const template = 'roomside_template';

/** Starts a PostgreSQL without fsync, with one migrated database. */
export async function createTestCluster(): Promise<{ cluster: Cluster; template: string; stop(): Promise<void> }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-test-'));
  const server = await startPostgres({
    dir: path.join(folder, 'postgres'),
    durable: false,
    // Of three test files at a time, each with several servers of 30. Those of a killed server end with their statement: on a slow machine several
    // generations of them are there.
    settings: ['max_connections=400', 'shared_buffers=64MB'],
  });
  const stop = async () => {
    await server.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    const cluster = { host: server.host, port: server.port, user: server.user };
    const client = new pg.Client({ ...cluster, database: 'postgres' });
    await client.connect();
    await client.query(`create database ${template}`);
    await client.end();
    const owner = { ...cluster, database: template };
    // The starts of the test servers then find the partitions of their months.
    const now = Temporal.Now.instant();
    await prepareDatabase({ owner, application: { ...owner, user: 'app_user' }, now });
    await prepareJobs(owner);
    return { cluster, template, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
