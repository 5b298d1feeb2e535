import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './steps.ts';

/**
 * Writes the server as JavaScript to `server/dist`, for `npm run start:production`: its programs, and what several of them
 * share. Node then strips no types and loads a tenth of the modules, which is most of the memory at the start (decision 038).
 */
const PROGRAMS = ['main', 'backup', 'restore', 'rotate-keys', 'verify-audit', 'calendar-worker'];

/** Our own packages, those of many ES modules, and those of which a part is replaced. The others are loaded from node_modules. */
const BUNDLED = /^(@roomside|kysely|zod|jose|pg-boss|@fastify\/static)(\/|$)/;

/** Modules in place of which the server loads less. */
const REPLACED: Readonly<Record<string, string>> = {
  // The job queue imports these for recurring jobs, which the server does not have (platform/jobs.ts: `schedule: false`).
  'cron-parser': 'export class CronExpressionParser {}',
  'rrule-temporal': 'export class RRuleTemporal {}',
  // @fastify/static needs it for `wildcard: false` only, which the server does not use (platform/http/static-files.ts).
  glob: 'export const glob = null;',
  // An import reads all properties of this module, and some of them load node's client for `fetch` and HTTP/2 before anything needs them.
  'node:http': `
    import { createRequire } from 'node:module';
    const http = createRequire(import.meta.url)('node:http');
    export default http;
    export const { STATUS_CODES } = http;`,
};

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const server = path.join(root, 'server');
const dist = path.join(server, 'dist');

fs.rmSync(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: Object.fromEntries(PROGRAMS.map((name) => [name, path.join(server, 'src', `${name}.ts`)])),
  platform: 'node',
  plugins: [
    {
      name: 'replaced',
      resolveId: (specifier) => (specifier in REPLACED ? `\0${specifier}` : null),
      load: (id) => (id.startsWith('\0') ? (REPLACED[id.slice(1)] ?? null) : null),
    },
    {
      // V8 stores a text of other characters with two bytes for each. Comments are removed, so that they are in strings and expressions only.
      name: 'ascii',
      generateBundle(_options, files) {
        for (const file of Object.values(files)) {
          if (file.type === 'chunk') file.code = file.code.replaceAll(/[^\0-\x7f]/g, escapeUnit);
        }
      },
    },
  ],
  external: (specifier) => /^[^./\0]/.test(specifier) && !BUNDLED.test(specifier) && !(specifier in REPLACED),
});
await bundle.write({
  dir: dist,
  format: 'esm',
  // Names stay readable in stack traces.
  minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },

  entryFileNames: '[name].js',
  chunkFileNames: 'parts/[name]-[hash].js',
});
await bundle.close();
