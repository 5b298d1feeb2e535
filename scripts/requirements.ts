import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Lists which requirements are proven by which tests. A requirement is proven by a test whose title contains its ID as a word
 * (`@LIST-5`), unless the test is skipped; a heading by all rows under it; three rows by a decision record with a line
 * `Proves: ID`. A test has an ID only when it tests every clause of the row in the application.
 *
 * Two kinds of wrong claims make the script fail:
 * - An ID only on tests with faked parts. Such a test is a file of `web/` that imports the faked server
 *   (`testing/server.ts`), a screen without its application (`testing/render.tsx`, where every route counts as
 *   registered, or `@testing-library/react`) or a part named `fake-*`, or that calls `vi.mock` or `vi.stubGlobal`. It may have IDs, but
 *   another test must have them too. Browser tests, server tests and tests of pure functions have no such parts.
 * - A row of ROUTE-2 to ROUTE-7 that is claimed as proven while one of its routes has no screen in `web/src/routes.tsx` and `staff-routes.tsx`.
 *
 * `npm run requirements` prints `ID<TAB>proven|missing<TAB>files` for each, then the count; `-- --write` also updates
 * docs/requirements.md, `-- --check` fails when it is out of date.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const PAGE = path.join(root, 'docs/requirements.md');
/** Rows that a decision record proves instead of a test. */
const DECIDED = new Set(['CALL-1', 'ERROR-11', 'ROLE-9']);

/** The routes of each row, as patterns of `web/src/paths.ts`. */
const ROUTES: Readonly<Record<string, readonly string[]>> = {
  'ROUTE-2': [
    ...['/link', '/link/:code', '/login', '/login/:token', '/logout', '/signup', '/reset/:uid', '/request-reset'],
    ...['/thank-you', '/user'],
  ],
  'ROUTE-3': [
    ...['/patient-payment/:uid', '/appointment/:uid', '/appointment/:uid/:toolbar', '/appointment/:uid/pt'],
    ...['/waiting-room', '/instant-appointment', '/patient-list'],
  ],
  'ROUTE-4': ['/patient-edit/:id', '/appointment-list', '/appointment-list/:date'],
  'ROUTE-5': [
    ...['/appointment-edit/:patient/:id', '/appointment-edit/:date/:time/:doctor', '/recordings/:id'],
    ...['/photo-list/:patient', '/photo/:patient/:uid'],
  ],
  'ROUTE-6': [
    ...['/admin', '/admin/home', '/admin/user', '/admin/user/:company', '/admin/user/edit/:id'],
    ...['/admin/user/edit/:id/:company', '/admin/company', '/admin/company/edit/:id', '/admin/company/edit'],
    ...['/admin/payment', '/admin/payment/:id', '/admin/promo', '/admin/promo/edit/:id', '/admin/scheduling'],
    ...['/admin/scheduling/edit/:ruleId', '/admin/csv-import'],
  ],
  'ROUTE-7': ['/schedule/monthly', '/schedule/monthly/:date', '/schedule/daily', '/schedule/daily/:date'],
};

export interface Requirement {
  readonly id: string;
  readonly wording: string;
  /** The ID of the heading that this row belongs to. */
  readonly heading: string | null;
}

/** A requirement with the files that prove it; empty = missing. */
export interface Coverage extends Requirement {
  readonly isHeading: boolean;
  readonly provenBy: readonly string[];
}

/** Reads `ID<TAB>wording[<TAB>heading]` lines. */
export function parseRequirements(text: string): Requirement[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [id = '', wording = '', heading] = line.split('\t');
      return { id, wording, heading: heading ?? null };
    });
}

