import '../server/test/temporal.ts';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareDatabase } from '../server/src/platform/database/migrate.ts';
import { startPostgres } from '../server/src/platform/postgres/embedded.ts';

/**
 * Writes the tables' types (server/src/platform/database/schema.ts) from a database with all migrations. With `--check` it only compares
 * and exits with 1 when the committed file is out of date.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const target = path.join(root, 'server/src/platform/database/schema.ts');

/** The types that the driver's type parsers return: see database.ts. */
const mapping = {
  timestamptz: 'string',
  int8: 'number',
  numeric: 'string',
  date: 'string',
  bytea: 'Buffer',
  xid8: 'string',
};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-types-'));
const postgres = await startPostgres({ dir: path.join(folder, 'postgres'), durable: false });
try {
  const owner = { host: postgres.host, port: postgres.port, user: postgres.user, database: 'postgres' };
  await prepareDatabase({ owner, application: { ...owner, user: 'app_user' }, now: Temporal.Now.instant() });
  const generated = path.join(folder, 'schema.ts');
  const url = `postgres://${postgres.user}@localhost/postgres?host=${encodeURIComponent(postgres.host)}`;
  const options = [
    '--dialect',
    'postgres',
    '--url',
    url,
    '--out-file',
    generated,
    '--type-mapping',
    JSON.stringify(mapping),
  ];
  const codegen = path.join(root, 'node_modules/.bin/kysely-codegen');
  execFileSync(codegen, [...options, '--exclude-pattern', 'schema_*'], { stdio: 'pipe' });
  execFileSync(path.join(root, 'node_modules/.bin/biome'), ['format', '--write', generated], {
    stdio: 'pipe',
    cwd: root,
  });
  const text = fs.readFileSync(generated, 'utf8');
  if (!process.argv.includes('--check')) {
    fs.writeFileSync(target, text);
  } else if (fs.readFileSync(target, 'utf8').replace(/\s+/g, '') !== text.replace(/\s+/g, '')) {
    process.stderr.write('server/src/platform/database/schema.ts is out of date: run node scripts/database-types.ts\n');
    process.exitCode = 1;
  }
} finally {
  await postgres.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}
