import { passwordReset } from '@roomside/contract/auth/calls.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { password, startTestApp } from '../../../test/test-app.ts';
import { createFirstSuper } from './first-super.ts';

const app = await startTestApp();
const configured = await startTestApp({ env: { SUPER_EMAIL: 'root@clinic.test', SUPER_PASSWORD: password } });

afterEach(() => vi.restoreAllMocks());

/** Runs `work` and returns what it printed. */
async function capturePrinted(work: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  await work();
  write.mockRestore();
  return lines.join('');
}

test('createFirstSuper: prints a link at each start until one was used', async () => {
  const link = /#\/reset\/([\w-]+)/;
  expect(await capturePrinted(() => createFirstSuper(app.context))).toMatch(link);
  const [, token = ''] = link.exec(await capturePrinted(() => createFirstSuper(app.context))) ?? [];
  const response = await app.anonymous().call(passwordReset, { body: { user: { refreshToken: token, password } } });
  expect(response.status).toBe(200);
  expect(await capturePrinted(() => createFirstSuper(app.context))).toBe('');
  await app.signIn({ email: 'super@roomside.invalid', password });
});

test('createFirstSuper: with SUPER_EMAIL and SUPER_PASSWORD, creates the Super and prints nothing', async () => {
  expect(await capturePrinted(() => createFirstSuper(configured.context))).toBe('');
  await configured.signIn({ email: 'root@clinic.test', password });
});
