import { call } from '@roomside/contract/call.ts';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildUser } from '../../demo/builders.ts';
import { cleanUp } from '../../features/upkeep/clean-up.ts';
import { forUsers } from './handler.ts';

let runs = 0;
/** A creation that staff and administrators of the installation may call. */
const create = call({
  name: 'createThing',
  summary: 'Counts how often it runs.',
  method: 'POST',
  path: '/api/things',
  who: ['A', 'Super'],
  body: z.object({ name: z.string() }),
  result: z.object({ run: z.int() }),
  creates: true,
});
const app = await startTestApp({
  routes: [
    forUsers(create, async () => {
      runs += 1;
      return { run: runs };
    }),
  ],
});
const signIn = async (of: { companyId?: null } = { companyId: null }) => {
  const { email } = await buildUser(app.context, { ...of, role: 'A', password });
  return app.signIn({ email, password });
};

test('a repeat with the same key returns the first result, for an administrator of the installation too', async () => {
  const [first, second, staff] = [await signIn(), await signIn(), await signIn({})];
  const headers = { 'idempotency-key': 'the-same-key' };
  const send = async (person: typeof first, name = 'x') => {
    const { status, json, problem } = await person.call(create, { body: { name }, headers });
    return status === 200 ? json.run : problem.code;
  };
  expect(await Promise.all([send(first), send(first), send(first)])).toEqual([1, 1, 1]);
  expect(await send(first, 'other')).toBe('key-reused');
  // The keys of others are separate.
  expect([await send(second), await send(staff), await send(first)]).toEqual([2, 3, 1]);
});

test('the key of an administrator of the installation is deleted after 24 hours', async () => {
  const person = await signIn();
  const headers = { 'idempotency-key': 'another-key' };
  const before = (await person.call(create, { body: { name: 'x' }, headers })).json.run;
  // A sign-in ends before that, so only the clean-up has the later clock.
  const clock = { ...app.clock, now: () => app.clock.now() + 25 * 3_600_000 };
  await cleanUp({ db: app.context.db, clock });
  expect((await person.call(create, { body: { name: 'x' }, headers })).json.run).toBe(before + 1);
});
