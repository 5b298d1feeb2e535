import { recordSeparator } from './json.ts';
import type { Protocol } from './messages.ts';
import { ProtocolError, TooLarge } from './messages.ts';
import { texts } from './texts.ts';

const separator = '\x1e';

/** What a client that speaks a known protocol gets back. */
export const accepted = `{}${separator}`;

/** What any other client gets back; the connection ends then. */
export function refusal(error: string): string {
  return JSON.stringify({ error }) + separator;
}

export type Handshake =
  | { readonly protocol: Protocol; readonly version: 1 | 2; readonly next: number }
  | { readonly error: string }
  | undefined;

/**
 * Reads the first message, which is JSON in every protocol (SPEC.md, H rules): the protocol and the offset behind the message, a text
 * for the client, or undefined when more bytes are needed. Throws `ProtocolError` when it is no handshake at all.
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
  // Version 2 adds stateful reconnect, where that was negotiated.
  if (version !== 1 && version !== 2) return { error: texts.protocolVersion(protocol.name, version) };
  if (protocol.binary && !binaryTransport) return { error: texts.binaryOnText(protocol.name) };
  return { protocol, version, next: stop + 1 };
}
