import type { IncomingMessage } from 'node:http';
import { texts } from '../protocol/texts.ts';
import type { HubRuntime } from '../runtime.ts';
import { Connection } from '../session/connection.ts';
import type { Identity, TransportName } from '../types.ts';
import { offeredTransports } from './hub-request.ts';
import { param } from './query.ts';

interface OfferedTransport {
  readonly transport: TransportName;
  readonly transferFormats: readonly ('Text' | 'Binary')[];
}

const formats = {
  WebSockets: ['Text', 'Binary'],
  ServerSentEvents: ['Text'],
  LongPolling: ['Text', 'Binary'],
} as const;

const newestVersion = 1;

export type Negotiation =
  | { readonly error: string }
  | {
      readonly negotiateVersion: number;
      readonly connectionId: string;
      readonly connectionToken?: string;
      readonly useStatefulReconnect?: true;
      readonly availableTransports: readonly OfferedTransport[];
    };

/** Creates a connection for a later transport (SPEC.md, N rules). Returns undefined when too many are unused. */
export function negotiate(
  runtime: HubRuntime,
  request: IncomingMessage,
  params: URLSearchParams,
  user: Identity<unknown>,
  quota: { readonly quotaKey: string; readonly address: string },
): Negotiation | undefined {
  const requestedVersion = param(params, 'negotiateVersion') ?? '0';
  if (!/^[+-]?\d{1,9}$/.test(requestedVersion)) return { error: texts.nonIntegerVersion };
  if (Number(requestedVersion) < (runtime.definition.minNegotiateVersion ?? 0))
    return { error: texts.versionTooOld(Number(requestedVersion)) };
  const availableTransports = offeredTransports(runtime, request).map((transport) => ({
    transport,
    transferFormats: formats[transport],
  }));
  const negotiateVersion = Math.min(Number(requestedVersion), newestVersion);
  // The client fails when it is offered a stateful reconnect that it has not requested.
  const mayResume = runtime.statefulReconnect !== undefined && param(params, 'useStatefulReconnect') === 'true';
  const publicTokenOnly = negotiateVersion === 0;
  if (!runtime.registry.freeQuota(quota.quotaKey, runtime.limits)) return undefined;
  const connection = new Connection(runtime, user, {
    instance: runtime.instance,
    ...quota,
    publicTokenOnly,
    mayResume,
  });
  runtime.registry.add(connection);
  return {
    negotiateVersion,
    connectionId: connection.id,
    ...(!publicTokenOnly && { connectionToken: connection.token }),
    ...(mayResume && { useStatefulReconnect: true as const }),
    availableTransports,
  };
}
