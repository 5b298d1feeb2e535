import { promiseOf } from '../application-code.ts';
import { invocations } from '../diagnostics.ts';
import type { AnyContext } from '../hub.ts';
import type { Invocation, Message } from '../protocol/messages.ts';
import { type } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import { scheduler } from '../scheduler.ts';
import { Calls } from './calls.ts';
import { pauseReason } from './client-channel.ts';
import type { Connection } from './connection.ts';
import type { Method } from './method.ts';
import { fail, logFailure, Refusal, succeed, withErrorDetail } from './outcome.ts';
import { type Download, Streams } from './streams.ts';
import { validate } from './validation.ts';

/** The number of messages of one client that are handled before the scheduler's budget applies. */
export const maxBurst = 32;

/** Handles one message of an active connection. `bytes` is its size without framing. */
export function dispatch(connection: Connection, message: Message, bytes: number): void {
  const { state } = connection;
  if (state.kind !== 'active') return;
  switch (message.type) {
    case type.invocation:
    case type.streamInvocation: {
      // While the connection is closing, running methods continue and new ones are not started.
      if (state.closing) return;
      const method = connection.host.method(message.target);
      const limit = method?.maxBytes ?? connection.host.limits.messageBytes;
      if (bytes > limit) return refuseSize(connection, message, bytes, limit);
      const calls = (connection.calls ??= new Calls());
      if (!mayCall(connection, calls)) return refuseRate(connection, message);
      if (message.streamIds?.length && !openUploads(connection, message, method)) return;
      if (calls.running >= connection.host.limits.parallel || calls.queue?.length) enqueue(connection, calls, message);
      else run(connection, calls, message);
      return;
    }
    case type.streamItem:
      return connection.streams?.item(message.invocationId, message.item);
    case type.completion:
      if (!connection.streams?.completed(message.invocationId, message.error)) connection.results?.completed(message);
      return;
    case type.cancelInvocation:
      return cancel(connection, message.invocationId);
    case type.ping:
      state.hasPinged = true;
      return;
    case type.close:
      return connection.endWhenIdle({ reason: 'client-stop' });
    case type.ack:
      return connection.acknowledged(message.sequenceId);
    case type.sequence: // Handled in receive.ts.
  }
}

/** Activates the connection and runs `onConnected`; invocations wait until it has ended. */
export function open(connection: Connection): void {
  const { host } = connection;
  connection.opened = 'running';
  try {
    host.activated(connection);
    const outcome = promiseOf(host.definition.onConnected?.(host.contextOf(connection)));
    if (!outcome) {
      opened(connection);
      return;
    }
    const calls = (connection.calls ??= new Calls());
    calls.running = Number.POSITIVE_INFINITY;
    outcome.then(
      () => {
        calls.running = 0;
        connection.lastReceived = host.clock.now();
        opened(connection);
        runQueued(connection, calls);
      },
      (error) => failedToOpen(connection, error),
    );
  } catch (error) {
    failedToOpen(connection, error);
  }
}

function opened(connection: Connection): void {
  connection.opened = 'yes';
  if (connection.state.kind === 'disposed') connection.host.runDisconnected(connection);
}

function failedToOpen(connection: Connection, error: unknown): void {
  connection.opened = 'failed';
  if (connection.calls) connection.calls.running = 0;
  connection.host.logger.error({ connectionId: connection.id, err: error }, 'onConnected failed');
  connection.end({ error: withErrorDetail(connection, texts.closedWithError, error), reason: 'error' });
}

function enqueue(connection: Connection, calls: Calls, message: Invocation): void {
  calls.queue ??= [];
  if (calls.queue.push(message) >= connection.host.limits.queued) connection.pauseReading(pauseReason.queue, true);
}

/** Runs queued invocations as far as `limits.parallel` allows; ends a closing connection when nothing runs. */
function runQueued(connection: Connection, calls: Calls): void {
  const { host } = connection;
  const { queue } = calls;
  if (calls.isDeferred) return;
  while (queue?.length && calls.running < host.limits.parallel && connection.state.kind === 'active') {
    run(connection, calls, queue.shift() as Invocation);
    if (++connection.inbound.burst > maxBurst && queue.length > 0 && scheduler.shouldYield()) {
      calls.isDeferred = true;
      scheduler.schedule(() => {
        calls.isDeferred = false;
        connection.inbound.burst = 0;
        runQueued(connection, calls);
      });
      return;
    }
  }
  if (connection.state.kind !== 'active') return;
  connection.endIfDue();
  if ((queue?.length ?? 0) <= host.limits.queued / 4) connection.pauseReading(pauseReason.queue, false);
}

