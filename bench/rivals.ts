import { runRivals } from '../server/test/rivals.ts';
import { testSecret } from '../server/test/test-secret.ts';
import { withBenchApp } from './support/app.ts';

/** 200 simultaneous requests for one slot, 100 rounds, on two servers: which kind succeeded, and the response times, ms. */
export const rivals = (rounds = 100): Promise<Record<string, number>> =>
  withBenchApp(async (cluster, app) => {
    const result = await runRivals(app.context, cluster.application, cluster.owner, { rounds, rivals: 200 });
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
  }, testSecret);
