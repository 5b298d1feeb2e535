import fs from 'node:fs';
import path from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import type { Counts } from './report.ts';

/** A vitest reporter that writes {@link Counts} to the file in TEST_COUNTS. */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    let passed = 0;
    // Files that cannot be loaded and errors outside of tests are failures too.
    let failed = errors.length + modules.filter((module) => module.errors().length > 0).length;
    const skipped: Counts['skipped'][number][] = [];
    const retried: string[] = [];
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      const result = test.result();
      if (test.diagnostic()?.flaky) retried.push(`${test.fullName} (${summary(result.errors)})`);
      if (result.state === 'passed') passed += 1;
      else if (result.state === 'failed') failed += 1;
      else
        skipped.push({
          title: test.fullName,
          reason: (result.state === 'skipped' && result.note) || 'no reason given',
        });
    }
    const file = process.env['TEST_COUNTS'];
    if (!file) return;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify({ passed, failed, skipped, retried } satisfies Counts));
  }
}

/** The errors of the first try, in one line. */
function summary(errors: ReturnType<TestCase['result']>['errors']): string {
  return (errors ?? [])
    .map(({ message, stacks }) => `${message} ${stacks?.[0]?.line ?? ''}`.replaceAll(/\s+/g, ' ').slice(0, 500))
    .join('; ');
}
