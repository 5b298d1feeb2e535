import 'temporal-polyfill/global';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Cluster, createTestCluster } from './test-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The connection of the test run's PostgreSQL. Tests use database.ts. */
    cluster: Cluster;
    /** A folder that test files of the run share. */
    scratch: string;
  }
}

/** Starts one PostgreSQL for the test run, with the template database that test files copy. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { cluster, stop } = await createTestCluster();
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-scratch-'));
  project.provide('cluster', cluster);
  project.provide('scratch', scratch);
  return async () => {
    await stop();
    fs.rmSync(scratch, { recursive: true, force: true });
  };
}
