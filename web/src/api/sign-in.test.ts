import { getBrand } from '@roomside/contract/auth/calls.ts';
import { getArrivedCount } from '@roomside/contract/waiting-room/calls.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Asked, accessToken, fakeServer, problem } from '../testing/server.ts';

/** A newly loaded tab: fresh modules, the same browser storage. */
async function newTab() {
  vi.resetModules();
  const [signIn, { send }, problems] = await Promise.all([
    import('./sign-in.ts'),
    import('./send.ts'),
    import('./problem.ts'),
  ]);
  return { ...signIn, send, ...problems };
}

const bearer = ({ headers }: Asked) => headers.get('authorization')?.slice('Bearer '.length);

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});
afterEach(() => void vi.useRealTimers());

describe('access token', () => {
  test('is requested with the cookie once for several callers', async () => {
    const token = accessToken();
    const { asked } = fakeServer({
      'POST /api/auth/refresh': () => ({ signedIn: true, accessToken: token }),
      'GET /api/waiting-room/count': () => 2,
    });
    const { send, currentSignIn } = await newTab();
    expect(await Promise.all([send(getArrivedCount), send(getArrivedCount)])).toEqual([2, 2]);
    expect(asked.map(({ path }) => path).filter((path) => path.includes('refresh'))).toHaveLength(1);
    expect(asked.slice(1).map(bearer)).toEqual([token, token]);
    expect(asked[0]?.body).toMatchObject({ kind: 'staff' });
    expect(currentSignIn()).toMatchObject({ status: 'in', caller: 'D' });
  });

  test('is renewed a minute before it expires, by this device’s clock', async () => {
    vi.useFakeTimers();
    vi.setSystemTime('2031-01-01T00:00:00Z');
    const old = accessToken({ iat: 1_000, exp: 1_600 });
    const { asked } = fakeServer({ 'POST /api/auth/refresh': () => ({ signedIn: true, accessToken: accessToken() }) });
    const { startSignIn, freshToken } = await newTab();
    startSignIn('staff', old);
    vi.advanceTimersByTime(539_000);
    expect(await freshToken()).toBe(old);
    expect(asked).toHaveLength(0);
    vi.advanceTimersByTime(2_000);
    expect(await freshToken()).not.toBe(old);
    expect(asked).toHaveLength(1);
  });

  test('token refused by the server: is renewed once, and the call is repeated', async () => {
    const [old, young] = [accessToken(), accessToken()];
    const { asked } = fakeServer({
      'POST /api/auth/refresh': () => ({ signedIn: true, accessToken: young }),
      'GET /api/waiting-room/count': (one) => (bearer(one) === young ? 3 : problem(401, 'not-signed-in')),
    });
    const { startSignIn, send } = await newTab();
    startSignIn('staff', old);
    expect(await send(getArrivedCount)).toBe(3);
    expect(asked).toHaveLength(3);
  });

  test('is not sent with calls for unauthenticated people', async () => {
    const { asked } = fakeServer({ 'GET /api/brand': () => ({ strictMode: false, providers: [] }) });
    const { startSignIn, send } = await newTab();
    startSignIn('staff', accessToken());
    await send(getBrand, { query: { host: 'clinic.example' } });
    expect(asked.map(bearer)).toEqual([undefined]);
    expect(asked[0]?.query).toEqual({ host: 'clinic.example' });
  });
});

