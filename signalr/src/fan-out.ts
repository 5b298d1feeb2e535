import type { Encoded } from './protocol/encoded.ts';
import type { Invocation, Protocol } from './protocol/messages.ts';
import type { Address } from './proxies.ts';

type Protocols = ReadonlyMap<string, Protocol>;

/** A message to many connections. It is encoded once per protocol, for the first receiver that uses the protocol. */
export class Broadcast {
  readonly #message: () => Invocation;
  #protocol: Protocol | undefined;
  #encoded: Encoded | undefined;
  #others: Map<Protocol, Encoded> | undefined;

  constructor(message: () => Invocation) {
    this.#message = message;
  }

  in(protocol: Protocol): Encoded {
    if (this.#encoded && this.#protocol === protocol) return this.#encoded;
    return this.#others?.get(protocol) ?? this.set(protocol, { data: protocol.write(this.#message()) });
  }

  set(protocol: Protocol, encoded: Encoded): Encoded {
    if (this.#encoded) {
      this.#others ??= new Map();
      this.#others.set(protocol, encoded);
    } else {
      this.#protocol = protocol;
      this.#encoded = encoded;
    }
    return encoded;
  }
}

interface Header {
  readonly kind: Address['kind'];
  readonly names: readonly string[];
  readonly except: readonly string[];
  /** Name and length of each encoding that follows. */
  readonly parts: readonly (readonly [protocol: string, bytes: number])[];
}

/** Encodes a message for other nodes: its receivers, and the message in every protocol, so that nodes do not encode it again. */
export function pack({ kind, names, except }: Address, broadcast: Broadcast, protocols: Protocols): Buffer {
  const encodings = Array.from(protocols.values(), (protocol) => {
    const { data } = broadcast.in(protocol);
    return [protocol.name, typeof data === 'string' ? Buffer.from(data) : data] as const;
  });
  const header: Header = {
    kind,
    names,
    except: typeof except === 'string' ? [except] : [...(except ?? [])],
    parts: encodings.map(([name, bytes]) => [name, bytes.length]),
  };
  const head = Buffer.from(JSON.stringify(header));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...encodings.map(([, bytes]) => bytes)]);
}

/** Decodes a message that another node has packed. Throws for anything else. */
export function unpack(bytes: Uint8Array, protocols: Protocols): { address: Address; broadcast: Broadcast } {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 4 + data.readUInt32BE(0);
  const { kind, names, except, parts } = JSON.parse(data.toString('utf8', 4, offset)) as Header;
  const broadcast = new Broadcast(() => {
    throw new Error('The other node does not support this protocol.');
  });
  for (const [name, length] of parts) {
    const protocol = protocols.get(name);
    // Copied: the bytes may be part of a large buffer, and a message may be kept for a long time.
    const part = Buffer.from(data.subarray(offset, offset + length));
    if (protocol) broadcast.set(protocol, { data: protocol.binary ? part : part.toString() });
    offset += length;
  }
  return { address: { kind, names, except: except.length > 0 ? new Set(except) : undefined }, broadcast };
}
