import { expect, test } from 'vitest';
import { holdPage, leaveQuestion } from './leave-questions.ts';

test('leaveQuestion: returns the first question for a path, until its part of the page releases it', () => {
  const form = holdPage(() => ({ text: 'Leave the form?', yes: 'Leave', no: 'Stay' }));
  const recording = holdPage((path) =>
    path === '/logout' ? { text: 'Sign out?', yes: 'Sign out', no: 'Stay' } : undefined,
  );
  expect(leaveQuestion('/patients')?.text).toBe('Leave the form?');
  form();
  expect(leaveQuestion('/patients')).toBeUndefined();
  expect(leaveQuestion('/logout')?.text).toBe('Sign out?');
  recording();
  expect(leaveQuestion('/logout')).toBeUndefined();
});
