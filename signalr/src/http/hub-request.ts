import type { IncomingMessage } from 'node:http';
import type { Admission } from '../admission.ts';
import type { HubRuntime } from '../runtime.ts';
import { publicHeaders, publicSearch } from '../session/connect-request.ts';
import type { Connection } from '../session/connection.ts';
import type { AcceptWebSocket } from '../transport/websocket.ts';
import type { Identity, TransportName } from '../types.ts';
import { networkOf } from './address.ts';
import type { CorsOptions } from './cors.ts';
import { type Forwarder, isForwarded } from './forward.ts';

/** One hub's place in the HTTP server. */
export interface Endpoint {
  readonly runtime: HubRuntime;
  readonly accept: AcceptWebSocket;
  readonly cors: CorsOptions;
  readonly admission: Admission;
  readonly forwarder: Forwarder;
  /** Where a request comes from. */
  addressOf(request: IncomingMessage): string;
  draining(): boolean;
}

/** A request to a hub. */
export interface HubRequest {
  readonly endpoint: Endpoint;
  readonly params: URLSearchParams;
  readonly request: IncomingMessage;
}

/** Whose request it is, for what everybody gets a fair share of: the user, or the network without one. */
export function originOf(
  { endpoint, request }: HubRequest,
  who: Identity<unknown>,
): { readonly quotaKey: string; readonly address: string } {
  const address = endpoint.addressOf(request);
  return { address, quotaKey: who.userId === undefined ? `address ${networkOf(address)}` : `user ${who.userId}` };
}

/** What a connection keeps of the request with which its client connected. */
export type ConnectingRequest = Pick<Connection, 'search' | 'headers'> & Partial<Pick<Connection, 'address'>>;

/** What methods may see of a connecting request. Throws what `clientAddress` throws. */
export function requestOf({ endpoint, params, request }: HubRequest): ConnectingRequest {
  return {
    search: publicSearch(params),
    headers: publicHeaders(request),
    // What another process has handed on comes from there; the negotiation came from the client.
    ...(!isForwarded(request) && { address: endpoint.addressOf(request) }),
  };
}

const everyTransport: readonly TransportName[] = ['WebSockets', 'ServerSentEvents', 'LongPolling'];

/** What the hub offers to this request, in the order in which clients try it. */
export function offered({ definition }: HubRuntime, request: IncomingMessage): readonly TransportName[] {
  const { transports = everyTransport } = definition;
  return typeof transports === 'function' ? transports(request) : transports;
}
