import { recordSeparator } from './json.ts';
import type { Protocol } from './messages.ts';
import { ProtocolError, TooLarge } from './messages.ts';
import { texts } from './texts.ts';

const separator = '\x1e';

/** The response to a valid handshake. */
export const accepted = `{}${separator}`;

/** Returns the response to a refused handshake, after which the connection ends. */
export function refusal(error: string): string {
  return JSON.stringify({ error }) + separator;
}

export type Handshake =
  | { readonly protocol: Protocol; readonly version: 1 | 2; readonly next: number }
  | { readonly error: string }
  | undefined;

/**
 * Reads the handshake, which is JSON in every protocol (SPEC.md, H rules). Returns the protocol and the offset behind the message, an
 * error for the client, or undefined when more bytes are needed. Throws `ProtocolError` when it is no handshake.
 */
export function readHandshake(
  data: Buffer,
  limit: number,
  protocols: ReadonlyMap<string, Protocol>,
  binaryTransport: boolean,
): Handshake {
  const stop = data.indexOf(recordSeparator);
  if ((stop === -1 ? data.length : stop) > limit) throw new TooLarge(texts.tooLarge(limit), '');
  if (stop === -1) return undefined;
  let request: unknown;
  try {
    request = JSON.parse(data.toString('utf8', 0, stop));
  } catch {
    throw new ProtocolError(texts.malformed);
  }
  if (typeof request !== 'object' || request === null) throw new ProtocolError(texts.malformed);
  const { protocol: name, version } = request as { protocol?: unknown; version?: unknown };
  if (typeof name !== 'string') throw new ProtocolError(texts.missing('protocol'));
  if (typeof version !== 'number' || !Number.isInteger(version)) throw new ProtocolError(texts.missing('version'));
  const protocol = protocols.get(name.toLowerCase());
  if (!protocol) return { error: texts.protocolUnknown(name) };
  // Version 2 enables a negotiated stateful reconnect.
  if (version !== 1 && version !== 2) return { error: texts.protocolVersion(protocol.name, version) };
  if (protocol.binary && !binaryTransport) return { error: texts.binaryOnText(protocol.name) };
  return { protocol, version, next: stop + 1 };
}
