import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../src/demo/builders.ts';
import { password, startTestApp } from './test-app.ts';

const app = await startTestApp({ demo: true });
const { context } = app;
let token: string | undefined;
let email: string;
let appointmentId: number;

beforeAll(async () => {
  const { companyId } = await buildCompany(context);
  ({ email } = await buildUser(context, { companyId, role: 'U', password }));
  for (let index = 0; index < 20; index++) await buildPatient(context, { companyId });
  ({ appointmentId } = await buildAppointment(context, { companyId, notes: 'note '.repeat(300) }));
  ({ token } = await app.signIn({ email, password }));
});

interface RawResponse {
  status: number | undefined;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** Returns the raw response; fetch would decode it. */
function send(path: string, options: { encodings?: string; method?: string; body?: object; signedIn?: boolean } = {}) {
  const { encodings = 'gzip, deflate, br', method = 'GET', body, signedIn = true } = options;
  return new Promise<RawResponse>((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port: app.port,
        path,
        method,
        headers: {
          'accept-encoding': encodings,
          ...(signedIn && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
        );
      },
    );
    request.on('error', reject).end(body && JSON.stringify(body));
  });
}

const list = '/api/patients?top=20&skip=0';

test('long list: is compressed as accepted, has the same text each time, and is not cached', async () => {
  const responses = [
    [await send(list, { encodings: 'identity' }), undefined, (body: Buffer) => body],
    [await send(list, { encodings: 'gzip, deflate, br' }), 'br', brotliDecompressSync],
    [await send(list, { encodings: 'gzip' }), 'gzip', gunzipSync],
  ] as const;
  const [[plain]] = responses;
  expect(plain.body.length).toBeGreaterThan(1024);
  for (const [{ status, headers, body }, encoding, decode] of responses) {
    expect([status, headers['content-encoding'], headers.vary, headers['cache-control']]).toEqual([
      200,
      encoding,
      'accept-encoding',
      'no-store',
    ]);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(decode(body).equals(plain.body)).toBe(true);
    if (encoding) expect(body.length).toBeLessThan(plain.body.length / 2);
  }
});

test('appointment with its access code: is not compressed', async () => {
  const { status, headers, body } = await send(`/api/appointments/${appointmentId}`);
  expect(status).toBe(200);
  expect(body.length).toBeGreaterThan(1024);
  expect(headers['content-encoding']).toBeUndefined();
});

test('sign-in with its token, short response: are not compressed', async () => {
  const signedIn = await send('/api/auth/login', {
    method: 'POST',
    body: { isPatient: false, user: { email, password } },
    signedIn: false,
  });
  expect([signedIn.status, signedIn.headers['content-encoding']]).toEqual([200, undefined]);
  const short = await send('/api/sign-in');
  expect([short.status, short.headers['content-encoding']]).toEqual([200, undefined]);
});

test.each([
  ['/ping', 200],
  ['/health', 200],
  ['/dev/outbox', 200],
  ['/api/sign-in', 200],
  ['/api/patients/999999', 404],
  ['/api/patients?top=many&skip=0', 400],
  ['/api/nothing', 404],
  ['/assets/index-gone.js', 404],
])('%s: returns %i and is not cached', async (path, status) => {
  const response = await send(path);
  expect([response.status, response.headers['cache-control']]).toEqual([status, 'no-store']);
});

test('unauthenticated request: is refused and not cached', async () => {
  const response = await send(list, { signedIn: false });
  expect([response.status, response.headers['cache-control'], response.headers['content-encoding']]).toEqual([
    401,
    'no-store',
    undefined,
  ]);
});

test('description of the calls: is revalidated each time, and compressed', async () => {
  const { headers, body } = await send('/api/openapi.json', { signedIn: false });
  expect([headers['cache-control'], headers['content-encoding']]).toEqual(['no-cache', 'br']);
  expect((JSON.parse(brotliDecompressSync(body).toString()) as { openapi: string }).openapi).toBe('3.1.0');
});
