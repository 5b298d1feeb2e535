import type { HubConnection } from '@microsoft/signalr';

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

/** Creates a connection, not started; loads the client first. `token` is called for each connect. */
export async function connectHub(token: () => Promise<string>): Promise<HubConnection> {
  const { HubConnectionBuilder, LogLevel } = await import('@microsoft/signalr');
  tab ??= crypto.randomUUID();
  return new HubConnectionBuilder()
    .withUrl(`/messaging?tab=${tab}`, { accessTokenFactory: token, timeout: timing.request })
    .withAutomaticReconnect({
      nextRetryDelayInMilliseconds: ({ previousRetryCount }) => retryDelay(previousRetryCount),
    })
    .withStatefulReconnect({ bufferSize: timing.statefulBuffer })
    .withServerTimeout(timing.serverTimeout)
    .withKeepAliveInterval(timing.keepAlive)
    .configureLogging(LogLevel.None)
    .build();
}
