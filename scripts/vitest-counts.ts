import fs from 'node:fs';
import path from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { type Counts, inOneLine } from './report.ts';

/** A vitest reporter that writes {@link Counts} to the file in TEST_COUNTS. */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    let passed = 0;
    // Files that cannot be loaded and errors outside of tests are failures too.
    const failed = [
      ...errors.map((error) => ({ title: 'outside of tests', reason: inOneLine(error.message) })),
      ...modules
        .filter((module) => module.errors().length > 0)
        .map((module) => ({ title: module.relativeModuleId, reason: summary(module.errors()) })),
    ];
    const skipped: Counts['skipped'][number][] = [];
    const retried: Counts['retried'][number][] = [];
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      const result = test.result();
      const find = (reason: string) => ({ title: test.fullName, reason });
      if (test.diagnostic()?.flaky) retried.push(find(summary(result.errors)));
      if (result.state === 'passed') passed += 1;
      else if (result.state === 'failed') failed.push(find(summary(result.errors)));
      else if (result.state === 'skipped' && result.note) skipped.push(find(result.note));
      // Also those of a group whose setup has failed.
      else failed.push(find('not run, without a reason'));
    }
    const file = process.env['TEST_COUNTS'];
    if (!file) return;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify({ passed, failed, skipped, retried } satisfies Counts));
  }
}

/** Errors with their lines, in one line. */
function summary(errors: readonly SerializedError[] | undefined): string {
  return (errors ?? []).map(({ message, stacks }) => inOneLine(`${message} ${stacks?.[0]?.line ?? ''}`)).join('; ');
}
