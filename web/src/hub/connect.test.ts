import { type HttpRequest, HttpResponse, type HubConnection } from '@microsoft/signalr';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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

/** Classes of a browser that open immediately, and the names of those that were created. */
function stubTransports() {
  const opened: string[] = [];
  class FakeLine {
    readyState = 1;
    onopen?: () => void;
    onclose?: (event: Event) => void;
    onerror?: (event: Event) => void;
    onmessage?: (event: { data: string }) => void;
    constructor(name: string) {
      opened.push(name);
      setTimeout(() => {
        this.onopen?.();
        setTimeout(() => this.onmessage?.({ data: '{}\u001e' }));
      });
    }
    send() {}
    close() {}
    dispatchEvent(event: Event) {
      if (event.type === 'close') this.onclose?.(event);
      else this.onerror?.(event);
    }
  }
  const lineNamed = (name: string) =>
    class extends FakeLine {
      static readonly OPEN = 1;
      constructor() {
        super(name);
      }
    };
  vi.stubGlobal('WebSocket', lineNamed('WebSocket'));
  vi.stubGlobal('EventSource', lineNamed('EventSource'));
  return opened;
}

/** Responds to negotiations with all transports, and never to polls. */
const negotiateAll = async ({ method, url }: HttpRequest) => {
  if (method === 'GET') return new Promise<never>(() => undefined);
  if (!url?.includes('negotiate')) return json({});
  const availableTransports = ['WebSockets', 'ServerSentEvents', 'LongPolling'].map((transport) => ({
    transport,
    transferFormats: ['Text'],
  }));
  return json({ connectionId: 'a', connectionToken: 'a', negotiateVersion: 1, availableTransports });
};

test('drop: ends a WebSocket or an event stream, and the client connects again', async () => {
  for (const missing of [[], ['WebSocket']]) {
    const opened = stubTransports();
    for (const name of missing) vi.stubGlobal(name, undefined);
    const { connection } = await connectTo(negotiateAll);
    await connection.start();
    const reconnecting = new Promise<unknown>((done) => connection.onreconnecting(done));
    connection.drop();
    await reconnecting;
    await connection.stop();
    expect(opened).toEqual([missing.length > 0 ? 'EventSource' : 'WebSocket']);
  }
});

test('browser without WebSocket and EventSource: polls', async () => {
  stubTransports();
  vi.stubGlobal('WebSocket', undefined);
  vi.stubGlobal('EventSource', undefined);
  const { connection, asked } = await connectTo(negotiateAll);
  void connection.start();
  await expect.poll(() => asked.some(({ method }) => method === 'GET')).toBe(true);
  connection.drop();
});

describe('negotiation without a response, as over the connection of a former network', () => {
  /** Responds to no request, and ends it when the client does. Returns the addresses of the requests. */
  function stubDeadLine(): string[] {
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string, { signal }: RequestInit) => {
      asked.push(url);
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    });
    return asked;
  }
  afterEach(() => void vi.useRealTimers());

  test('ends after 4 s, the next one after twice as long', async () => {
    const asked = stubDeadLine();
    const connection = await connectHub(async () => 'token');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (const limit of [4_000, 8_000, 16_000]) {
      let ended = false;
      const start = connection.start().catch(() => {
        ended = true;
      });
      await vi.advanceTimersByTimeAsync(limit - 100);
      expect(ended).toBe(false);
      await vi.advanceTimersByTimeAsync(200);
      await start;
    }
    expect(asked).toHaveLength(3);
  });

  test('ends when the device has a network again', async () => {
    const asked = stubDeadLine();
    const connection = await connectHub(async () => 'token');
    const start = connection.start();
    await expect.poll(() => asked.length).toBe(1);
    dispatchEvent(new Event('online'));
    await expect(start).rejects.toThrow(/abort/i);
  });
});
