import type { IncomingMessage } from 'node:http';
import { texts } from '../protocol/texts.ts';
import type { HubRuntime } from '../runtime.ts';
import { Connection } from '../session/connection.ts';
import type { Identity, TransportName } from '../types.ts';
import { offered } from './hub-request.ts';
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

/** Reserves a connection (SPEC.md, N rules). Undefined when too many are reserved already. `origin`: who asks, and from where. */
export function negotiate(
  runtime: HubRuntime,
  request: IncomingMessage,
  params: URLSearchParams,
  who: Identity<unknown>,
  origin: { readonly quotaKey: string; readonly address: string },
): Negotiation | undefined {
  const asked = param(params, 'negotiateVersion') ?? '0';
  if (!/^[+-]?\d{1,9}$/.test(asked)) return { error: texts.nonIntegerVersion };
  if (Number(asked) < (runtime.definition.minNegotiateVersion ?? 0))
    return { error: texts.versionTooOld(Number(asked)) };
  const availableTransports = offered(runtime, request).map((transport) => ({
    transport,
    transferFormats: formats[transport],
  }));
  const negotiateVersion = Math.min(Number(asked), newestVersion);
  // The client fails when it is offered what it has not asked for.
  const mayResume = runtime.statefulReconnect !== undefined && param(params, 'useStatefulReconnect') === 'true';
  const publicTokenOnly = negotiateVersion === 0;
  if (!runtime.registry.freeQuota(origin.quotaKey, runtime.limits)) return undefined;
  const connection = new Connection(runtime, who, {
    ...{ instance: runtime.instance, ...origin, publicTokenOnly, mayResume },
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
