import { pino } from 'pino';
import { buildApp } from '../server/src/app.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { readSettings } from '../server/src/platform/settings.ts';
import { runPaymentKills } from '../server/test/payment-kills.ts';
import { startBenchCluster } from './support/cluster.ts';

/** 1,000 payments whose server is killed at random moments: none twice, none lost, the ledger agrees with the processor's book. */
export async function payments(count = 1000): Promise<Record<string, number>> {
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
    const { stopped, ...result } = await runPaymentKills(app.context, cluster, { payments: count, perRound: 20 });
    await app.close();
    process.stdout.write(`where kills stopped payments: ${JSON.stringify(stopped)}\n`);
    return result;
  } finally {
    await cluster.stop();
  }
}
