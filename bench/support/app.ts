import { pino } from 'pino';
import { type AppOptions, buildApp } from '../../server/src/app.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { readSettings } from '../../server/src/platform/settings.ts';

/** Builds the application in this process, silent, over a cluster's database, for creating the rows of a benchmark. */
export const buildBenchApp = (database: AppOptions['database'], env: Readonly<Record<string, string>> = {}) =>
  buildApp({
    settings: readSettings({ DRAIN_SECONDS: '0', ...env }),
    publicUrl: 'http://localhost',
    demo: false,
    secret: 'bench-secret-bench-secret-bench-secret',
    database,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
