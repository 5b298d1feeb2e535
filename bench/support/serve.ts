import 'temporal-polyfill/global';
import { limitHeapGrowth } from '../../server/src/platform/heap.ts';
import { buildBenchApp } from './app.ts';
import { type ReferenceOptions, serveReference } from './reference.ts';

/**
 * A server process of a benchmark; the argument is `ours` for the application or `reference`. Prints its port. The database connections
 * are JSON in the environment variable BENCH.
 */
const [kind] = process.argv.slice(2);
const options = JSON.parse(process.env['BENCH'] ?? '{}') as ReferenceOptions & { settings: Record<string, string> };

async function serveOurs(): Promise<number> {
  limitHeapGrowth();
  const app = await buildBenchApp(options.application, options.settings);
  return app.listen('127.0.0.1', 0);
}

process.stdout.write(`${kind === 'ours' ? await serveOurs() : await serveReference(options)}\n`);
