import { AsyncLocalStorage } from 'node:async_hooks';
import { type Channel, channel, type TracingChannel } from 'node:diagnostics_channel';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { InvocationMeasurement } from '@roomside/signalr';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { onResponseEnd } from '../http/on-response-end.ts';
import { Refusal } from '../refusal.ts';
import { healthPaths } from './health.ts';
import { batchOptions, resourceOf, samplerOf } from './span-settings.ts';
import { jobAttempts, type TracedJob, type TracedTransaction, transactions } from './trace-channels.ts';

/** How long the last spans may take at the end, ms. */
const closeWithinMs = 2_000;
/** A collector that is down is logged at most this often, ms. */
const logEveryMs = 60_000;

/** Creates spans while the server runs. */
export interface Tracing {
  /** Creates a span for each request to the routes of `app`. Call before the routes are added. */
  watchRequests(app: FastifyInstance): void;
  /** Sends the spans that have ended, for at most two seconds, and stops. */
  close(): Promise<void>;
}

interface SpanOptions {
  readonly instanceId: string;
  readonly log: FastifyBaseLogger;
}

/**
 * Sends spans of requests, transactions, hub calls and jobs by OTLP over HTTP, as JSON. Names and attributes are route templates,
 * kinds, names of methods and queues, durations and codes; never ids, queries, bodies, messages of errors or anything of a person.
 */
export function startSpans({ instanceId, log }: SpanOptions): Tracing {
  logFailures(log);
  const provider = new TracerProvider({
    resource: resourceOf(instanceId),
    sampler: samplerOf(),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...batchOptions() })],
  });
  const tracer = provider.getTracer('roomside');
  /** The span of the request or job that is running. */
  const active = new AsyncLocalStorage<Context>();
  const stops = [
    watchInvocations(tracer),
    watchOperations(transactions, active, (about, parent) => startTransaction(tracer, about, parent), endTransaction),
    watchOperations(jobAttempts, active, (about) => startJob(tracer, about), endWithError),
  ];
  return {
    watchRequests: (app) => watchRequests(app, tracer, active),
    async close() {
      for (const stop of stops) stop();
      await Promise.race([provider.shutdown().catch(() => {}), pause(closeWithinMs, undefined, { ref: false })]);
    },
  };
}

function logFailures(log: FastifyBaseLogger): void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  setGlobalErrorHandler((error) => {
    if (performance.now() - loggedAt < logEveryMs) return;
    loggedAt = performance.now();
    log.warn({ error: codeOf(error) }, 'traces could not be sent');
  });
}

function watchRequests(app: FastifyInstance, tracer: Tracer, active: AsyncLocalStorage<Context>): void {
  const spans = new WeakMap<object, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request;
    const route = request.routeOptions.url;
    if (route === undefined || !healthPaths.has(route)) {
      const attributes = { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) };
      const name = route === undefined ? method : `${method} ${route}`;
      spans.set(
        request,
        tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, senderOf(headers['traceparent'])),
      );
    }
    done();
  });
  // After the body was read, whose events belong to no request.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) active.run(trace.setSpan(ROOT_CONTEXT, span), done);
    else done();
  });
  onResponseEnd(app, (request, reply) => {
    const span = spans.get(request);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  });
}

/** The sender's span (W3C Trace Context). Its `tracestate` is not taken over: it is free text. */
function senderOf(header: string | readonly string[] | undefined): Context {
  const parent = typeof header === 'string' ? parseTraceParent(header) : null;
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

/**
 * Creates a span for each operation of a channel; inside the operation it is the parent of others. Without a span from `start`
 * the operation belongs to the one around it.
 */
function watchOperations<About extends { readonly error?: unknown }>(
  operations: TracingChannel<unknown, About>,
  active: AsyncLocalStorage<Context>,
  start: (about: About, parent: Context | undefined) => Span | null,
  end: (span: Span, about: About) => void,
): () => void {
  const spans = new WeakMap<About, Span>();
  // The types do not contain that the channel of the start gives its messages to the store.
  const started = operations.start as Channel<Context | undefined, About>;
  const onEnd = (message: unknown) => {
    const about = message as About;
    const span = spans.get(about);
    if (!span) return;
    end(span, about);
    span.end();
  };
  started.bindStore(active, (about) => {
    const parent = active.getStore();
    const span = start(about, parent);
    if (!span) return parent;
    spans.set(about, span);
    return trace.setSpan(ROOT_CONTEXT, span);
  });
  operations.asyncEnd.subscribe(onEnd);
  return () => {
    started.unbindStore(active);
    operations.asyncEnd.unsubscribe(onEnd);
  };
}

/** The server's own repeated work has no spans, unless a job does it. */
function startTransaction(
  tracer: Tracer,
  { kind, isServers }: TracedTransaction,
  parent: Context | undefined,
): Span | null {
  if (isServers && !parent) return null;
  const attributes = { 'db.system.name': 'postgresql', 'roomside.transaction.kind': kind };
  return tracer.startSpan(`transaction ${kind}`, { kind: SpanKind.CLIENT, attributes }, parent ?? ROOT_CONTEXT);
}

function endTransaction(span: Span, about: TracedTransaction): void {
  span.setAttribute('roomside.transaction.waited_ms', Math.round(about.waitedMs));
  endWithError(span, about);
}

function startJob(tracer: Tracer, { queue, attempt }: TracedJob): Span {
  const attributes = { 'messaging.destination.name': queue, 'roomside.job.attempt': attempt };
  return tracer.startSpan(`job ${queue}`, { kind: SpanKind.CONSUMER, attributes }, ROOT_CONTEXT);
}

/** A refusal is an expected result and no failure. */
function endWithError(span: Span, { error }: { readonly error?: unknown }): void {
  if (error === undefined) return;
  if (error instanceof Refusal) {
    span.setAttribute('roomside.refusal', error.code);
    return;
  }
  span.setAttribute('error.type', codeOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Messages of errors quote rows and addresses; codes and names do not. */
function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' || typeof code === 'number') return String(code);
  return typeof name === 'string' ? name : 'Error';
}

/** Calls of hubs are published when they have ended (signalr, O7). */
function watchInvocations(tracer: Tracer): () => void {
  const invocations = channel('signalr:invocation');
  const onInvocation = (message: unknown) => {
    const { hub, method, isStream, failed, durationMs } = message as InvocationMeasurement;
    const endTime = Date.now();
    const attributes: Attributes = { 'rpc.system': 'signalr', 'rpc.service': hub, 'roomside.is_stream': isStream };
    if (method !== undefined) attributes['rpc.method'] = method;
    const name = method === undefined ? hub : `${hub} ${method}`;
    const span = tracer.startSpan(
      name,
      { kind: SpanKind.SERVER, attributes, startTime: endTime - durationMs },
      ROOT_CONTEXT,
    );
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endTime);
  };
  invocations.subscribe(onInvocation);
  return () => invocations.unsubscribe(onInvocation);
}
