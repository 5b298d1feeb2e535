/** How sound and video of another peer arrive. */
export const qualities = ['good', 'fair', 'poor'] as const;
export type Quality = (typeof qualities)[number];

/** What arrives, since the last sample. */
export interface Figures {
  /** Part of the packets that were lost, 0 to 1. */
  readonly loss: number;
  readonly rttMs: number;
  readonly jitterMs: number;
  /** Part of the sound that was made up for lost packets, 0 to 1. */
  readonly concealed: number;
  /** Part of the time in which the picture stood still, 0 to 1. */
  readonly frozen: number;
  /** How often it stood still. */
  readonly freezes: number;
  /** Media are expected, and no packet arrived. */
  readonly stalled: boolean;
  /** A TURN server is between the peers. */
  readonly relayed: boolean;
}

/** Counters of one connection, as getStats returns them. */
export interface Totals {
  readonly at: number;
  readonly lost: number;
  readonly received: number;
  readonly concealed: number;
  readonly samples: number;
  readonly frozenMs: number;
  readonly freezes: number;
  readonly rttMs: number;
  readonly jitterMs: number;
  readonly relayed: boolean;
}

type Limits = Readonly<Record<'loss' | 'rttMs' | 'jitterMs' | 'concealed' | 'frozen', number>>;

/**
 * From these figures on a connection is fair or poor. ITU-T G.114 calls a delay of 150 ms one way good and 400 ms the limit for
 * conversation; with Opus and RED a loss of 3 % is hardly heard, and one of 10 % is.
 */
export const limits: Readonly<Record<'fair' | 'poor', Limits>> = {
  fair: { loss: 0.03, rttMs: 300, jitterMs: 40, concealed: 0.03, frozen: 0.2 },
  poor: { loss: 0.1, rttMs: 700, jitterMs: 100, concealed: 0.1, frozen: 0.5 },
};

/** The quality of one sample. */
export function rate(figures: Figures): Quality {
  const reaches = (limit: Limits) =>
    (Object.keys(limit) as (keyof Limits)[]).some((name) => figures[name] >= limit[name]);
  if (figures.stalled || reaches(limits.poor)) return 'poor';
  return reaches(limits.fair) ? 'fair' : 'good';
}

/** A quality that does not flicker: `next` was measured `count` times in a row. */
export interface Steady {
  readonly quality: Quality;
  readonly next: Quality;
  readonly count: number;
}

/** Samples in a row that make the quality worse or better. */
export const samplesFor = { worse: 2, better: 4 } as const;

export function steady(quality: Quality): Steady {
  return { quality, next: quality, count: 0 };
}

/** The quality after one more sample. */
export function settle(current: Steady, sample: Quality): Steady {
  if (sample === current.quality) return steady(sample);
  const isWorse = isWorseThan(sample, current.quality);
  const wasWorse = isWorseThan(current.next, current.quality);
  // Different samples on the same side count together: the last one wins.
  const count = current.count > 0 && isWorse === wasWorse ? current.count + 1 : 1;
  if (count >= samplesFor[isWorse ? 'worse' : 'better']) return steady(sample);
  return { quality: current.quality, next: sample, count };
}

export function isWorseThan(one: Quality, other: Quality): boolean {
  return qualities.indexOf(one) > qualities.indexOf(other);
}

/** The worse of what two sides measure. */
export function worseOf(one: Quality, other: Quality): Quality {
  return isWorseThan(one, other) ? one : other;
}

/** The members of RTCStats that are read here (W3C WebRTC Statistics). */
interface Report {
  readonly id: string;
  readonly type: string;
  readonly timestamp: number;
  readonly kind?: string;
  readonly packetsLost?: number;
  readonly packetsReceived?: number;
  readonly jitter?: number;
  readonly concealedSamples?: number;
  readonly silentConcealedSamples?: number;
  readonly totalSamplesReceived?: number;
  readonly freezeCount?: number;
  readonly totalFreezesDuration?: number;
  readonly nominated?: boolean;
  readonly state?: string;
  readonly selectedCandidatePairId?: string;
  readonly currentRoundTripTime?: number;
  readonly localCandidateId?: string;
  readonly remoteCandidateId?: string;
  readonly candidateType?: string;
}

/** Adds up the counters of a connection. */
export function totalsOf(stats: { values(): Iterable<unknown> }): Totals {
  const reports = [...stats.values()] as Report[];
  const inbound = reports.filter(({ type }) => type === 'inbound-rtp');
  const sum = (figure: (report: Report) => number | undefined) =>
    inbound.reduce((total, report) => total + (figure(report) ?? 0), 0);
  const byId = (id: string | undefined) => reports.find((report) => report.id === id);
  const transport = reports.find(({ type }) => type === 'transport');
  const pair =
    byId(transport?.selectedCandidatePairId) ??
    reports.find(({ type, nominated, state }) => type === 'candidate-pair' && nominated && state === 'succeeded');
  const ends = [byId(pair?.localCandidateId), byId(pair?.remoteCandidateId)];
  return {
    at: Math.max(0, ...inbound.map(({ timestamp }) => timestamp)),
    // A packet that arrives twice makes it negative.
    lost: Math.max(
      0,
      sum(({ packetsLost }) => packetsLost),
    ),
    received: sum(({ packetsReceived }) => packetsReceived),
    // Silence that fills a pause is not heard as a fault.
    concealed: sum(({ concealedSamples = 0, silentConcealedSamples = 0 }) => concealedSamples - silentConcealedSamples),
    samples: sum(({ totalSamplesReceived }) => totalSamplesReceived),
    frozenMs: 1000 * sum(({ totalFreezesDuration }) => totalFreezesDuration),
    freezes: sum(({ freezeCount }) => freezeCount),
    rttMs: 1000 * (pair?.currentRoundTripTime ?? 0),
    jitterMs: 1000 * Math.max(0, ...inbound.map(({ jitter }) => jitter ?? 0)),
    relayed: ends.some((end) => end?.candidateType === 'relay'),
  };
}

/** What has arrived between two readings of the counters. `expects`: the other side sends something. */
export function figuresBetween(before: Totals, now: Totals, expects: boolean): Figures {
  const lost = Math.max(0, now.lost - before.lost);
  const received = Math.max(0, now.received - before.received);
  return {
    loss: part(lost, lost + received),
    rttMs: now.rttMs,
    jitterMs: now.jitterMs,
    concealed: part(now.concealed - before.concealed, now.samples - before.samples),
    frozen: part(now.frozenMs - before.frozenMs, now.at - before.at),
    freezes: Math.max(0, now.freezes - before.freezes),
    stalled: expects && received === 0,
    relayed: now.relayed,
  };
}

function part(some: number, whole: number): number {
  return whole > 0 ? Math.min(1, Math.max(0, some / whole)) : 0;
}
