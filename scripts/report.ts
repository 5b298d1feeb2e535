/** The test counts of one part of `npm test`. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly { readonly title: string; readonly reason: string }[];
  /** Titles of tests that passed only when they were retried; they count as passed. */
  readonly retried: readonly string[];
}

export const noCounts: Counts = { passed: 0, failed: 0, skipped: [], retried: [] };

/** The part of Playwright's JSON report that is used. */
export interface PlaywrightReport {
  readonly suites: readonly PlaywrightSuite[];
  /** Errors outside of tests. */
  readonly errors: readonly unknown[];
}

interface PlaywrightSuite {
  readonly title: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs: readonly {
    readonly title: string;
    readonly tests: readonly {
      readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
      readonly annotations: readonly { readonly type: string; readonly description?: string }[];
    }[];
  }[];
}

/** Counts the browser tests. An error outside of a test counts as a failed test. */
export function countPlaywright({ suites, errors }: PlaywrightReport): Counts {
  let passed = 0;
  let failed = errors.length;
  const skipped: Counts['skipped'][number][] = [];
  const retried: string[] = [];
  const walk = (suite: PlaywrightSuite, path: string): void => {
    const name = `${path}${suite.title} > `;
    for (const inner of suite.suites ?? []) walk(inner, name);
    for (const { title, tests } of suite.specs) {
      for (const { status, annotations } of tests) {
        const reason = annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description;
        if (status === 'skipped') skipped.push({ title: `${name}${title}`, reason: reason ?? 'no reason given' });
        else if (status === 'unexpected') failed += 1;
        else passed += 1;
        if (status === 'flaky') retried.push(`${name}${title}`);
      }
    }
  };
  for (const suite of suites) walk(suite, '');
  return { passed, failed, skipped, retried };
}

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
 * Returns the last lines of the output: the duration of each part, skipped tests with reasons, retried tests, and the counts. A part that
 * failed without a failed test counts as one failed test.
 */
export function report(parts: readonly Part[]): { lines: string[]; failed: number } {
  const counts = parts.map(({ ok, counts = noCounts }) =>
    ok || counts.failed > 0 ? counts : { ...counts, failed: 1 },
  );
  const sum = (of: (count: Counts) => number) => counts.reduce((total, count) => total + of(count), 0);
  const failed = sum((count) => count.failed);
  const skipped = counts.flatMap((count) => count.skipped);
  return {
    lines: [
      ...parts.map(({ name, ok, seconds }) => `${ok ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)`),
      ...skipped.map(({ title, reason }) => `skipped: ${title} — ${reason}`),
      ...counts.flatMap(({ retried }) => retried.map((title) => `passed at the second try only: ${title}`)),
      `${sum((count) => count.passed)} passed, ${failed} failed, ${skipped.length} skipped`,
    ],
    failed,
  };
}
