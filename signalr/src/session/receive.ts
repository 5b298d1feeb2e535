import { accepted, readHandshake, refusal } from '../protocol/handshake.ts';
import type { Protocol } from '../protocol/messages.ts';
import { ProtocolError, TooLarge } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import type { Connection } from '../transport/connection.ts';
import { dispatch, open } from './dispatcher.ts';

/** Takes bytes from a transport: any part of a message, or several messages. */
export function receive(connection: Connection, data: Buffer): void {
  if (connection.state === 'disposed' || connection.closing) return;
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
    if (!(error instanceof ProtocolError)) throw error;
    violated(connection, error);
  }
}

function read(connection: Connection, protocol: Protocol, data: Buffer, offset: number): void {
  const { maxBytes } = connection.owner;
  while (offset < data.length) {
    const found = protocol.read(data, offset, maxBytes);
    if (!found) return keep(connection, data, offset);
    if (found.message) dispatch(connection, found.message, found.bytes);
    if (connection.state === 'disposed' || connection.closing) return;
    offset = found.next;
  }
}

/** Keeps a copy: the bytes may be a small part of a large buffer. */
function keep(connection: Connection, data: Buffer, offset: number): void {
  if (connection.state !== 'disposed') connection.partial = Buffer.from(data.subarray(offset));
}

/** Returns the offset of what follows the handshake, or undefined when it is not complete or was refused. */
function shakeHands(connection: Connection, data: Buffer): number | undefined {
  const { transport } = connection;
  if (!transport) return undefined;
  const result = readHandshake(data, connection.owner.limits.messageBytes, transport.binary);
  if (!result) return undefined;
  if ('error' in result) {
    refuse(connection, result.error);
    return undefined;
  }
  connection.send({ data: accepted });
  connection.protocol = result.protocol;
  connection.state = 'active';
  open(connection);
  return result.next;
}

/** Answers the handshake with an error and ends. */
export function refuse(connection: Connection, error: string): void {
  connection.send({ data: refusal(error) });
  connection.end({ reason: 'error' });
}

function violated(connection: Connection, error: ProtocolError): void {
  const { owner } = connection;
  owner.counters.protocolErrors++;
  const target = error instanceof TooLarge ? /"target"\s*:\s*"([^"]{1,100})"/.exec(error.head)?.[1] : undefined;
  owner.logger.warn({ connectionId: connection.id, reason: error.message, target }, 'protocol violated');
  const detail = owner.detailedErrors ? ` ${error.name}: ${error.message}` : '';
  if (connection.protocol) {
    connection.end({ error: texts.closedWithError + detail, allowReconnect: true, reason: 'error' });
  } else {
    refuse(connection, texts.handshakeFailed + detail);
  }
}