const TITLE = /(['"`])((?:\\.|(?!\1)[^\\\n])*@[A-Z]+-\d+\b(?:\\.|(?!\1)[^\\\n])*)\1/g;
const CALL = String.raw`\b(?:\w*[tT]est|it|describe)(?:\.\w+)*`;
const SKIPPED = /\.(skip|todo|fixme)\b/;

/**
 * Returns the IDs in the titles of the tests of one file.
 *
 * @throws Error when the file has IDs and skips a group of tests
 */
export function provenInTests(source: string): Set<string> {
  const code = source.replace(/^\s*(\/\/.*|\/\*[\s\S]*?\*\/)\s*$/gm, '');
  const ids = new Set<string>();
  const titles = [...code.matchAll(TITLE)].flatMap((match) => {
    const call = callBefore(code.slice(0, match.index));
    return call === null ? [] : [{ title: match[2] ?? '', call, index: match.index }];
  });
  for (const [index, { title, call, index: start }] of titles.entries()) {
    const body = code.slice(start, titles[index + 1]?.index);
    if (SKIPPED.test(call) || /\btest\.(skip|fixme)\(\s*\)/.test(body)) continue;
    for (const [, id] of title.matchAll(/@([A-Z]+-\d+)\b/g)) if (id) ids.add(id);
  }
  if (ids.size > 0 && /\bdescribe\.(skip|todo|fixme)\b/.test(code)) throw new Error('skip tests, not groups of them');
  return ids;
}

/** Returns the function whose first argument starts here, such as `test.only`, or `test.each` before its table. */
function callBefore(code: string): string | null {
  const before = code.trimEnd();
  if (!before.endsWith('(')) return null;
  const callee = before.slice(0, -1).trimEnd();
  const plain = new RegExp(`${CALL}$`).exec(callee);
  if (plain) return plain[0];
  if (!/[)`>]$/.test(callee)) return null;
  return [...callee.matchAll(new RegExp(CALL, 'g'))].at(-1)?.[0] ?? null;
}

const FAKED =
  /from '(?:@testing-library\/react|[^']*(?:testing\/(?:server|render)\.tsx?|\/fake-[\w-]+\.tsx?))'|\bvi\.(?:mock|doMock|stubGlobal)\(/;

/** Whether a test file uses faked parts of the application; see the top of this file. */
export function hasFakedParts(file: string, source: string): boolean {
  return file.startsWith('web/') && FAKED.test(source);
}

/** Returns the IDs that only tests with faked parts have. */
export function onlyFaked(
  proofs: ReadonlyMap<string, readonly string[]>,
  isFaked: (file: string) => boolean,
): { id: string; files: readonly string[] }[] {
  return [...proofs].flatMap(([id, files]) => (files.every(isFaked) ? [{ id, files }] : []));
}

/** Returns the routes without a registered screen, according to the sources of `paths.ts` and `routes.tsx`. */
export function routesWithoutScreen(wanted: readonly string[], paths: string, routes: string): string[] {
  const used = new Set([...routes.matchAll(/\bpatterns\.(\w+)/g)].map(([, name]) => name));
  const named = [...paths.matchAll(/^\s*(\w+): '(\/[^']*)',$/gm)];
  const registered = new Set(named.flatMap(([, name, pattern]) => (used.has(name) ? [pattern] : [])));
  return wanted.filter((route) => !registered.has(route));
}

/** Adds to each requirement the files that prove it. */
export function cover(
  requirements: readonly Requirement[],
  proofs: ReadonlyMap<string, readonly string[]>,
): Coverage[] {
  const parts = Map.groupBy(requirements, ({ heading }) => heading);
  return requirements.map((requirement) => {
    const own = proofs.get(requirement.id) ?? [];
    const rows = parts.get(requirement.id);
    if (!rows) return { ...requirement, isHeading: false, provenBy: own };
    const below = rows.map(({ id }) => proofs.get(id) ?? []);
    const provenBy = below.every((files) => files.length > 0)
      ? [...new Set(below.flat())].toSorted((a, b) => a.localeCompare(b))
      : [];
    return { ...requirement, isHeading: true, provenBy };
  });
}

const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');

/** Finds the proofs in the working tree; unknown IDs are problems. */
function findProofs(known: ReadonlySet<string>): { proofs: Map<string, string[]>; problems: string[] } {
  const proofs = new Map<string, string[]>();
  const problems: string[] = [];
  const add = (id: string, file: string) => {
    if (!known.has(id)) problems.push(`${file}: there is no requirement ${id}`);
    proofs.set(id, [...(proofs.get(id) ?? []), file]);
  };
  const tests = fs.globSync('{contract,signalr,server,web,e2e}/**/*.{test.ts,test.tsx,e2e.ts}', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  });
  const faked = new Set<string>();
  for (const file of tests.sort()) {
    const source = read(file);
    if (hasFakedParts(file, source)) faked.add(file);
    try {
      for (const id of provenInTests(source)) add(id, file);
    } catch (error) {
      problems.push(`${file}: ${(error as Error).message}`);
    }
  }
  for (const { id, files } of onlyFaked(proofs, (file) => faked.has(file))) {
    problems.push(`${id} is only on tests with faked parts: ${files.join(', ')}`);
  }
  for (const [id, wanted] of Object.entries(ROUTES)) {
    const missing = routesWithoutScreen(
      wanted,
      read('web/src/paths.ts'),
      read('web/src/routes.tsx') + read('web/src/staff-routes.tsx'),
    );
    if (proofs.has(id) && missing.length > 0) {
      problems.push(`${id} is claimed as proven, but no screen is registered for ${missing.join(', ')}`);
    }
  }
  for (const file of fs.globSync('docs/decisions/*.md', { cwd: root }).sort()) {
    const [, ids = ''] = /^Proves: (.+)$/m.exec(read(file)) ?? [];
    for (const id of ids.match(/[A-Z]+-\d+/g) ?? []) {
      if (DECIDED.has(id)) add(id, file);
      else problems.push(`${file}: ${id} needs a test, not a decision`);
    }
  }
  return { proofs, problems };
}

/** Returns the page docs/requirements.md. */
function page(coverage: readonly Coverage[], summary: string): string {
  const rows = coverage.map(({ id, wording, provenBy }) => {
    const links = provenBy.map((file) => `[${path.basename(file)}](../${file})`).join(', ');
    return `| ${id} | ${wording} | ${links || '**missing**'} |`;
  });
  return [
    '# Requirements',
    '',
    'Each row of the specification in our own short words, and the tests whose titles carry its ID. Made by',
    '`npm run requirements -- --write`; do not edit.',
    '',
    `${summary}.`,
    '',
    '| ID | What | Proven by |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function main(args: readonly string[]): void {
  const requirements = parseRequirements(fs.readFileSync(new URL('requirements.tsv', import.meta.url), 'utf8'));
  const { proofs, problems } = findProofs(new Set(requirements.map(({ id }) => id)));
  const coverage = cover(requirements, proofs);
  const proven = coverage.filter(({ provenBy }) => provenBy.length > 0).length;
  const summary = `${proven} of ${coverage.length} proven`;
  const wanted = page(coverage, summary);
  if (args.includes('--write')) fs.writeFileSync(PAGE, wanted);
  if (args.includes('--check')) {
    const there = fs.existsSync(PAGE) ? fs.readFileSync(PAGE, 'utf8') : '';
    if (there !== wanted) problems.push('docs/requirements.md is out of date: npm run requirements -- --write');
  } else {
    for (const { id, provenBy } of coverage) {
      console.log(`${id}\t${provenBy.length > 0 ? 'proven' : 'missing'}\t${provenBy.join(' ')}`);
    }
  }
  console.log(summary);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

if (import.meta.main) main(process.argv.slice(2));
