import 'temporal-polyfill/global';
import type { TestProject } from 'vitest/node';
import { type Cluster, createTestCluster } from './test-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's cluster listens; tests use database.ts. */
    cluster: Cluster;
  }
}

/** One PostgreSQL for the whole run of tests, with the template that every test file gets a copy of. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { cluster, stop } = await createTestCluster();
  project.provide('cluster', cluster);
  return stop;
}
