import type { IncomingMessage } from 'node:http';
import type { Admission, Newcomer } from '../admission.ts';
import type { HubRuntime } from '../runtime.ts';
import { publicHeaders, publicSearch } from '../session/connect-request.ts';
import type { Connection } from '../session/connection.ts';
import type { AcceptWebSocket } from '../transport/websocket.ts';
import type { Identity, TransportName } from '../types.ts';
import type { CorsOptions } from './cors.ts';
import { type Forwarder, isForwarded } from './forward.ts';
import { networkOf } from './network.ts';

/** One hub's endpoint in the HTTP server. */
export interface Endpoint {
  readonly runtime: HubRuntime;
  readonly accept: AcceptWebSocket;
  readonly cors: CorsOptions;
  readonly admission: Admission;
  readonly forwarder: Forwarder;
  /** Returns the client's address. */
  addressOf(request: IncomingMessage): string;
  isDraining(): boolean;
}

/** A request to a hub. */
export interface HubRequest {
  readonly endpoint: Endpoint;
  readonly params: URLSearchParams;
  readonly request: IncomingMessage;
}

/** Returns the client's address, and by whom admission and negotiations are shared: the user, or without one the network. */
export function quotaOf(
  { endpoint, request }: HubRequest,
  user: Identity<unknown>,
): { readonly newcomer: Newcomer; readonly address: string } {
  const address = endpoint.addressOf(request);
  const isUser = user.userId !== undefined;
  return { address, newcomer: { isUser, key: isUser ? `user ${user.userId}` : `address ${networkOf(address)}` } };
}

/** The fields of a connection that come from the connecting request. */
export type ConnectFields = Pick<Connection, 'search' | 'headers'> & Partial<Pick<Connection, 'address'>>;

/** Returns the fields for `ctx.request`. Throws what `clientAddress` throws. */
export function connectFieldsOf({ endpoint, params, request }: HubRequest): ConnectFields {
  return {
    search: publicSearch(params),
    headers: publicHeaders(request),
    // A forwarded request has the other node's address; the negotiation has set the client's.
    ...(!isForwarded(request) && { address: endpoint.addressOf(request) }),
  };
}

const allTransports: readonly TransportName[] = ['WebSockets', 'ServerSentEvents', 'LongPolling'];

/** Returns the transports offered to this request, in the order in which clients try them. */
export function offeredTransports({ definition }: HubRuntime, request: IncomingMessage): readonly TransportName[] {
  const { transports = allTransports } = definition;
  return typeof transports === 'function' ? transports(request) : transports;
}
