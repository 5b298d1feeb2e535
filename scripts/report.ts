import { stripVTControlCharacters } from 'node:util';

/** The test counts of one part of `npm test`. */
export interface Counts {
  readonly passed: number;
  /** Failed tests, and errors outside of tests. */
  readonly failed: readonly Finding[];
  readonly skipped: readonly Finding[];
  /** Tests that passed only when they were retried, with the error of the first try; they count as passed. */
  readonly retried: readonly Finding[];
}

/** A test, and why it is listed. */
interface Finding {
  readonly title: string;
  readonly reason: string;
}

export const noCounts: Counts = { passed: 0, failed: [], skipped: [], retried: [] };

/** Returns an error in one line, without the colors of a terminal. */
export const inOneLine = (error: string): string =>
  stripVTControlCharacters(error).replaceAll(/\s+/g, ' ').trim().slice(0, 500);

/** The part of Playwright's JSON report that is used. */
export interface PlaywrightReport {
  readonly suites: readonly PlaywrightSuite[];
  /** Errors outside of tests. */
  readonly errors: readonly PlaywrightError[];
}

interface PlaywrightError {
  readonly message?: string;
}

interface PlaywrightSuite {
  readonly title: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs: readonly {
    readonly title: string;
    readonly tests: readonly {
      readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
      readonly annotations: readonly { readonly type: string; readonly description?: string }[];
      /** One for each try. `duration` in ms. */
      readonly results: readonly { readonly duration: number; readonly errors: readonly PlaywrightError[] }[];
    }[];
  }[];
}

/** Counts the browser tests. An error outside of a test counts as a failed test. */
export function countPlaywright({ suites, errors }: PlaywrightReport): Counts {
  let passed = 0;
  const failed = errors.map((error) => ({ title: 'outside of tests', reason: reasonOf([error]) }));
  const skipped: Finding[] = [];
  const retried: Finding[] = [];
  const walk = (suite: PlaywrightSuite, path: string): void => {
    const name = `${path}${suite.title} > `;
    for (const inner of suite.suites ?? []) walk(inner, name);
    for (const { title, tests } of suite.specs) {
      for (const { status, annotations, results } of tests) {
        const find = (reason: string): Finding => ({ title: `${name}${title}`, reason });
        const tries = results.map((one) => `${(one.duration / 1000).toFixed(1)} s: ${reasonOf(one.errors)}`);
        const note = annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description;
        if (status === 'skipped') skipped.push(find(note ?? 'no reason given'));
        else if (status === 'unexpected') failed.push(find(tries.join('; ')));
        else passed += 1;
        if (status === 'flaky') retried.push(find(tries[0] ?? ''));
      }
    }
  };
  for (const suite of suites) walk(suite, '');
  return { passed, failed, skipped, retried };
}

const reasonOf = (errors: readonly PlaywrightError[]): string =>
  errors.map(({ message = '' }) => inOneLine(message)).join('; ');

/** The result of one part of `npm test`. */
export interface Part {
  readonly name: string;
  /** Whether its program exited successfully. */
  readonly ok: boolean;
  readonly seconds: number;
  /** Undefined when it has no tests or its report is missing. */
  readonly counts?: Counts | undefined;
}

/**
 * Returns the last lines of the output: the duration of each part, skipped, retried and failed tests with reasons, and the counts. A part
 * that failed without a failed test counts as one failed test.
 */
export function report(parts: readonly Part[]): { lines: string[]; failed: number } {
  const counts = parts.map(({ name, ok, counts = noCounts }) =>
    ok || counts.failed.length > 0 ? counts : { ...counts, failed: [{ title: name, reason: 'see its output above' }] },
  );
  const passed = counts.reduce((total, count) => total + count.passed, 0);
  const failed = counts.flatMap((count) => count.failed);
  const skipped = counts.flatMap((count) => count.skipped);
  const listed = [
    { what: 'skipped', findings: skipped },
    { what: 'passed at the second try only', findings: counts.flatMap((count) => count.retried) },
    { what: 'failed', findings: failed },
  ];
  return {
    lines: [
      ...parts.map(({ name, ok, seconds }) => `${ok ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)`),
      ...listed.flatMap(({ what, findings }) => findings.map(({ title, reason }) => `${what}: ${title} — ${reason}`)),
      `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
    ],
    failed: failed.length,
  };
}
