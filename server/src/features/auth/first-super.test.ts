import { passwordReset } from '@roomside/contract/auth/calls.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { password, startTestApp } from '../../../test/test-app.ts';
import { createFirstSuper } from './first-super.ts';

const app = await startTestApp();
const given = await startTestApp({ env: { SUPER_EMAIL: 'root@clinic.test', SUPER_PASSWORD: password } });

afterEach(() => vi.restoreAllMocks());

/** What was printed while `work` ran. */
async function printed(work: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  await work();
  write.mockRestore();
  return lines.join('');
}

test('an empty installation prints a link, at each start until one was used, and never again', async () => {
  const link = /#\/reset\/([\w-]+)/;
  expect(await printed(() => createFirstSuper(app.context))).toMatch(link);
  const [, token = ''] = link.exec(await printed(() => createFirstSuper(app.context))) ?? [];
  const answer = await app.anonymous().call(passwordReset, { body: { user: { refreshToken: token, password } } });
  expect(answer.status).toBe(200);
  expect(await printed(() => createFirstSuper(app.context))).toBe('');
  await app.signIn({ email: 'super@roomside.invalid', password });
});

test('or takes its administrator from the environment, and prints nothing', async () => {
  expect(await printed(() => createFirstSuper(given.context))).toBe('');
  await given.signIn({ email: 'root@clinic.test', password });
});
