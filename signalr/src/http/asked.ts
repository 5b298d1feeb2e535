import type { IncomingMessage } from 'node:http';
import type { Admission } from '../admission.ts';
import type { HubRuntime } from '../runtime.ts';
import type { AcceptWebSocket } from '../transport/websocket.ts';
import type { TransportName } from '../types.ts';
import type { CorsOptions } from './cors.ts';
import type { Forwarder } from './forward.ts';

/** One hub's place in the HTTP server. */
export interface Endpoint {
  readonly runtime: HubRuntime;
  readonly accept: AcceptWebSocket;
  readonly cors: CorsOptions;
  readonly admission: Admission;
  readonly forwarder: Forwarder;
  draining(): boolean;
}

/** A request to a hub. */
export interface Asked {
  readonly endpoint: Endpoint;
  readonly params: URLSearchParams;
  readonly request: IncomingMessage;
}

const everyTransport: readonly TransportName[] = ['WebSockets', 'ServerSentEvents', 'LongPolling'];

/** What the hub offers to this request, in the order in which clients try it. */
export function offered({ definition }: HubRuntime, request: IncomingMessage): readonly TransportName[] {
  const { transports = everyTransport } = definition;
  return typeof transports === 'function' ? transports(request) : transports;
}
