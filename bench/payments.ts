import { runPaymentKills } from '../server/test/payment-kills.ts';
import { testSecret } from '../server/test/test-secret.ts';
import { withBenchApp } from './support/app.ts';

/** 1,000 payments whose server is killed at random moments: none twice, none lost, the ledger agrees with the processor's book. */
export const payments = (count = 1000): Promise<Record<string, number>> =>
  withBenchApp(async (cluster, app) => {
    const { stopped, ...result } = await runPaymentKills(app.context, cluster, { payments: count, perRound: 20 });
    process.stdout.write(`where kills stopped payments: ${JSON.stringify(stopped)}\n`);
    return result;
  }, testSecret);
