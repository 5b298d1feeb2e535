import { afterEach, expect, test, vi } from 'vitest';
import { fakeServer, problem } from '../testing/server.ts';
import { dropStartedRequests, readJson, request, startRequest } from './request.ts';

const page = { method: 'GET', url: '/api/booking/1' };
const signIn = { method: 'POST', url: '/api/auth/login', body: { user: { email: 'aB3' } } };

afterEach(() => {
  dropStartedRequests();
  vi.unstubAllGlobals();
});

test('a started request: its answer goes to the next equal request, and only to that one', async () => {
  let count = 0;
  const { asked } = fakeServer({
    'GET /api/booking/1': () => ({ count: (count += 1) }),
    'POST /api/auth/login': ({ body }) => body,
  });
  startRequest(page);
  startRequest(signIn);
  expect(asked).toHaveLength(2);
  const other = { ...signIn, body: { user: { email: 'other' } } };
  expect(await readJson(await request(other))).toEqual(other.body);
  expect(await readJson(await request(signIn))).toEqual(signIn.body);
  expect(await readJson(await request(page))).toEqual({ count: 1 });
  expect(await readJson(await request(page))).toEqual({ count: 2 });
  expect(asked).toHaveLength(4);
});

test('a started request that is refused: the request that takes it fails, and the next one asks again', async () => {
  const { asked, handlers } = fakeServer({ 'POST /api/auth/login': () => problem(401, 'wrong-code') });
  startRequest(signIn);
  await expect(request(signIn)).rejects.toMatchObject({ code: 'wrong-code' });
  handlers['POST /api/auth/login'] = () => ({ signedIn: true });
  expect(await readJson(await request(signIn))).toEqual({ signedIn: true });
  expect(asked).toHaveLength(2);
});

test('a request with an access token: never takes an answer that was asked for without one', async () => {
  const { asked } = fakeServer({ 'GET /api/booking/1': ({ headers }) => ({ as: headers.get('authorization') }) });
  startRequest(page);
  expect(await readJson(await request({ ...page, token: 't' }))).toEqual({ as: 'Bearer t' });
  expect(asked).toHaveLength(2);
});

test('started requests that are dropped: the next request asks the server', async () => {
  const { asked } = fakeServer({ 'GET /api/booking/1': () => ({}) });
  startRequest(page);
  dropStartedRequests();
  await request(page);
  expect(asked).toHaveLength(2);
});
