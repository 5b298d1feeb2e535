import { beforeEach, expect, test } from 'vitest';
import { accessToken, fakeServer } from '../testing/server.ts';
import { keepPersonal, recallPersonal } from './personal-storage.ts';
import { signOut, startSignIn } from './sign-in.ts';

beforeEach(() => {
  sessionStorage.clear();
  fakeServer({ 'POST /api/auth/logout': () => undefined });
});

test('stored text: is removed at the sign-out, and not visible to another person', async () => {
  startSignIn('staff', accessToken({ sub: '1' }));
  keepPersonal('list:patients', 'smith');
  expect(recallPersonal('list:patients')).toBe('smith');
  startSignIn('staff', accessToken({ sub: '2' }));
  expect(recallPersonal('list:patients')).toBeNull();
  startSignIn('staff', accessToken({ sub: '1' }));
  keepPersonal('list:patients', 'smith');
  sessionStorage.setItem('booking:0123', '{"person":{}}');
  await signOut();
  expect(JSON.stringify(sessionStorage)).not.toMatch(/smith|booking/);
  expect(recallPersonal('list:patients')).toBeNull();
});

test('signed-out person: nothing is stored', async () => {
  await signOut();
  keepPersonal('list:patients', 'smith');
  expect(JSON.stringify(sessionStorage)).not.toContain('smith');
});