describe('sign-in', () => {
  test('ends when the cookie is no longer valid', async () => {
    fakeServer({
      'POST /api/auth/refresh': () => ({ signedIn: false }),
      'GET /api/waiting-room/count': () => problem(401, 'sign-in-ended'),
    });
    const { startSignIn, send, currentSignIn, ProblemError } = await newTab();
    startSignIn('staff', accessToken());
    await expect(send(getArrivedCount)).rejects.toBeInstanceOf(ProblemError);
    expect(currentSignIn().status).toBe('out');
  });

  test('continues while the server is unreachable', async () => {
    fakeServer({
      'POST /api/auth/refresh': () => {
        throw new TypeError('network');
      },
    });
    const { knownSignIn, currentSignIn, OfflineError } = await newTab();
    await expect(knownSignIn()).rejects.toBeInstanceOf(OfflineError);
    expect(currentSignIn().status).toBe('unknown');
  });

  test('renewal whose response does not come, as after a change of networks: is sent again within the time for its token', async () => {
    let requests = 0;
    fakeServer({
      'POST /api/auth/refresh': () =>
        (requests += 1) === 1 ? new Promise(() => undefined) : { signedIn: true, accessToken: accessToken() },
    });
    const { knownSignIn } = await newTab();
    vi.useFakeTimers();
    const known = knownSignIn();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(requests).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await known).status).toBe('in');
    expect(requests).toBe(2);
    vi.useRealTimers();
  });

  test('read: its response begins within a minute, or the server is out of reach', async () => {
    fakeServer({ 'GET /api/brand': () => new Promise(() => undefined) });
    const { send, OfflineError } = await newTab();
    vi.useFakeTimers();
    const failed = send(getBrand, { query: { host: 'clinic.example' } }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failed).toBeInstanceOf(OfflineError);
    vi.useRealTimers();
  });

  test('staff and patient in one browser: are separate, one kind per tab, kept over a reload', async () => {
    const { asked } = fakeServer({
      'POST /api/auth/refresh': ({ body }) => ({
        signedIn: true,
        accessToken: accessToken({ roles: (body as { kind: string }).kind === 'patient' ? 'P' : 'A' }),
      }),
    });
    const tab = await newTab();
    tab.startSignIn('staff', accessToken());
    tab.setTabKind('patient');
    expect(tab.currentSignIn()).toEqual({ kind: 'patient', status: 'unknown' });
    const reloaded = await newTab();
    expect(await reloaded.knownSignIn()).toMatchObject({ kind: 'patient', status: 'in', caller: 'P' });
    expect(asked.map(({ body }) => body)).toMatchObject([{ kind: 'patient' }]);
  });

  test('sign-out: notifies the other tabs of its kind before the server', async () => {
    let ended = new Promise<void>(() => undefined);
    const { asked } = fakeServer({
      // The server would refuse a later request of another tab.
      'POST /api/auth/logout': () => ended,
      'POST /api/auth/refresh': () => ({ signedIn: false }),
    });
    const here = await newTab();
    here.startSignIn('staff', accessToken());
    const there = await newTab();
    there.startSignIn('staff', accessToken());
    ended = new Promise((done) => there.onSignInChange(() => done()));
    await here.signOut();
    expect(there.currentSignIn().status).toBe('out');
    expect((await here.knownSignIn()).status).toBe('out');
    expect(asked[0]).toMatchObject({ path: '/api/auth/logout', body: { kind: 'staff' } });
    expect(here.mayBeSignedIn('staff')).toBe(false);
  });

  test('paused after the idle time: opens again when the user continues, not by a renewal under way', async () => {
    let answer: () => void = () => undefined;
    const token = accessToken();
    const { asked, handlers } = fakeServer({
      'POST /api/auth/refresh': async () => {
        await new Promise<void>((done) => (answer = done));
        return { signedIn: true, accessToken: token };
      },
    });
    const tab = await newTab();
    tab.startSignIn('staff', accessToken());
    const renewal = tab.freshToken(await tab.freshToken());
    await expect.poll(() => asked).toHaveLength(1);
    tab.pauseSignIn();
    answer();
    expect(await renewal).toBeUndefined();
    expect([tab.currentSignIn().status, tab.idleEnd()]).toEqual(['out', 'paused']);
    handlers['POST /api/auth/refresh'] = () => ({ signedIn: true, accessToken: token });
    expect(await tab.continueSignIn()).toMatchObject({ status: 'in' });
    expect(tab.idleEnd()).toBeNull();
    // The user has come back, which the server learns.
    expect(asked.map(({ path, body }) => [path, body])).toEqual([
      ['/api/auth/refresh', expect.anything()],
      ['/api/auth/refresh', { kind: 'staff', active: true }],
    ]);

    tab.pauseSignIn();
    handlers['POST /api/auth/refresh'] = () => ({ signedIn: false });
    expect((await tab.continueSignIn()).status).toBe('out');
    expect(tab.idleEnd()).toBeNull();
  });
});

