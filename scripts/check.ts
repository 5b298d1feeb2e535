import { runStep, type Step } from './steps.ts';

const types = (project: string): Step => ({ name: `types of ${project}`, command: ['tsc', '-p', project] });

/** The static checks. */
export const STATIC_STEPS: readonly Step[] = [
  { name: 'format', command: ['biome', 'check', '--max-diagnostics=50'] },
  { name: 'requirements', command: ['node', 'scripts/requirements.ts', '--check'] },
  { name: 'settings table', command: ['node', 'scripts/settings-table.ts', '--check'] },
  { name: 'words', command: ['node', 'scripts/words.ts'] },
  // It says when there is no release.
  { name: 'released migrations', command: ['node', 'scripts/released-migrations.ts'], live: true },
  { name: 'circles of imports', command: ['node', 'scripts/circles.ts'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  ...['contract', 'signalr', 'server', 'web', 'web/tsconfig.node.json', 'e2e', 'bench'].map(types),
  { name: 'dead code', command: ['knip', '--no-progress'] },
  // Without tests: code that only tests use is dead too.
  {
    name: 'dead code of the product',
    command: [
      'knip',
      '--production',
      '--config',
      'knip.production.json',
      '--include',
      'files,exports',
      '--no-progress',
    ],
  },
  { name: 'database types', command: ['node', 'scripts/database-types.ts', '--check'] },
  // `precheck` and `pretest` have built the web.
  { name: 'sizes of first pages', command: ['node', 'web/budget.ts'] },
];

/** `npm run check`: types, lint, format, dead code, sizes of first pages, then unit and server tests; `-- --fast` leaves the tests out. */
async function main(args: readonly string[]): Promise<void> {
  const steps: Step[] = [...STATIC_STEPS];
  if (!args.includes('--fast'))
    steps.push({ name: 'unit and server tests', command: ['vitest', 'run', '--reporter=dot'] });
  let failed = 0;
  for (const step of steps) if (!(await runStep(step)).ok) failed += 1;
  console.log(failed === 0 ? 'All checks passed.' : `${failed} of ${steps.length} checks failed.`);
  if (failed > 0) process.exitCode = 1;
}

if (import.meta.main) await main(process.argv.slice(2));
