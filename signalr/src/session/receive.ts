import { accepted, readHandshake, refusal } from '../protocol/handshake.ts';
import { recordSeparator } from '../protocol/json.ts';
import type { Message, Protocol } from '../protocol/messages.ts';
import { ProtocolError, TooLarge, type } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import { scheduler } from '../scheduler.ts';
import { pauseReason } from './client-channel.ts';
import type { Connection } from './connection.ts';
import { dispatch, maxBurst, open } from './dispatcher.ts';
import { PartialMessage } from './partial.ts';

/** The maximum size of a handshake; real ones have about 40 bytes. */
export const maxHandshakeBytes = 4_096;
/** The maximum size of a protocol's framing around a message, bytes. */
const maxFramingBytes = 64;

/** Handles bytes from a transport: any part of a message, or several messages. Never throws. */
export function receive(connection: Connection, data: Buffer): void {
  if (isOver(connection)) return;
  connection.measureReceived(data.length);
  const { inbound } = connection;
  const { partial, isDeferred } = inbound;
  if (partial) {
    const canHandle = !isDeferred && mayBeComplete(connection, partial, data);
    partial.append(data, isDeferred ? Number.POSITIVE_INFINITY : maxPartialBytes(connection));
    if (!canHandle) return;
    inbound.partial = undefined;
    handle(connection, partial.bytes);
  } else if (isDeferred) {
    inbound.partial = PartialMessage.copyOf(data, 0);
  } else {
    handle(connection, data);
  }
}

function handle(connection: Connection, data: Buffer): void {
  try {
    const offset = connection.protocol ? 0 : receiveHandshake(connection, data);
    if (offset === undefined) keepPartial(connection, data, 0);
    else if (connection.protocol) read(connection, connection.protocol, data, offset);
  } catch (error) {
    onProtocolError(connection, error);
  }
}

/** The maximum size of an incomplete message including its framing, bytes. */
function maxPartialBytes(connection: Connection): number {
  return (connection.protocol ? connection.host.maxBytes : maxHandshakeBytes) + maxFramingBytes;
}

/** Whether the new data may complete a message or exceed the limit. Only then the message is parsed again. */
function mayBeComplete(connection: Connection, partial: PartialMessage, data: Buffer): boolean {
  const { protocol } = connection;
  const length = partial.length + data.length;
  if (length > maxPartialBytes(connection)) return true;
  const separator = protocol ? protocol.separator : recordSeparator;
  return separator === undefined ? length >= partial.expectedBytes : data.includes(separator);
}

/** Whether messages are no longer handled. While this side closes the connection, running methods still receive items and results. */
function isOver({ state }: Connection): boolean {
  return state.kind === 'active' ? state.closing?.reason === 'client-stop' : state.kind === 'disposed';
}

function read(connection: Connection, protocol: Protocol, data: Buffer, offset: number): void {
  const { inbound, host } = connection;
  const { maxBytes, clock } = host;
  let now = 0;
  while (offset < data.length) {
    const found = protocol.read(data, offset, maxBytes);
    if (typeof found !== 'object') return keepPartial(connection, data, offset, found);
    now ||= connection.lastReceived = clock.now();
    if (!(found.next > offset && found.next <= data.length))
      throw new RangeError('The protocol returned an invalid offset.');
    if (found.message && shouldHandle(connection, found.message, found.bytes))
      dispatch(connection, found.message, found.bytes);
    if (isOver(connection)) return;
    offset = found.next;
    if (offset < data.length && inbound.isQueueFull) return defer(connection, data, offset);
    if (++inbound.burst > maxBurst && scheduler.shouldYield()) return defer(connection, data, offset);
  }
  const { state } = connection;
  if (state.kind === 'active' && state.resume?.isAckUrgent) connection.acknowledge(connection.lastReceived);
}

/** Queues the rest of the data behind the work of other clients, and until the invocation queue has room. Reading pauses until then. */
function defer(connection: Connection, data: Buffer, offset: number): void {
  const { inbound } = connection;
  inbound.partial = offset < data.length ? PartialMessage.of(data, offset) : undefined;
  inbound.isDeferred = true;
  connection.pauseReading(pauseReason.turn, true);
  inbound.whenReady(() => {
    const { partial } = inbound;
    inbound.isDeferred = false;
    inbound.partial = undefined;
    inbound.burst = 0;
    if (partial && !isOver(connection)) handle(connection, partial.bytes);
    if (!inbound.isDeferred) connection.onCaughtUp();
  });
}

/** Whether the message is handled: after a stateful reconnect it may be a repetition (SPEC.md, S rules). */
function shouldHandle(connection: Connection, message: Message, bytes: number): boolean {
  const { state, lastReceived } = connection;
  if (state.kind !== 'active' || !state.resume) return true;
  const { resume } = state;
  if (message.type === type.sequence) {
    if (!resume.sequence(message.sequenceId)) throw new ProtocolError(texts.sequenceMissing);
    connection.onSequence();
    return false;
  }
  return message.type > type.cancelInvocation || resume.arrived(bytes, lastReceived);
}

/** Keeps an incomplete message. `expectedBytes`: its total size; 0: not known. */
function keepPartial(connection: Connection, data: Buffer, offset: number, expectedBytes = 0): void {
  if (connection.state.kind === 'disposed') return;
  // Protocols check this too; the server's memory must not depend on them.
  if (data.length - offset > maxPartialBytes(connection))
    throw new TooLarge(texts.tooLarge(connection.host.maxBytes), '');
  const partial = PartialMessage.copyOf(data, offset);
  partial.expectedBytes = expectedBytes;
  connection.inbound.partial = partial;
}

/** Returns the offset behind the handshake, or undefined when it is incomplete or was refused. */
function receiveHandshake(connection: Connection, data: Buffer): number | undefined {
  const { transport } = connection;
  if (!transport) return undefined;
  const { protocols, clock } = connection.host;
  const result = readHandshake(data, maxHandshakeBytes, protocols, transport.binary);
  if (!result) return undefined;
  if ('error' in result) {
    rejectHandshake(connection, result.error);
    return undefined;
  }
  connection.lastReceived = clock.now();
  connection.transmit(transport, { data: accepted });
  connection.activate(transport, result.protocol, result.version === 2 && transport.name === 'WebSockets');
  open(connection);
  return result.next;
}

/** Responds to the handshake with an error and ends the connection. */
export function rejectHandshake(connection: Connection, error: string): void {
  if (connection.transport) connection.transmit(connection.transport, { data: refusal(error) });
  connection.end({ reason: 'error' });
}

/** Ends the connection. Errors other than `ProtocolError` are defects of the protocol's code and are logged as errors. */
function onProtocolError(connection: Connection, error: unknown): void {
  const { host } = connection;
  host.counters.protocolErrors++;
  if (error instanceof ProtocolError) {
    const target = error instanceof TooLarge ? /"target"\s*:\s*"([^"]{1,100})"/.exec(error.head)?.[1] : undefined;
    host.logger.warn({ connectionId: connection.id, reason: error.message, target }, 'protocol violated');
  } else {
    host.logger.error({ connectionId: connection.id, err: error }, 'protocol failed');
  }
  const detail = host.detailedErrors && error instanceof Error ? ` ${error.name}: ${error.message}` : '';
  if (connection.protocol) {
    connection.end({ error: texts.closedWithError + detail, allowReconnect: true, reason: 'error' });
  } else {
    rejectHandshake(connection, texts.handshakeFailed + detail);
  }
}
