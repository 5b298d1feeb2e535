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

interface Raw {
  status: number | undefined;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** As it goes over the line: fetch would decode it. */
function ask(path: string, options: { encodings?: string; method?: string; body?: object; signedIn?: boolean } = {}) {
  const { encodings = 'gzip, deflate, br', method = 'GET', body, signedIn = true } = options;
  return new Promise<Raw>((resolve, reject) => {
    const request = http.request(
      {
        ...{ host: '127.0.0.1', port: app.port, path, method },
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

test('a long list: compressed as the request accepts it, the same text each time, never stored', async () => {
  const answers = [
    [await ask(list, { encodings: 'identity' }), undefined, (body: Buffer) => body],
    [await ask(list, { encodings: 'gzip, deflate, br' }), 'br', brotliDecompressSync],
    [await ask(list, { encodings: 'gzip' }), 'gzip', gunzipSync],
  ] as const;
  const [[plain]] = answers;
  expect(plain.body.length).toBeGreaterThan(1024);
  for (const [{ status, headers, body }, encoding, decode] of answers) {
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

test('an appointment with its access code: sent as it is, however long', async () => {
  const { status, headers, body } = await ask(`/api/appointments/${appointmentId}`);
  expect(status).toBe(200);
  expect(body.length).toBeGreaterThan(1024);
  expect(headers['content-encoding']).toBeUndefined();
});

test('a sign-in with its token and a short answer: sent as they are', async () => {
  const signedIn = await ask('/api/auth/login', {
    method: 'POST',
    body: { isPatient: false, user: { email, password } },
    signedIn: false,
  });
  expect([signedIn.status, signedIn.headers['content-encoding']]).toEqual([200, undefined]);
  const short = await ask('/api/session');
  expect([short.status, short.headers['content-encoding']]).toEqual([200, undefined]);
});

test.each([
  ['/ping', 200],
  ['/health', 200],
  ['/dev/outbox', 200],
  ['/api/session', 200],
  ['/api/patients/999999', 404],
  ['/api/patients?top=many&skip=0', 400],
  ['/api/nothing', 404],
  ['/assets/index-gone.js', 404],
])('%s: answered with %i and never stored', async (path, status) => {
  const answer = await ask(path);
  expect([answer.status, answer.headers['cache-control']]).toEqual([status, 'no-store']);
});

test('an unauthenticated request: refused, never stored', async () => {
  const answer = await ask(list, { signedIn: false });
  expect([answer.status, answer.headers['cache-control'], answer.headers['content-encoding']]).toEqual([
    401,
    'no-store',
    undefined,
  ]);
});

test('the description of the calls: may be kept but is asked for each time, and is compressed', async () => {
  const { headers, body } = await ask('/api/openapi.json', { signedIn: false });
  expect([headers['cache-control'], headers['content-encoding']]).toEqual(['no-cache', 'br']);
  expect((JSON.parse(brotliDecompressSync(body).toString()) as { openapi: string }).openapi).toBe('3.1.0');
});
