import { expect, test } from 'vitest';
import { isPatientNotified, type NotificationKind } from './notification-kinds.ts';

type Message = [kind: NotificationKind, state?: string];

test.each<[name: string, latestFirst: Message[], isNotified: boolean]>([
  ['no message', [], false],
  ['an invitation', [['invitation']], true],
  ['an invitation that is queued', [['invitation', 'queued']], true],
  ['an invitation that failed', [['invitation', 'failed']], false],
  ['a receipt', [['receipt']], true],
  ['a cancellation', [['cancelled'], ['invitation']], false],
  ['a refund after a cancellation', [['refunded'], ['cancelled'], ['invitation']], false],
  ['a cancellation that was not sent', [['cancelled', 'dropped'], ['invitation']], true],
  ['another invitation after a cancellation', [['invitation', 'queued'], ['cancelled'], ['invitation']], true],
])('isPatientNotified: %s', (_, latestFirst, isNotified) => {
  const messages = latestFirst.map(([kind, state = 'sent']) => ({ kind, state }));
  expect(isPatientNotified(messages)).toBe(isNotified);
});
