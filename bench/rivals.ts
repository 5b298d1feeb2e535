import { pino } from 'pino';
import { buildApp } from '../server/src/app.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { readSettings } from '../server/src/platform/settings.ts';
import { runRivals } from '../server/test/rivals.ts';
import { startBenchCluster } from './support/cluster.ts';

/** 200 simultaneous requests for one slot, 100 rounds, on two servers: which kind succeeded, and the response times, ms. */
export async function rivals(rounds = 100): Promise<Record<string, number>> {
  const cluster = await startBenchCluster();
  try {
    const app = await buildApp({
      settings: readSettings({ DRAIN_SECONDS: '0' }),
      publicUrl: 'http://localhost',
      demo: false,
      secret: 'test-secret-test-secret-test-secret!',
      database: cluster.application,
      clock: systemClock,
      log: pino({ level: 'silent' }),
    });
    const result = await runRivals(app.context, cluster.application, cluster.owner, { rounds, rivals: 200 });
    await app.close();
    for (const line of [...result.wrongRounds, ...result.oddAnswers].slice(0, 20)) process.stdout.write(`${line}\n`);
    process.stdout.write(`won: ${JSON.stringify(result.wins)}\n`);
    return {
      rounds: result.rounds,
      rivals: result.rivals,
      wrongRounds: result.wrongRounds.length,
      oddAnswers: result.oddAnswers.length,
      overlaps: result.overlaps,
      p50Ms: result.p50,
      p99Ms: result.p99,
    };
  } finally {
    await cluster.stop();
  }
}