/** Opens the uploads of an invocation before their first items. Returns false when they were refused, with an error to the client. */
function openUploads(connection: Connection, message: Invocation, method: Method | undefined): boolean {
  const ids = message.streamIds ?? [];
  connection.streams ??= new Streams(connection);
  const { streams } = connection;
  let refusal: string | undefined;
  if (!method) refusal = `${texts.failedToInvoke(message.target)} ${texts.noSuchMethod}`;
  else if (ids.length !== method.uploads)
    refusal = `${texts.unexpected(message.target)} ${texts.streamCount(ids.length, method.uploads)}`;
  else if (streams.size + ids.length > connection.host.limits.streams)
    refusal = `${texts.unexpected(message.target)} ${texts.tooManyStreams(connection.host.limits.streams)}`;
  else if (new Set(ids).size < ids.length || ids.some((id) => streams.has(id)))
    refusal = texts.idInUse(ids.find((id) => streams.has(id)) ?? (ids[0] as string));
  if (refusal !== undefined) fail(connection, message, new Refusal(refusal));
  else message.uploads = streams.receive(ids);
  return refusal === undefined;
}

/** Runs one invocation. A synchronous result is sent synchronously, without a promise. */
function run(connection: Connection, calls: Calls, message: Invocation): void {
  connection.host.counters.invocations++;
  const startedAt = invocations.hasSubscribers ? performance.now() : 0;
  if (message.type === type.streamInvocation) return runStream(connection, message, startedAt);
  let outcome: unknown;
  try {
    outcome = invoke(connection, message, undefined);
  } catch (error) {
    fail(connection, message, error);
    onCallEnd(connection, message, startedAt, true);
    return;
  }
  const promise = promiseOf(outcome);
  if (!promise) {
    const isSent = succeed(connection, message, outcome);
    onCallEnd(connection, message, startedAt, !isSent);
    return;
  }
  // Methods that read a stream do not count, so that other invocations run while the stream is open.
  const counts = message.uploads ? 0 : 1;
  calls.running += counts;
  promise.then(
    (result) => {
      const isSent = succeed(connection, message, result);
      onCallEnd(connection, message, startedAt, !isSent);
      onMethodEnd(connection, calls, counts);
    },
    (error) => {
      fail(connection, message, error);
      onCallEnd(connection, message, startedAt, true);
      onMethodEnd(connection, calls, counts);
    },
  );
}

function onMethodEnd(connection: Connection, calls: Calls, counts: number): void {
  calls.running -= counts;
  // The client timeout does not run while the client waits for a result.
  connection.lastReceived = connection.host.clock.now();
  runQueued(connection, calls);
}

/** A call has completed. `startedAt`: 0 when it is not measured. */
function onCallEnd(connection: Connection, message: Invocation, startedAt: number, failed: boolean): void {
  closeUploads(connection, message);
  if (startedAt === 0) return;
  const { host, id: connectionId } = connection;
  invocations.publish({
    hub: host.definition.path,
    connectionId,
    method: host.method(message.target)?.name,
    isStream: message.type === type.streamInvocation,
    failed,
    durationMs: performance.now() - startedAt,
  });
}

function closeUploads(connection: Connection, { streamIds, uploads }: Invocation): void {
  if (uploads && streamIds) connection.streams?.close(streamIds);
}

function runStream(connection: Connection, message: Invocation, startedAt: number): void {
  connection.streams ??= new Streams(connection);
  const { streams, host } = connection;
  const id = message.invocationId as string;
  let refusal: string | undefined;
  if (streams.has(id)) refusal = texts.idInUse(id);
  else if (streams.size >= host.limits.streams)
    refusal = `${texts.unexpected(message.target)} ${texts.tooManyStreams(host.limits.streams)}`;
  if (refusal !== undefined) {
    fail(connection, message, new Refusal(refusal));
    return onCallEnd(connection, message, startedAt, true);
  }
  const download = streams.send(message, (failed) => {
    onCallEnd(connection, message, startedAt, failed);
    connection.endIfDue();
  });
  const refuse = (error: unknown) => {
    if (!download.isOver) download.refuse(logFailure(connection, message, error));
  };
  try {
    const outcome = invoke(connection, message, download);
    const promise = promiseOf(outcome);
    if (promise) promise.then((items) => download.pump(items as AsyncIterable<unknown>), refuse);
    else void download.pump(outcome as AsyncIterable<unknown>);
  } catch (error) {
    refuse(error);
  }
}

