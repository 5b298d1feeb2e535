import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type BatchSpanProcessorOptions,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** OTEL_SERVICE_NAME (default `roomside`) and OTEL_RESOURCE_ATTRIBUTES. Nothing of the machine or the process is added. */
export function resourceOf(instanceId: string): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'roomside', 'service.instance.id': instanceId }))
    .merge(detectResources({ detectors: [envDetector] }));
}

/** OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG; an unknown sampler is the default, `parentbased_always_on`. */
export function samplerOf(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER')?.trim() ?? '';
  const root = rootSampler(name.replace(/^parentbased_/, ''));
  if (!root) return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string): Sampler | null {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratioOf());
    default:
      return null;
  }
}

/** 1 for what is not a number from 0 to 1. */
function ratioOf(): number {
  const ratio = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1;
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}

const batchVariables = {
  scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
  exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
  maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
  maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
} as const;

/** The variables OTEL_BSP_*; those that are unset, or no positive number, have the default. */
export function batchOptions(): Omit<BatchSpanProcessorOptions, 'exporter'> {
  const entries = Object.entries(batchVariables).map(
    ([option, variable]) => [option, getNumberFromEnv(variable)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value > 0));
}
