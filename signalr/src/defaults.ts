import type { Limits, StatefulReconnect, Timings } from './hub.ts';

export const defaultLimits: Limits = {
  messageBytes: 32_768,
  perMethod: {},
  parallel: 1,
  queued: 64,
  streams: 64,
  groups: 1_000,
  callsPerSecond: Number.POSITIVE_INFINITY,
  bufferedBytes: 1 << 20,
  negotiationsPerUser: Number.POSITIVE_INFINITY,
  negotiations: 10_000,
};

export const defaultTimings: Timings = {
  keepAliveMs: 15_000,
  clientTimeoutMs: 30_000,
  handshakeMs: 15_000,
  negotiationMs: 15_000,
  sendMs: 10_000,
  postMs: 30_000,
  pollMs: 90_000,
  pollGapMs: 15_000,
};

export const defaultStatefulReconnect: StatefulReconnect = { bufferBytes: 100_000, holdMs: 15_000 };
