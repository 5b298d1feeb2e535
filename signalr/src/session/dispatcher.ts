import { HubError } from '../hub.ts';
import type { Invocation, Message } from '../protocol/messages.ts';
import { type } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import type { Connection, Method } from '../transport/connection.ts';
import type { SchemaIssue, SchemaResult } from '../types.ts';

/** A refusal whose message is, as it stands, the error of the completion. */
class Refusal extends Error {}

/** Handles one message of an active connection. `bytes` is its size without framing. */
export function dispatch(connection: Connection, message: Message, bytes: number): void {
  switch (message.type) {
    case type.invocation:
    case type.streamInvocation: {
      const method = connection.owner.method(message.target);
      const limit = method?.maxBytes ?? connection.owner.limits.messageBytes;
      if (bytes > limit) refuseSize(connection, message, bytes, limit);
      else if (connection.running >= connection.owner.limits.parallel) enqueue(connection, message);
      else run(connection, message);
      return;
    }
    case type.ping:
      connection.timeoutArmed = true;
      return;
    case type.close:
      connection.endWhenIdle({ reason: 'client-stop' });
      return;
    default:
    // Items, completions and cancellations belong to calls that nobody has open.
  }
}

/** Lets messages reach the connection and runs `onConnected`; invocations wait for its end. */
export function open(connection: Connection): void {
  const { owner } = connection;
  connection.opened = 'running';
  try {
    owner.activated(connection);
    const outcome = owner.definition.onConnected?.(owner.contextOf(connection));
    if (!isPromise(outcome)) {
      opened(connection);
      return;
    }
    connection.running = Number.POSITIVE_INFINITY;
    outcome.then(
      () => {
        connection.running = 0;
        connection.lastReceived = owner.clock.now();
        opened(connection);
        proceed(connection);
      },
      (error) => failedToOpen(connection, error),
    );
  } catch (error) {
    failedToOpen(connection, error);
  }
}

function opened(connection: Connection): void {
  connection.opened = 'yes';
  if (connection.state === 'disposed') connection.owner.farewell(connection);
}

function failedToOpen(connection: Connection, error: unknown): void {
  connection.opened = 'failed';
  connection.running = 0;
  connection.owner.logger.error({ connectionId: connection.id, err: error }, 'onConnected failed');
  connection.end({ error: explain(connection, texts.closedWithError, error), reason: 'error' });
}

function enqueue(connection: Connection, message: Invocation): void {
  connection.queue ??= [];
  const { queue, owner } = connection;
  if (queue.push(message) >= owner.limits.queued && !connection.paused) {
    connection.paused = true;
    connection.transport?.pause();
  }
}

/** Starts what waits, as far as allowed; ends a connection that only waited for its methods. */
function proceed(connection: Connection): void {
  const { queue, owner } = connection;
  while (queue?.length && connection.running < owner.limits.parallel && connection.state === 'active') {
    run(connection, queue.shift() as Invocation);
  }
  if (connection.state !== 'active') return;
  if (connection.closing && connection.idle) {
    connection.end(connection.closing);
  } else if (connection.paused && (queue?.length ?? 0) <= owner.limits.queued / 4) {
    connection.paused = false;
    connection.transport?.resume();
  }
}

/** Runs one invocation. A method that returns at once is answered at once, without a promise. */
function run(connection: Connection, message: Invocation): void {
  connection.owner.counters.invocations++;
  let outcome: unknown;
  try {
    outcome = invoke(connection, message);
  } catch (error) {
    fail(connection, message, error);
    return;
  }
  if (!isPromise(outcome)) {
    succeed(connection, message, outcome);
    return;
  }
  connection.running++;
  outcome.then(
    (result) => {
      succeed(connection, message, result);
      settled(connection);
    },
    (error) => {
      fail(connection, message, error);
      settled(connection);
    },
  );
}

function settled(connection: Connection): void {
  connection.running--;
  // A client is not silent while it waits for an answer.
  connection.lastReceived = connection.owner.clock.now();
  proceed(connection);
}

