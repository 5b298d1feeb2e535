import type { Message, Protocol } from './messages.ts';
import { ProtocolError, TooLarge, type } from './messages.ts';
import { texts } from './texts.ts';

/** Ends every JSON message and the handshake; JSON.stringify escapes it inside strings. */
export const recordSeparator = 0x1e;
const end = '\x1e';

/** The JSON encoding of the hub protocol (SPEC.md, M rules). */
export const json: Protocol = {
  name: 'json',
  binary: false,
  separator: recordSeparator,

  read(data, offset, limit) {
    const stop = data.indexOf(recordSeparator, offset);
    const length = (stop === -1 ? data.length : stop) - offset;
    if (length > limit) throw new TooLarge(texts.tooLarge(limit), data.toString('utf8', offset, offset + 256));
    if (stop === -1) return undefined;
    return { message: parse(data.toString('utf8', offset, stop)), bytes: length, next: stop + 1 };
  },

  write(message) {
    switch (message.type) {
      case type.invocation: {
        const id = message.invocationId === undefined ? '' : `"invocationId":${JSON.stringify(message.invocationId)},`;
        return `{"type":1,${id}"target":${JSON.stringify(message.target)},"arguments":${JSON.stringify(message.arguments)}}${end}`;
      }
      case type.completion: {
        const start = `{"type":3,"invocationId":${JSON.stringify(message.invocationId)}`;
        if (message.error !== undefined) return `${start},"error":${JSON.stringify(message.error)}}${end}`;
        // A completion without a result would end a stream; undefined, functions and symbols become null.
        return message.hasResult
          ? `${start},"result":${JSON.stringify(message.result) ?? 'null'}}${end}`
          : `${start}}${end}`;
      }
      case type.streamItem: {
        const start = `{"type":2,"invocationId":${JSON.stringify(message.invocationId)}`;
        return `${start},"item":${JSON.stringify(message.item) ?? 'null'}}${end}`;
      }
      default:
        return JSON.stringify(message) + end;
    }
  },
};

function parse(text: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolError(texts.malformed);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ProtocolError(texts.malformed);
  const fields = value as Fields;
  if (fields.type === undefined) throw new ProtocolError(texts.missing('type'));
  switch (fields.type) {
    case type.invocation:
      optionalString(fields, 'invocationId');
      return call(fields);
    case type.streamInvocation:
      requireString(fields, 'invocationId');
      return call(fields);
    case type.streamItem:
      requireString(fields, 'invocationId');
      if (!('item' in fields)) throw new ProtocolError(texts.missing('item'));
      return fields as unknown as Message;
    case type.completion:
      requireString(fields, 'invocationId');
      optionalString(fields, 'error');
      if ('result' in fields && typeof fields.error === 'string') throw new ProtocolError(texts.exclusive);
      return {
        type: 3,
        invocationId: fields.invocationId as string,
        error: (fields.error as string | null | undefined) ?? undefined,
        hasResult: 'result' in fields,
        result: fields.result,
      };
    case type.cancelInvocation:
      requireString(fields, 'invocationId');
      return fields as unknown as Message;
    case type.ping:
      return fields as unknown as Message;
    case type.close:
      optionalString(fields, 'error');
      return fields as unknown as Message;
    case type.ack:
    case type.sequence:
      if (!Number.isSafeInteger(fields.sequenceId)) throw new ProtocolError(texts.wrongType('sequenceId', 'Number'));
      return fields as unknown as Message;
    default:
      if (typeof fields.type !== 'number') throw new ProtocolError(texts.wrongType('type', 'Number'));
      return undefined;
  }
}

interface Fields {
  type?: unknown;
  target?: unknown;
  arguments?: unknown;
  invocationId?: unknown;
  streamIds?: unknown;
  error?: unknown;
  result?: unknown;
  sequenceId?: unknown;
}

/** Returns the invocation with the protocol's fields only. */
function call(fields: Fields): Message {
  requireString(fields, 'target');
  if (fields.arguments === undefined) throw new ProtocolError(texts.missing('arguments'));
  if (!Array.isArray(fields.arguments)) throw new ProtocolError(texts.wrongType('arguments', 'Array'));
  if (fields.streamIds === null) fields.streamIds = undefined;
  const { streamIds } = fields;
  if (streamIds !== undefined && !(Array.isArray(streamIds) && streamIds.every((id) => typeof id === 'string'))) {
    throw new ProtocolError(texts.wrongType('streamIds', 'Array'));
  }
  return {
    type: fields.type as 1 | 4,
    target: fields.target as string,
    arguments: fields.arguments,
    invocationId: fields.invocationId as string | undefined,
    streamIds,
  };
}

function requireString(fields: Fields, name: 'target' | 'invocationId'): void {
  if (fields[name] === undefined || fields[name] === null) throw new ProtocolError(texts.missing(name));
  if (typeof fields[name] !== 'string') throw new ProtocolError(texts.wrongType(name, 'String'));
}

function optionalString(fields: Fields, name: 'invocationId' | 'error'): void {
  const value = fields[name];
  if (value === null) fields[name] = undefined;
  else if (value !== undefined && typeof value !== 'string') throw new ProtocolError(texts.wrongType(name, 'String'));
}
