import type { HttpClient, HubConnection, IHttpConnectionOptions } from '@microsoft/signalr';

/** CONST-8, in ms and bytes. */
export const timing = {
  serverTimeout: 30_000,
  keepAlive: 15_000,
  request: 100_000,
  statefulBuffer: 100_000,
} as const;

/** STATE-8: 1 s for the first 10 retries, 2 s up to 20, then 5 s; never gives up. */
export function retryDelay(retries: number): number {
  return retries < 10 ? 1_000 : retries < 20 ? 2_000 : 5_000;
}

/** The time of the first negotiation, ms; doubles after each one that got no response, up to the time of a request. */
const negotiationMs = 4_000;

/**
 * Ends a negotiation that gets no response, and one that was sent before the device had a network again: the browser may have sent it over a
 * connection of the former network, and would wait for a minute or more. The client then negotiates again.
 */
function endLostNegotiations(http: HttpClient, isTimeout: (error: unknown) => boolean): HttpClient {
  const send = http.send.bind(http);
  // The benches compile this file without the types of a page.
  const page = globalThis as unknown as EventTarget;
  let timeout: number = negotiationMs;
  http.send = async (request) => {
    if (!request.url?.includes('/negotiate?')) return send(request);
    const lost = { aborted: false, onabort: null as (() => void) | null };
    const end = () => lost.onabort?.();
    page.addEventListener('online', end);
    try {
      const response = await send({ ...request, timeout, abortSignal: lost });
      timeout = negotiationMs;
      return response;
    } catch (error) {
      if (isTimeout(error)) timeout = Math.min(timeout * 2, timing.request);
      throw error;
    } finally {
      page.removeEventListener('online', end);
    }
  };
  return http;
}

/** Identifies this page: when it reconnects, the server closes what is left of its earlier connection immediately. */
let tab: string | undefined;

/** A connection that can be given up before its timeouts. */
export interface DroppableConnection extends HubConnection {
  /**
   * Ends the WebSocket or event stream without waiting for the other side; the client connects again. Over a WebSocket no message is lost.
   * Long polling is left to its timeout. Returns whether it ended something.
   */
  drop(): boolean;
}

/** What the client creates its connections with. Its types leave the two classes out. */
interface Options extends IHttpConnectionOptions {
  WebSocket?: new (url: string) => WebSocket;
  EventSource?: new (url: string, init?: EventSourceInit) => EventSource;
}

/** Creates a connection, not started; loads the client first. `token` is called for each connect. */
export async function connectHub(token: () => Promise<string>): Promise<DroppableConnection> {
  const { DefaultHttpClient, HubConnectionBuilder, LogLevel, NullLogger, TimeoutError } = await import(
    '@microsoft/signalr'
  );
  tab ??= crypto.randomUUID();
  // The browser reports the end of a dead connection only after its own timeouts; the client takes these events for it.
  let endTransport = () => false;
  const http = new DefaultHttpClient(NullLogger.instance);
  const httpClient = endLostNegotiations(http, (error) => error instanceof TimeoutError);
  const options: Options = { accessTokenFactory: token, timeout: timing.request, httpClient };
  // Some browsers and extensions take these classes away; the client then uses another transport.
  if (typeof WebSocket !== 'undefined')
    options.WebSocket = class extends WebSocket {
      constructor(url: string) {
        super(url);
        endTransport = () => {
          this.dispatchEvent(new CloseEvent('close', { code: 1006 }));
          return true;
        };
      }
    };
  if (typeof EventSource !== 'undefined')
    options.EventSource = class extends EventSource {
      constructor(url: string, init?: EventSourceInit) {
        super(url, init);
        endTransport = () => {
          this.dispatchEvent(new Event('error'));
          return true;
        };
      }
    };
  const connection = new HubConnectionBuilder()
    .withUrl(`/messaging?tab=${tab}`, options)
    .withAutomaticReconnect({
      nextRetryDelayInMilliseconds: ({ previousRetryCount }) => retryDelay(previousRetryCount),
    })
    .withStatefulReconnect({ bufferSize: timing.statefulBuffer })
    .withServerTimeout(timing.serverTimeout)
    .withKeepAliveInterval(timing.keepAlive)
    .configureLogging(LogLevel.None)
    .build();
  return Object.assign(connection, { drop: () => endTransport() });
}
