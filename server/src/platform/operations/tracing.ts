import type { FastifyBaseLogger } from 'fastify';
import type { Tracing } from './spans.ts';

interface TracingOptions {
  /** Tells the instances of an installation apart. */
  readonly instanceId: string;
  readonly log: FastifyBaseLogger;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Starts tracing by the standard variables of OpenTelemetry, or returns null without an endpoint. Its packages are loaded
 * here, so that others do not need their memory.
 */
export async function openTracing(env: Environment, options: TracingOptions): Promise<Tracing | null> {
  if (!isTracingOn(env)) return null;
  if (protocolOf(env) === 'grpc') {
    options.log.warn('no traces are sent: OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported, use http/json');
    return null;
  }
  const { startSpans } = await import('./spans.ts');
  return startSpans(options);
}

/** An endpoint is set, and neither OTEL_SDK_DISABLED nor OTEL_TRACES_EXPORTER switches tracing off. */
function isTracingOn(env: Environment): boolean {
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']?.trim() || env['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim();
  const isDisabled = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  return Boolean(endpoint) && !isDisabled && (env['OTEL_TRACES_EXPORTER']?.trim() || 'otlp') === 'otlp';
}

const protocolOf = (env: Environment) =>
  env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']?.trim() || env['OTEL_EXPORTER_OTLP_PROTOCOL']?.trim();
