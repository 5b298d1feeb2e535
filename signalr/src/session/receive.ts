import { accepted, readHandshake, refusal } from '../protocol/handshake.ts';
import type { Message, Protocol } from '../protocol/messages.ts';
import { ProtocolError, TooLarge, type } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import type { Connection } from '../transport/connection.ts';
import { dispatch, open } from './dispatcher.ts';

/** Takes bytes from a transport: any part of a message, or several messages. */
export function receive(connection: Connection, data: Buffer): void {
  if (isOver(connection)) return;
  connection.lastReceived = connection.owner.clock.now();
  const { partial } = connection;
  if (partial) {
    connection.partial = undefined;
    data = Buffer.concat([partial, data]);
  }
  try {
    const offset = connection.protocol ? 0 : shakeHands(connection, data);
    if (offset === undefined) keep(connection, data, 0);
    else if (connection.protocol) read(connection, connection.protocol, data, offset);
  } catch (error) {
    violated(connection, error);
  }
}

/** Whether nothing more is read. While this side waits for its methods to end, they get their items and answers. */
function isOver({ state, closing }: Connection): boolean {
  return state === 'disposed' || closing?.reason === 'client-stop';
}

function read(connection: Connection, protocol: Protocol, data: Buffer, offset: number): void {
  const { maxBytes } = connection.owner;
  while (offset < data.length) {
    const found = protocol.read(data, offset, maxBytes);
    if (!found) return keep(connection, data, offset);
    if (!(found.next > offset && found.next <= data.length)) throw new RangeError('The protocol reads nowhere.');
    if (found.message && counts(connection, found.message, found.bytes))
      dispatch(connection, found.message, found.bytes);
    if (isOver(connection)) return;
    offset = found.next;
  }
  if (connection.resume?.isPressing) connection.acknowledge(connection.lastReceived);
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

/** Keeps a copy: the bytes may be a small part of a large buffer. */
function keep(connection: Connection, data: Buffer, offset: number): void {
  if (connection.state !== 'disposed') connection.partial = Buffer.from(data.subarray(offset));
}

/** Returns the offset of what follows the handshake, or undefined when it is not complete or was refused. */
function shakeHands(connection: Connection, data: Buffer): number | undefined {
  const { transport } = connection;
  if (!transport) return undefined;
  const { limits, protocols } = connection.owner;
  const result = readHandshake(data, limits.messageBytes, protocols, transport.binary);
  if (!result) return undefined;
  if ('error' in result) {
    refuse(connection, result.error);
    return undefined;
  }
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
  const { owner } = connection;
  owner.counters.protocolErrors++;
  if (error instanceof ProtocolError) {
    const target = error instanceof TooLarge ? /"target"\s*:\s*"([^"]{1,100})"/.exec(error.head)?.[1] : undefined;
    owner.logger.warn({ connectionId: connection.id, reason: error.message, target }, 'protocol violated');
  } else {
    owner.logger.error({ connectionId: connection.id, err: error }, 'protocol failed');
  }
  const detail = owner.detailedErrors && error instanceof Error ? ` ${error.name}: ${error.message}` : '';
  if (connection.protocol) {
    connection.end({ error: texts.closedWithError + detail, allowReconnect: true, reason: 'error' });
  } else {
    refuse(connection, texts.handshakeFailed + detail);
  }
}
