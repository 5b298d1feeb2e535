import { decode, encode } from '@msgpack/msgpack';
import { isPlausible } from './messagepack-check.ts';
import type { Message, Protocol } from './messages.ts';
import { ProtocolError, TooLarge, type } from './messages.ts';
import { texts } from './texts.ts';

/** A length prefix has 7 bits per byte, least significant first; five bytes are more than any message needs. */
const maxPrefixBytes = 5;

/** The MessagePack encoding of the hub protocol (SPEC.md, X rules): a length, then an array. `Uint8Array` is sent as binary, `Date` as timestamp. */
export const messagePack: Protocol = {
  name: 'messagepack',
  binary: true,

  read(data, offset, limit) {
    const prefix = readLength(data, offset);
    if (!prefix) return undefined;
    const { length, start } = prefix;
    if (length > limit) throw new TooLarge(texts.tooLarge(limit), '');
    const next = start + length;
    if (next > data.length) return next - offset;
    return { message: parse(decodeArray(data.subarray(start, next), length)), bytes: length, next };
  },

  write(message) {
    const body = encode(fieldsOf(message), { ignoreUndefined: false });
    const prefix: number[] = [];
    let rest = body.length;
    do {
      const more = rest > 0x7f ? 0x80 : 0;
      prefix.push((rest & 0x7f) | more);
      rest >>>= 7;
    } while (rest > 0);
    const whole = Buffer.allocUnsafe(prefix.length + body.length);
    whole.set(prefix);
    whole.set(body, prefix.length);
    return whole;
  },
};

function readLength(data: Buffer, offset: number): { length: number; start: number } | undefined {
  let length = 0;
  for (let index = 0; index < maxPrefixBytes; index++) {
    const byte = data[offset + index];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { length, start: offset + index + 1 };
  }
  throw new ProtocolError(texts.badLength);
}

function decodeArray(data: Buffer, maxLength: number): unknown[] {
  if (!isPlausible(data)) throw new ProtocolError(texts.badMessagePack);
  const limits = {
    maxStrLength: maxLength,
    maxBinLength: maxLength,
    maxArrayLength: maxLength,
    maxMapLength: maxLength,
    maxExtLength: maxLength,
  };
  let value: unknown;
  try {
    // A plain Uint8Array: from a Buffer, binary values would be decoded as Buffers.
    value = decode(new Uint8Array(data.buffer, data.byteOffset, data.length), limits);
  } catch {
    throw new ProtocolError(texts.badMessagePack);
  }
  if (!Array.isArray(value)) throw new ProtocolError(texts.wrongType('message', 'Array'));
  return value;
}

function fieldsOf(message: Message): unknown[] {
  switch (message.type) {
    case type.invocation:
    case type.streamInvocation: {
      const { invocationId, target, streamIds = [] } = message;
      return [message.type, {}, invocationId ?? null, target, message.arguments, streamIds];
    }
    case type.streamItem:
      return [2, {}, message.invocationId, message.item];
    case type.completion: {
      const { invocationId, error, hasResult, result } = message;
      if (error !== undefined) return [3, {}, invocationId, failed, error];
      return hasResult ? [3, {}, invocationId, withResult, result ?? null] : [3, {}, invocationId, withoutResult];
    }
    case type.cancelInvocation:
      return [5, {}, message.invocationId];
    case type.ping:
      return [6];
    case type.close:
      return [7, message.error ?? null, message.allowReconnect ?? false];
    default:
      return [message.type, message.sequenceId];
  }
}

const failed = 1;
const withoutResult = 2;
const withResult = 3;

function parse(fields: unknown[]): Message | undefined {
  const [kind] = fields;
  switch (kind) {
    case type.invocation:
    case type.streamInvocation:
      return {
        type: kind,
        invocationId:
          kind === type.streamInvocation ? text(fields, 2, 'invocationId') : optional(fields, 2, 'invocationId'),
        target: text(fields, 3, 'target'),
        arguments: list(fields[4], 'arguments'),
        streamIds: fields[5] === undefined ? undefined : list(fields[5], 'streamIds').map(idOf),
      };
    case type.streamItem:
      if (fields.length < 4) throw new ProtocolError(texts.missing('item'));
      return { type: 2, invocationId: text(fields, 2, 'invocationId'), item: fields[3] };
    case type.completion:
      return completion(fields);
    case type.cancelInvocation:
      return { type: 5, invocationId: text(fields, 2, 'invocationId') };
    case type.ping:
      return { type: 6 };
    case type.close:
      return { type: 7, error: optional(fields, 1, 'error'), allowReconnect: fields[2] === true };
    case type.ack:
    case type.sequence:
      if (!Number.isSafeInteger(fields[1])) throw new ProtocolError(texts.wrongType('sequenceId', 'Number'));
      return { type: kind, sequenceId: fields[1] as number };
    default:
      if (typeof kind !== 'number') throw new ProtocolError(texts.wrongType('type', 'Number'));
      return undefined;
  }
}

function completion(fields: unknown[]): Message {
  const invocationId = text(fields, 2, 'invocationId');
  switch (fields[3]) {
    case failed:
      return { type: 3, invocationId, error: text(fields, 4, 'error') };
    case withoutResult:
      return { type: 3, invocationId, hasResult: false };
    case withResult:
      if (fields.length < 5) throw new ProtocolError(texts.missing('result'));
      return { type: 3, invocationId, hasResult: true, result: fields[4] };
    default:
      throw new ProtocolError(texts.wrongType('resultKind', 'Number'));
  }
}

function text(fields: unknown[], index: number, name: string): string {
  const value = optional(fields, index, name);
  if (value === undefined) throw new ProtocolError(texts.missing(name));
  return value;
}

function optional(fields: unknown[], index: number, name: string): string | undefined {
  const value = fields[index] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw new ProtocolError(texts.wrongType(name, 'String'));
  return value;
}

function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new ProtocolError(texts.wrongType(name, 'Array'));
  return value;
}

function idOf(id: unknown): string {
  if (typeof id !== 'string') throw new ProtocolError(texts.wrongType('streamIds', 'Array'));
  return id;
}
