import type { Encoded } from './protocol/encoded.ts';
import type { Invocation, Protocol } from './protocol/messages.ts';
import type { Address } from './proxies.ts';

type Protocols = ReadonlyMap<string, Protocol>;

/** A message to many: encoded once per protocol, at the first receiver that speaks it. */
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

/** A message for other processes: to whom, and the message as each protocol writes it, so that nobody encodes it again. */
export function pack({ kind, names, except }: Address, broadcast: Broadcast, protocols: Protocols): Buffer {
  const encodings = Array.from(protocols.values(), (protocol) => {
    const { data } = broadcast.in(protocol);
    return [protocol.name, typeof data === 'string' ? Buffer.from(data) : data] as const;
  });
  const header: Header = {
    ...{ kind, names },
    except: typeof except === 'string' ? [except] : [...(except ?? [])],
    parts: encodings.map(([name, bytes]) => [name, bytes.length]),
  };
  const head = Buffer.from(JSON.stringify(header));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...encodings.map(([, bytes]) => bytes)]);
}

/** What another process has packed. Throws what is no such message. */
export function unpack(bytes: Uint8Array, protocols: Protocols): { address: Address; broadcast: Broadcast } {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 4 + data.readUInt32BE(0);
  const { kind, names, except, parts } = JSON.parse(data.toString('utf8', 4, offset)) as Header;
  const broadcast = new Broadcast(() => {
    throw new Error('The other process does not speak this protocol.');
  });
  for (const [name, length] of parts) {
    const protocol = protocols.get(name);
    // A copy: the bytes may be a part of a large buffer, and a message may be kept for long.
    const part = Buffer.from(data.subarray(offset, offset + length));
    if (protocol) broadcast.set(protocol, { data: protocol.binary ? part : part.toString() });
    offset += length;
  }
  return { address: { kind, names, except: except.length > 0 ? new Set(except) : undefined }, broadcast };
}
