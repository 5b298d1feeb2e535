import './temporal.ts';
import type pg from 'pg';
import { pino } from 'pino';
import { buildApp } from '../src/app.ts';
import { systemClock } from '../src/platform/clock.ts';
import { readSettings } from '../src/platform/settings.ts';

/**
 * The application as a process of its own over a database that is there already: two of them are two servers. Connection
 * and settings come by the environment as JSON; prints its port.
 */
const { database, env = {} } = JSON.parse(process.env['SERVE_APP'] ?? '{}') as {
  database: pg.PoolConfig;
  env?: Record<string, string>;
};
const app = await buildApp({
  settings: readSettings({ TRUST_PROXY: '1', ...env }),
  publicUrl: 'http://localhost',
  demo: false,
  secret: 'test-secret-test-secret-test-secret!',
  database,
  clock: systemClock,
  log: pino({ level: 'silent' }),
});
process.stdout.write(`${await app.listen('127.0.0.1', 0)}\n`);
// Ends with the process that started it.
process.stdin.on('end', () => process.exit(0)).resume();
