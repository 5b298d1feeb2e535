import { type HttpRequest, HttpResponse, type HubConnection } from '@microsoft/signalr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectHub } from './connect.ts';

/** What the client of SignalR keeps to itself: its requests, and values without a getter. */
interface Insides {
  _statefulReconnectBufferSize: number;
  connection: {
    _options: { timeout: number };
    _httpClient: { _innerClient: { send: (request: HttpRequest) => Promise<HttpResponse> } };
  };
}
const insidesOf = (connection: HubConnection) => connection as unknown as Insides;

const json = (value: object) => new HttpResponse(200, '', JSON.stringify(value));

/** A connection whose requests `answer` responds to. */
async function connectTo(answer: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>) {
  const connection = await connectHub(async () => 'token');
  const asked: HttpRequest[] = [];
  insidesOf(connection).connection._httpClient._innerClient.send = async (request) => {
    asked.push(request);
    return answer(request);
  };
  return { connection, asked };
}

// The client must take this for a browser, as it does on the pages.
const { process } = globalThis as unknown as { process: object };
beforeEach(() => void vi.stubGlobal('process', Object.create(process, { release: { value: { name: 'browser' } } })));
afterEach(() => void vi.unstubAllGlobals());

test('connection: has the times and the buffer of the specification @CONST-8', async () => {
  const connection = await connectHub(async () => 'token');
  expect(connection.serverTimeoutInMilliseconds).toBe(30_000);
  expect(connection.keepAliveIntervalInMilliseconds).toBe(15_000);
  expect(insidesOf(connection)._statefulReconnectBufferSize).toBe(100_000);
  expect(insidesOf(connection).connection._options.timeout).toBe(100_000);
});

test('negotiation: follows at most 100 redirects @CONST-8', async () => {
  const { connection, asked } = await connectTo(() => json({ url: 'https://other.test/messaging' }));
  await expect(connection.start()).rejects.toThrow('Negotiate redirection limit exceeded.');
  expect(asked).toHaveLength(100);
});

test('long polling: a poll ends after 100 s @CONST-8', async () => {
  const transports = { availableTransports: [{ transport: 'LongPolling', transferFormats: ['Text'] }] };
  const { connection, asked } = await connectTo(async ({ url }) =>
    url?.includes('negotiate')
      ? json({ connectionId: 'a', connectionToken: 'a', ...transports })
      : new Promise<never>(() => undefined),
  );
  void connection.start();
  await expect.poll(() => asked.find(({ method }) => method === 'GET')?.timeout).toBe(100_000);
});
