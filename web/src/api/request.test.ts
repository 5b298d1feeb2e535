import { afterEach, expect, test, vi } from 'vitest';
import { fakeServer, problem } from '../testing/server.ts';
import { OfflineError } from './problem.ts';
import { dropStartedRequests, readJson, request, startRequest } from './request.ts';

const page = { method: 'GET', url: '/api/booking/1' };
const signIn = { method: 'POST', url: '/api/auth/login', body: { user: { email: 'aB3' } } };

afterEach(() => {
  dropStartedRequests();
  vi.unstubAllGlobals();
});

test('started request: its response goes to the next equal request only', async () => {
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

test('refused started request: fails the request that takes it, and the next one is sent again', async () => {
  const { asked, handlers } = fakeServer({ 'POST /api/auth/login': () => problem(401, 'wrong-code') });
  startRequest(signIn);
  await expect(request(signIn)).rejects.toMatchObject({ code: 'wrong-code' });
  handlers['POST /api/auth/login'] = () => ({ signedIn: true });
  expect(await readJson(await request(signIn))).toEqual({ signedIn: true });
  expect(asked).toHaveLength(2);
});

test('request with an access token: never takes a response that was requested without one', async () => {
  const { asked } = fakeServer({ 'GET /api/booking/1': ({ headers }) => ({ as: headers.get('authorization') }) });
  startRequest(page);
  expect(await readJson(await request({ ...page, token: 't' }))).toEqual({ as: 'Bearer t' });
  expect(asked).toHaveLength(2);
});

test('response that does not come in time: the server counts as out of reach; an aborted request does not', async () => {
  fakeServer({ 'GET /api/booking/1': () => new Promise(() => undefined) });
  await expect(request({ ...page, timeoutMs: 1 })).rejects.toBeInstanceOf(OfflineError);
  fakeServer({ 'GET /api/booking/1': () => 'slow content' });
  const response = await request({ ...page, timeoutMs: 5 });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await readJson(response)).toBe('slow content');
  fakeServer({ 'GET /api/booking/1': () => new Promise(() => undefined) });
  const left = new AbortController();
  const sent = request({ ...page, signal: left.signal, timeoutMs: 60_000 });
  left.abort(new Error('left'));
  await expect(sent).rejects.toThrow('left');
});

test('dropped started requests: the next request is sent', async () => {
  const { asked } = fakeServer({ 'GET /api/booking/1': () => ({}) });
  startRequest(page);
  dropStartedRequests();
  await request(page);
  expect(asked).toHaveLength(2);
});