function invoke(connection: Connection, message: Invocation): unknown {
  const method = connection.owner.method(message.target);
  if (!method) throw new Refusal(`${texts.failedToInvoke(message.target)} ${texts.noSuchMethod}`);
  if (message.type === type.streamInvocation) throw new Refusal(texts.notStreaming(message.target));
  const given = message.arguments.length;
  if (given !== method.arity) {
    throw new Refusal(`${texts.failedToInvoke(message.target)} ${texts.argumentCount(given, method.arity)}`);
  }
  const streams = message.streamIds?.length ?? 0;
  if (streams > 0) throw new Refusal(`${texts.unexpected(message.target)} ${texts.streamCount(streams, 0)}`);
  const { authorize } = connection.owner.definition;
  if (!authorize) return validateAndCall(connection, method, message);
  const allowed = authorize(connection.owner.contextOf(connection), method.name);
  if (!isPromise(allowed)) return callIfAllowed(connection, method, message, allowed);
  return allowed.then((yes) => callIfAllowed(connection, method, message, yes));
}

function callIfAllowed(connection: Connection, method: Method, message: Invocation, allowed: boolean): unknown {
  if (!allowed) throw new Refusal(texts.unauthorized(message.target));
  return validateAndCall(connection, method, message);
}

function validateAndCall(connection: Connection, method: Method, message: Invocation): unknown {
  const values = method.inputs ? validate(method, message) : message.arguments;
  return values instanceof Promise
    ? values.then((ready) => call(connection, method, ready))
    : call(connection, method, values);
}

function call(connection: Connection, method: Method, values: readonly unknown[]): unknown {
  return method.run.call(connection.owner.definition.methods, connection.owner.contextOf(connection), ...values);
}

function validate(method: Method, message: Invocation): unknown[] | Promise<unknown[]> {
  const schemas = method.inputs ?? [];
  const values: unknown[] = [];
  let waiting: Promise<void>[] | undefined;
  for (let index = 0; index < schemas.length; index++) {
    const result = schemas[index]?.['~standard'].validate(message.arguments[index]);
    if (result === undefined) continue;
    if (isPromise(result)) {
      waiting ??= [];
      waiting.push(
        result.then((late) => {
          values[index] = accept(late, message.target, index);
        }),
      );
    } else {
      values[index] = accept(result, message.target, index);
    }
  }
  return waiting ? Promise.all(waiting).then(() => values) : values;
}

function accept(result: SchemaResult<unknown>, target: string, index: number): unknown {
  const issue = result.issues?.[0];
  if (issue) {
    const text = texts.invalidArgument(index + 1, where(issue), issue.message);
    throw new Refusal(`${texts.failedToInvoke(target)} ${text}`);
  }
  return (result as { value: unknown }).value;
}

function where(issue: SchemaIssue): string {
  const path = issue.path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return path ? ` (${path})` : '';
}

function succeed(connection: Connection, message: Invocation, result: unknown): void {
  const { invocationId } = message;
  if (invocationId === undefined) return;
  try {
    connection.sendMessage({ type: 3, invocationId, hasResult: true, result: result ?? null });
  } catch (error) {
    fail(connection, message, error);
  }
}

function fail(connection: Connection, message: Invocation, error: unknown): void {
  const { owner } = connection;
  const expected = error instanceof Refusal || error instanceof HubError;
  if (!expected) owner.counters.failures++;
  const details = { connectionId: connection.id, target: message.target.slice(0, 100) };
  if (expected) owner.logger.debug({ ...details, refusal: error.message }, 'invocation refused');
  else owner.logger.error({ ...details, err: error }, 'hub method failed');
  const { invocationId } = message;
  if (invocationId === undefined) return;
  const text = error instanceof Refusal ? error.message : explain(connection, texts.unexpected(message.target), error);
  connection.sendMessage({ type: 3, invocationId, error: text });
}

/** Adds what the client may know about an error: everything about a HubError, the rest only with detailed errors. */
function explain(connection: Connection, text: string, error: unknown): string {
  if (error instanceof HubError) return `${text} HubException: ${error.message}`;
  if (connection.owner.detailedErrors && error instanceof Error) return `${text} ${error.name}: ${error.message}`;
  return text;
}

function refuseSize(connection: Connection, message: Invocation, bytes: number, limit: number): void {
  const { owner } = connection;
  owner.logger.warn(
    { connectionId: connection.id, target: message.target.slice(0, 100), bytes, limit },
    'message too large',
  );
  const { invocationId } = message;
  if (invocationId === undefined) {
    const detail = owner.detailedErrors ? ` InvalidDataException: ${texts.tooLarge(limit)}` : '';
    connection.end({ error: texts.closedWithError + detail, allowReconnect: true, reason: 'error' });
  } else {
    const error = `${texts.failedToInvoke(message.target)} ${texts.messageTooLarge(bytes, limit)}`;
    connection.sendMessage({ type: 3, invocationId, error });
  }
}

function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
