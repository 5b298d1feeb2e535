import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Which requirements are proven, and where. A requirement is proven by a test whose title carries its ID as a word
 * (`@LIST-5`), unless the test is skipped; a heading by all rows under it; three rows by a decision record with a line
 * `Proves: ID`.
 *
 * `npm run requirements` prints `ID<TAB>proven|missing<TAB>where` for each, then the count; `-- --write` also brings
 * docs/requirements.md up to date, `-- --check` fails when it is not.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const PAGE = path.join(root, 'docs/requirements.md');
/** What the specification leaves open is decided, not tested. */
const DECIDED = new Set(['CALL-1', 'ERROR-11', 'ROLE-9']);

export interface Requirement {
  readonly id: string;
  readonly wording: string;
  /** The heading that this row proves a part of. */
  readonly heading: string | null;
}

/** One requirement with the files that prove it; empty = missing. */
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
 * The IDs in the titles of the tests of one file.
 *
 * @throws Error when a skipped group hides which of its tests run
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

/** The function whose first argument begins here: `test.only`, or `test.each` in front of its table. */
function callBefore(code: string): string | null {
  const before = code.trimEnd();
  if (!before.endsWith('(')) return null;
  const callee = before.slice(0, -1).trimEnd();
  const plain = new RegExp(`${CALL}$`).exec(callee);
  if (plain) return plain[0];
  if (!/[)`>]$/.test(callee)) return null;
  return [...callee.matchAll(new RegExp(CALL, 'g'))].at(-1)?.[0] ?? null;
}

/** Joins requirements with what the files of the repository prove. */
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

/** Finds the proofs in the working tree; names unknown IDs as problems. */
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
  for (const file of tests.sort()) {
    try {
      for (const id of provenInTests(fs.readFileSync(path.join(root, file), 'utf8'))) add(id, file);
    } catch (error) {
      problems.push(`${file}: ${(error as Error).message}`);
    }
  }
  for (const file of fs.globSync('docs/decisions/*.md', { cwd: root }).sort()) {
    const [, ids = ''] = /^Proves: (.+)$/m.exec(fs.readFileSync(path.join(root, file), 'utf8')) ?? [];
    for (const id of ids.match(/[A-Z]+-\d+/g) ?? []) {
      if (DECIDED.has(id)) add(id, file);
      else problems.push(`${file}: ${id} needs a test, not a decision`);
    }
  }
  return { proofs, problems };
}

/** The page for readers, gaps visible. */
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
    if (there !== wanted) problems.push('docs/requirements.md is not up to date: npm run requirements -- --write');
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
