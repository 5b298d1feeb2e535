import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/test-app.ts';
import { hashPassword } from '../../features/auth/passwords.ts';
import { sendMessage } from '../../features/notifications/delivery.ts';

const app = await startTestApp();
const { db } = app.context;

test('nothing waits inside a transaction: neither a second one, nor a password hash, nor a message', async () => {
  await db.open({ kind: 'door' }, async () => {
    await expect(db.open({ kind: 'door' }, async () => 1)).rejects.toThrow('A second transaction was opened');
    await expect(hashPassword('x')).rejects.toThrow('A password was hashed inside a transaction.');
    const text = { method: 'text', text: { to: '+12025550100', text: 'x' } } as const;
    const transports = { mail: () => Promise.resolve(), text: () => Promise.resolve() };
    expect(() => sendMessage(transports, text, '2030-01-01T00:00:00Z')).toThrow('A message was sent inside');
  });
});

test('what a transaction started and left running may open one of its own', async () => {
  const later = Promise.withResolvers<void>();
  const goesOn = await db.open({ kind: 'door' }, async () => ({
    ended: later.promise.then(() => db.open({ kind: 'door' }, async () => 'opened')),
  }));
  later.resolve();
  expect(await goesOn.ended).toBe('opened');
});