/** Cancels a stream. One that has not started is removed from the queue and completed. */
function cancel(connection: Connection, id: string): void {
  const queue = connection.calls?.queue;
  const waiting = queue?.findIndex((one) => one.type === type.streamInvocation && one.invocationId === id) ?? -1;
  if (waiting === -1) return connection.streams?.cancel(id);
  const [message] = queue?.splice(waiting, 1) ?? [];
  if (message) closeUploads(connection, message);
  connection.respond({ type: 3, invocationId: id });
}

function invoke(connection: Connection, message: Invocation, download: Download | undefined): unknown {
  const method = connection.host.method(message.target);
  if (!method) throw new Refusal(`${texts.failedToInvoke(message.target)} ${texts.noSuchMethod}`);
  if (download && !method.isStreaming) throw new Refusal(texts.notStreaming(message.target));
  if (!download && method.isStreaming) throw new Refusal(texts.streaming(message.target));
  const given = message.arguments.length;
  if (given !== method.arity) {
    throw new Refusal(`${texts.failedToInvoke(message.target)} ${texts.argumentCount(given, method.arity)}`);
  }
  if (method.uploads > 0 && !message.uploads)
    throw new Refusal(`${texts.unexpected(message.target)} ${texts.streamCount(0, method.uploads)}`);
  const { host } = connection;
  const ctx = download ? host.streamContextOf(connection, download.signal) : host.contextOf(connection);
  const { authorize } = host.definition;
  if (!authorize) return validateAndCall(connection, ctx, method, message);
  const allowed = authorize(ctx, method.name);
  const promise = promiseOf(allowed);
  if (!promise) return callIfAllowed(connection, ctx, method, message, allowed as boolean);
  return promise.then((yes) => callIfAllowed(connection, ctx, method, message, yes));
}

function callIfAllowed(
  connection: Connection,
  ctx: AnyContext,
  method: Method,
  message: Invocation,
  allowed: boolean,
): unknown {
  if (!allowed) throw new Refusal(texts.unauthorized(message.target));
  return validateAndCall(connection, ctx, method, message);
}

function validateAndCall(connection: Connection, ctx: AnyContext, method: Method, message: Invocation): unknown {
  const values = method.inputs ? validate(method, message.target, message.arguments) : message.arguments;
  return values instanceof Promise
    ? values.then((ready) => call(connection, ctx, method, ready, message.uploads))
    : call(connection, ctx, method, values, message.uploads);
}

function call(
  connection: Connection,
  ctx: AnyContext,
  { run }: Method,
  values: readonly unknown[],
  uploads: Invocation['uploads'],
): unknown {
  const { methods } = connection.host.definition;
  return uploads ? run.call(methods, ctx, ...values, ...uploads) : run.call(methods, ctx, ...values);
}

function refuseSize(connection: Connection, message: Invocation, bytes: number, limit: number): void {
  const { host, id: connectionId } = connection;
  host.logger.warn({ connectionId, target: message.target.slice(0, 100), bytes, limit }, 'message too large');
  refuse(connection, message, texts.messageTooLarge(bytes, limit), `InvalidDataException: ${texts.tooLarge(limit)}`);
}

/** Counts a call. Returns false when the rate limit is exceeded. */
function mayCall(connection: Connection, calls: Calls): boolean {
  const { limits, clock } = connection.host;
  const { callsPerSecond } = limits;
  if (callsPerSecond === Number.POSITIVE_INFINITY) return true;
  const now = clock.now();
  // The budget must be able to reach one, also with a rate below one per second.
  const limit = Math.max(1, callsPerSecond);
  const budget = (calls.budget ??= { left: limit, at: now });
  budget.left = Math.min(limit, budget.left + ((now - budget.at) / 1_000) * callsPerSecond);
  budget.at = now;
  if (budget.left < 1) return false;
  budget.left--;
  return true;
}

function refuseRate(connection: Connection, message: Invocation): void {
  const { host, id: connectionId } = connection;
  host.logger.warn({ connectionId, target: message.target.slice(0, 100) }, 'too many calls');
  const text = texts.tooManyCalls(host.limits.callsPerSecond);
  refuse(connection, message, text, text);
}

/** Refuses a call with an error. Without an invocation id the error ends the connection. */
function refuse(connection: Connection, { invocationId, target }: Invocation, text: string, detail: string): void {
  if (invocationId === undefined) {
    const error = connection.host.detailedErrors ? `${texts.closedWithError} ${detail}` : texts.closedWithError;
    connection.end({ error, allowReconnect: true, reason: 'error' });
  } else {
    connection.respond({ type: 3, invocationId, error: `${texts.failedToInvoke(target)} ${text}` });
  }
}
