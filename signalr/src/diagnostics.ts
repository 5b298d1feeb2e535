import { channel } from 'node:diagnostics_channel';
import type { DisconnectReason, TransportName } from './types.ts';

/** A call that has ended; published on `signalr:invocation`. */
export interface InvocationMeasurement {
  /** The path of the hub. */
  readonly hub: string;
  readonly connectionId: string;
  /** The method's name as the hub defines it; undefined when there is no such method. */
  readonly method: string | undefined;
  readonly isStream: boolean;
  /** Whether the call ended with an error: of the method, of its arguments, or of its authorization. */
  readonly failed: boolean;
  /** From the start of the call, without its time in the queue, to its completion; of a stream, to its last item. */
  readonly durationMs: number;
}

/** Bytes of messages, without the framing of the transport; published on `signalr:received` and `signalr:sent`. */
export interface BytesMeasurement {
  /** The path of the hub. */
  readonly hub: string;
  readonly connectionId: string;
  readonly transport: TransportName;
  readonly bytes: number;
}

/** A connection that has ended after its handshake; published on `signalr:disconnected`. */
export interface ConnectionMeasurement {
  /** The path of the hub. */
  readonly hub: string;
  readonly connectionId: string;
  readonly transport: TransportName;
  readonly reason: DisconnectReason;
  /** Since the handshake. */
  readonly durationMs: number;
}

interface Measurements<Message> {
  readonly hasSubscribers: boolean;
  publish(message: Message): void;
}

/** Nothing is measured while a channel has no subscribers. */
export const invocations: Measurements<InvocationMeasurement> = channel('signalr:invocation');
export const received: Measurements<BytesMeasurement> = channel('signalr:received');
export const sent: Measurements<BytesMeasurement> = channel('signalr:sent');
export const disconnected: Measurements<ConnectionMeasurement> = channel('signalr:disconnected');
