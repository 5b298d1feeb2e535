import type { HubConnection, IHttpConnectionOptions } from '@microsoft/signalr';

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

/** Identifies this page: when it reconnects, the server closes what is left of its earlier connection immediately. */
let tab: string | undefined;

/** A connection whose line can be dropped. */
export interface DroppableConnection extends HubConnection {
  /** Closes the WebSocket without waiting for the other side. The client connects again, and no message is lost. */
  drop(): void;
}

/** Creates a connection, not started; loads the client first. `token` is called for each connect. */
export async function connectHub(token: () => Promise<string>): Promise<DroppableConnection> {
  const { HubConnectionBuilder, LogLevel } = await import('@microsoft/signalr');
  tab ??= crypto.randomUUID();
  let socket: WebSocket | undefined;
  const keep = (one: WebSocket) => {
    socket = one;
  };
  class LastSocket extends WebSocket {
    constructor(url: string) {
      super(url);
      keep(this);
    }
  }
  // `WebSocket` is an option of the client that its types leave out.
  const options: IHttpConnectionOptions & { WebSocket: new (url: string) => WebSocket } = {
    accessTokenFactory: token,
    timeout: timing.request,
    WebSocket: LastSocket,
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
  // The browser reports the end of a dead line only when the closing handshake has timed out.
  const drop = () => socket?.onclose?.(new CloseEvent('close', { code: 1006 }));
  return Object.assign(connection, { drop });
}
