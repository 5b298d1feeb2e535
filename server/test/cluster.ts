import 'temporal-polyfill/global';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Cluster, createTestCluster } from './test-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's cluster listens; tests use database.ts. */
    cluster: Cluster;
    /** A folder of the whole run, for what several test files share. */
    scratch: string;
  }
}

/** One PostgreSQL for the whole run of tests, with the template that every test file gets a copy of. */
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
