import { accepted, readHandshake, refusal } from '../protocol/handshake.ts';
import { recordSeparator } from '../protocol/json.ts';
import type { Message, Protocol } from '../protocol/messages.ts';
import { ProtocolError, TooLarge, type } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import { turns } from '../turns.ts';
import { pauseReason } from './client-channel.ts';
import type { Connection } from './connection.ts';
import { dispatch, open, unhindered } from './dispatcher.ts';
import { Partial } from './partial.ts';

/** A handshake is one small message; real ones have about 40 bytes. */
const longestHandshake = 4_096;
/** What a protocol may put around a message, bytes. */
const framing = 64;

/** Takes bytes from a transport: any part of a message, or several messages. Never throws. */
export function receive(connection: Connection, data: Buffer): void {
  if (isOver(connection)) return;
  const { partial } = connection;
  if (partial) {
    const mayBeWhole = !connection.isDeferred && isWhole(connection, partial, data);
    partial.append(data, connection.isDeferred ? Number.POSITIVE_INFINITY : largest(connection));
    if (!mayBeWhole) return;
    connection.partial = undefined;
    handle(connection, partial.bytes);
  } else if (connection.isDeferred) {
    connection.partial = Partial.copyOf(data, 0);
  } else {
    handle(connection, data);
  }
}

function handle(connection: Connection, data: Buffer): void {
  try {
    const offset = connection.protocol ? 0 : shakeHands(connection, data);
    if (offset === undefined) keep(connection, data, 0);
    else if (connection.protocol) read(connection, connection.protocol, data, offset);
  } catch (error) {
    violated(connection, error);
  }
}

/** The maximum size of an incomplete message, with room for its framing, bytes. */
function largest(connection: Connection): number {
  return (connection.protocol ? connection.host.maxBytes : longestHandshake) + framing;
}

/** Whether a message may be whole, or too large, with what has come: only then all of it is read again. */
function isWhole(connection: Connection, partial: Partial, data: Buffer): boolean {
  const { protocol } = connection;
  const length = partial.length + data.length;
  if (length > largest(connection)) return true;
  const separator = protocol ? protocol.separator : recordSeparator;
  return separator === undefined ? length >= partial.wanted : data.includes(separator);
}

/** Whether nothing more is read. While this side waits for its methods to end, they get their items and answers. */
function isOver({ state, closing }: Connection): boolean {
  return state === 'disposed' || closing?.reason === 'client-stop';
}

function read(connection: Connection, protocol: Protocol, data: Buffer, offset: number): void {
  const { maxBytes, clock } = connection.host;
  let now = 0;
  while (offset < data.length) {
    const found = protocol.read(data, offset, maxBytes);
    if (typeof found !== 'object') return keep(connection, data, offset, found);
    now ||= connection.lastReceived = clock.now();
    if (!(found.next > offset && found.next <= data.length)) throw new RangeError('The protocol reads nowhere.');
    if (found.message && counts(connection, found.message, found.bytes))
      dispatch(connection, found.message, found.bytes);
    if (isOver(connection)) return;
    offset = found.next;
    if (offset < data.length && connection.isQueueFull) return defer(connection, data, offset);
    if (++connection.burst > unhindered && turns.spend()) return defer(connection, data, offset);
  }
  if (connection.resume?.isPressing) connection.acknowledge(connection.lastReceived);
}

/** Others wait, or the queue is full: the rest has its turn after theirs, once there is room. Until then this client is not read. */
function defer(connection: Connection, data: Buffer, offset: number): void {
  connection.partial = offset < data.length ? Partial.of(data, offset) : undefined;
  connection.isDeferred = true;
  connection.pauseReading(pauseReason.turn, true);
  connection.whenRoom(() => {
    const { partial } = connection;
    connection.isDeferred = false;
    connection.partial = undefined;
    connection.burst = 0;
    if (partial && !isOver(connection)) handle(connection, partial.bytes);
    if (!connection.isDeferred) connection.caughtUp();
  });
}

/** Whether the message is to be handled: with stateful reconnect one may come a second time (SPEC.md, S rules). */
function counts(connection: Connection, message: Message, bytes: number): boolean {
  const { resume, lastReceived } = connection;
  if (!resume) return true;
  if (message.type === type.sequence) {
    if (!resume.sequence(message.sequenceId)) throw new ProtocolError(texts.sequenceMissing);
    connection.resynchronised();
    return false;
  }
  return message.type > type.cancelInvocation || resume.arrived(bytes, lastReceived);
}

/** Keeps what is incomplete; `wanted`: the bytes that it has in all, where that is known. */
function keep(connection: Connection, data: Buffer, offset: number, wanted = 0): void {
  if (connection.state === 'disposed') return;
  // A protocol should have noticed; the memory is the server's.
  if (data.length - offset > largest(connection)) throw new TooLarge(texts.tooLarge(connection.host.maxBytes), '');
  connection.partial = Partial.copyOf(data, offset);
  connection.partial.wanted = wanted;
}

/** Returns the offset of what follows the handshake, or undefined when it is not complete or was refused. */
function shakeHands(connection: Connection, data: Buffer): number | undefined {
  const { transport } = connection;
  if (!transport) return undefined;
  const { protocols, clock } = connection.host;
  const result = readHandshake(data, longestHandshake, protocols, transport.binary);
  if (!result) return undefined;
  if ('error' in result) {
    refuse(connection, result.error);
    return undefined;
  }
  connection.lastReceived = clock.now();
  transport.send({ data: accepted });
  connection.protocol = result.protocol;
  connection.state = 'active';
  if (result.version === 2 && transport.name === 'WebSockets') connection.keepSent();
  open(connection);
  return result.next;
}

/** Answers the handshake with an error and ends. */
export function refuse(connection: Connection, error: string): void {
  connection.transport?.send({ data: refusal(error) });
  connection.end({ reason: 'error' });
}

/** Ends the connection. Whatever else than a `ProtocolError` is thrown is a fault of the protocol's code, and logged as such. */
function violated(connection: Connection, error: unknown): void {
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
    refuse(connection, texts.handshakeFailed + detail);
  }
}
