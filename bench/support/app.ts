import { pino } from 'pino';
import { type App, type AppOptions, buildApp } from '../../server/src/app.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { readSettings } from '../../server/src/platform/settings.ts';
import { type BenchCluster, startBenchCluster } from './cluster.ts';

/** SECRET_KEY of the servers of the benchmarks. */
export const benchSecret = 'bench-secret-bench-secret-bench-secret';

/** Builds the application in this process, silent, over a cluster's database, for creating the rows of a benchmark. */
export const buildBenchApp = (
  database: AppOptions['database'],
  env: Readonly<Record<string, string>> = {},
  secret = benchSecret,
) =>
  buildApp({
    settings: readSettings({ DRAIN_SECONDS: '0', ...env }),
    publicUrl: 'http://localhost',
    demo: false,
    secret,
    database,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });

/** Runs a benchmark with a new cluster and the application over it in this process, and stops both. `secret` is that of its other servers. */
export async function withBenchApp<T>(
  run: (cluster: BenchCluster, app: App) => Promise<T>,
  secret?: string,
): Promise<T> {
  const cluster = await startBenchCluster();
  try {
    const app = await buildBenchApp(cluster.application, {}, secret);
    try {
      return await run(cluster, app);
    } finally {
      await app.close();
    }
  } finally {
    await cluster.stop();
  }
}