test('paused by another tab during a renewal, before its message arrives: stays paused', async () => {
  let answer: () => void = () => undefined;
  const { asked } = fakeServer({
    'POST /api/auth/refresh': async () => {
      await new Promise<void>((done) => (answer = done));
      return { signedIn: true, accessToken: accessToken() };
    },
  });
  const tab = await newTab();
  tab.startSignIn('staff', accessToken());
  const renewal = tab.freshToken(await tab.freshToken());
  await expect.poll(() => asked).toHaveLength(1);
  localStorage.setItem('sign-in:idle', 'paused');
  answer();
  expect(await renewal).toBeUndefined();
  expect([tab.currentSignIn().status, tab.idleEnd()]).toEqual(['out', 'paused']);
});

describe('sign-out that the server does not get @LOGOUT-1', () => {
  const refreshes = (asked: Asked[]) => asked.filter(({ path }) => path === '/api/auth/refresh');
  const failures = {
    offline: () => {
      throw new TypeError('network');
    },
    'too many': () => problem(429, 'too-many'),
    'a failure': () => problem(500, 'server-error'),
  };

  test.each(Object.entries(failures))('%s: is sent after a reload, before anything else', async (_, fails) => {
    const server = fakeServer({
      'POST /api/auth/logout': fails,
      'POST /api/auth/refresh': () => ({ signedIn: true, accessToken: accessToken() }),
    });
    const tab = await newTab();
    tab.startSignIn('staff', accessToken());
    expect(await tab.signOut()).toBe(false);
    expect(tab.currentSignIn().status).toBe('out');
    const offline = await newTab();
    expect((await offline.knownSignIn()).status).toBe('out');
    expect(await offline.settleSignOut('staff')).toBe(false);

    server.handlers['POST /api/auth/logout'] = () => undefined;
    const reloaded = await newTab();
    expect((await reloaded.knownSignIn()).status).toBe('out');
    expect(await reloaded.settleSignOut('staff')).toBe(true);
    expect(refreshes(server.asked)).toEqual([]);
    expect(server.asked.at(-1)).toMatchObject({ path: '/api/auth/logout', body: { kind: 'staff' } });
    await reloaded.knownSignIn();
    expect(server.asked).toHaveLength(3);
    expect(reloaded.mayBeSignedIn('staff')).toBe(false);
  });

  test('is not sent after a new sign-in, whose cookie it would end', async () => {
    const server = fakeServer({ 'POST /api/auth/logout': failures.offline });
    const tab = await newTab();
    tab.startSignIn('patient', accessToken({ roles: 'P' }));
    await tab.signOut();
    tab.startSignIn('patient', accessToken({ roles: 'P' }));
    expect(await tab.settleSignOut('patient')).toBe(true);
    expect((await tab.knownSignIn('patient')).status).toBe('in');
    expect(server.asked).toHaveLength(1);
  });

  test('a sign-in waits for one that is being sent', async () => {
    let sent = () => {};
    const server = fakeServer({
      'POST /api/auth/logout': () => new Promise<void>((resolve) => (sent = resolve)),
      'GET /api/brand': () => ({}),
    });
    const tab = await newTab();
    tab.startSignIn('staff', accessToken());
    const leaving = tab.signOut();
    const next = tab.send(getBrand, { query: { host: 'clinic.example' } });
    await expect.poll(() => server.asked.map(({ path }) => path)).toEqual(['/api/auth/logout']);
    sent();
    await Promise.all([leaving, next]);
    expect(server.asked.map(({ path }) => path)).toEqual(['/api/auth/logout', '/api/brand']);
  });
});

describe('errors', () => {
  test.each([
    [
      problem(422, 'invalid', { fields: { firstName: 'Required' } }),
      { status: 422, code: 'invalid', fields: { firstName: 'Required' } },
    ],
    [new Response('<html>', { status: 502 }), { status: 502, code: 'server-error' }],
    [
      new Response(null, { status: 503, headers: { 'retry-after': '7' } }),
      { status: 503, code: 'unavailable', retryAfter: 7 },
    ],
  ])('response %#: becomes one kind of error', async (response, expected) => {
    fakeServer({ 'GET /api/waiting-room/count': () => response });
    const { startSignIn, send } = await newTab();
    startSignIn('staff', accessToken());
    await expect(send(getArrivedCount)).rejects.toMatchObject(expected);
  });
});
