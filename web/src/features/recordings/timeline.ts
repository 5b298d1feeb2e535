/** A recorded period; ms since 1970, both ends included. */
export interface TimelineSegment {
  readonly id: string;
  readonly start: number;
  readonly stop: number;
}

export interface TimelineTrack {
  readonly id: number;
  /** By start. */
  readonly segments: readonly TimelineSegment[];
}

/** Which track has which segment at which time. */
export class Timeline {
  readonly tracks: readonly TimelineTrack[];

  constructor(tracks: readonly TimelineTrack[]) {
    this.tracks = tracks;
  }

  /** The start of the first segment; 0 without one. */
  get start(): number {
    const starts = this.#segments().map(({ start }) => start);
    return starts.length > 0 ? Math.min(...starts) : 0;
  }

  /** The end of the last segment; 0 without one. */
  get end(): number {
    return Math.max(0, ...this.#segments().map(({ stop }) => stop));
  }

  /** The segment of a track at a time. Where two meet it is the later one, which goes on. */
  at(track: number, time: number): TimelineSegment | undefined {
    return this.#segmentsOf(track).findLast(({ start, stop }) => start <= time && time <= stop);
  }

  /** STATE-29: the first segment of a track that overlaps with a period; inclusive. */
  overlapping(track: number, period: Pick<TimelineSegment, 'start' | 'stop'>): TimelineSegment | undefined {
    return this.#segmentsOf(track).find(({ start, stop }) => start <= period.stop && stop >= period.start);
  }

  /** When one of these tracks is recorded next: the time itself if one is; undefined after the last segment. */
  nextRecorded(time: number, tracks: ReadonlySet<number>): number | undefined {
    let next: number | undefined;
    for (const { id, segments } of this.tracks) {
      if (!tracks.has(id)) continue;
      for (const { start, stop } of segments) {
        if (stop < time) continue;
        next = Math.min(next ?? Number.POSITIVE_INFINITY, Math.max(time, start));
      }
    }
    return next;
  }

  #segments(): readonly TimelineSegment[] {
    return this.tracks.flatMap(({ segments }) => segments);
  }

  #segmentsOf(track: number): readonly TimelineSegment[] {
    return this.tracks.find(({ id }) => id === track)?.segments ?? [];
  }
}
