import './temporal.ts';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { pino } from 'pino';
import { buildApp } from '../src/app.ts';
import { fillDemo } from '../src/demo/demo.ts';
import { movableClock } from '../src/platform/clock.ts';
import { readSettings } from '../src/platform/settings.ts';
import { cheapHashes } from './cheap-hashes.ts';
import { registerClock } from './clock-route.ts';
import { quickJobs } from './quick-jobs.ts';
import { testSecret } from './test-secret.ts';

/**
 * Starts the application as a process over an existing database. Reads connection and settings as JSON from SERVE_APP, and
 * prints its port. `demo`: the public URL of a demo, with the built web and the demo's data. `takesCards`: the demo's company takes payments
 * by the sandbox. `now`: the time at which the clock begins, ISO.
 */
const {
  database,
  env = {},
  demo,
  takesCards = false,
  port = 0,
  now,
} = JSON.parse(process.env['SERVE_APP'] ?? '{}') as {
  database: pg.PoolConfig;
  env?: Record<string, string>;
  demo?: string;
  takesCards?: boolean;
  port?: number;
  now?: string;
};
const clock = movableClock();
if (now !== undefined) clock.set(Date.parse(now));
const app = await buildApp({
  settings: readSettings({ ...(!demo && { TRUST_PROXY: '1' }), DRAIN_SECONDS: '0', ...env }),
  publicUrl: demo ?? 'http://localhost',
  demo: demo !== undefined,
  ...(demo && { webFolder: fileURLToPath(new URL('../../web/dist', import.meta.url)) }),
  secret: testSecret,
  database,
  clock,
  log: pino({ level: 'silent' }),
  test: { jobTimes: quickJobs, passwordCost: cheapHashes, register: (server) => registerClock(server, clock) },
});
if (demo) await fillDemo(app.context);
if (takesCards) {
  await app.context.db.open({ kind: 'super' }, (tx) =>
    tx.updateTable('companies').set({ payment_processor: 'sandbox' }).execute(),
  );
}
process.stdout.write(`${await app.listen('127.0.0.1', port)}\n`);
// Ends with the process that started it.
process.stdin.on('end', () => process.exit(0)).resume();
