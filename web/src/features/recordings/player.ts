import type { Timeline, TimelineSegment } from './timeline.ts';

/** A video element that plays the segments of one track. Times are seconds of the segment. */
export interface Screen {
  /** The segment that is loaded or loading. */
  readonly segment: string | undefined;
  readonly position: number;
  /** Of the loaded segment; Infinity while it is not known. */
  readonly duration: number;
  /** It can play from its position. */
  readonly isReady: boolean;
  /** Loads a segment and goes to a position. */
  load(segment: string, position: number): void;
  seek(position: number): void;
  play(rate: number): void;
  pause(): void;
}

export interface PlayerView {
  playing: boolean;
  /** ms since 1970. */
  position: number;
  rate: number;
  /** A track is loading, and the others wait for it. */
  waiting: boolean;
  /** Tracks that were closed. */
  hidden: ReadonlySet<number>;
}

/** Playback rates to choose from. */
export const rates = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;

/** A track this far from the clock is moved, s: two tracks are never 200 ms apart. */
const maxDrift = 0.1;
/** A track this far from the clock is played a little faster or slower, s. */
const smallDrift = 0.04;
/** How much faster or slower. */
const correction = 0.08;
/** A track that is paused is moved when it is this far from the clock, s. */
const pausedDrift = 0.05;
/** How long the others wait for a track that is loading, ms. */
const maxWaitMs = 8_000;
/** This far before its end a segment counts as played, s. */
const endMargin = 0.06;

/**
 * Plays all tracks of a recording by one clock (STATE-29). Each track shows its segment of the clock's time, and none where it was not
 * recorded. Periods in which no shown track was recorded are skipped. Call `tick` several times per second.
 */
export class Player {
  #timeline: Timeline;
  readonly #now: () => number;
  readonly #screens = new Map<number, Screen>();
  readonly #listeners = new Set<() => void>();
  #view: PlayerView;
  /** When the clock was last moved, ms. */
  #movedAt = 0;
  #waitingSince: number | undefined;

  constructor(timeline: Timeline, now: () => number) {
    this.#timeline = timeline;
    this.#now = now;
    this.#view = { playing: false, position: timeline.start, rate: 1, waiting: false, hidden: new Set() };
  }

  readonly get = (): PlayerView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Goes on with other tracks or segments: one was deleted, or one more has arrived. Position, closed tracks and rate stay. */
  follow(timeline: Timeline): void {
    if (timeline === this.#timeline) return;
    this.#timeline = timeline;
    const { start, end } = timeline;
    this.#set({ position: Math.min(end, Math.max(start, this.#view.position)) });
    this.#sync();
    for (const { id } of timeline.tracks) this.#prepare(id);
  }

  /** Connects a track's element; returns a function that disconnects it. */
  attach(track: number, screen: Screen): () => void {
    this.#screens.set(track, screen);
    this.#sync();
    this.#prepare(track);
    return () => {
      if (this.#screens.get(track) === screen) this.#screens.delete(track);
    };
  }

  toggle(): void {
    if (this.#view.playing) this.pause();
    else this.play();
  }

  play(): void {
    this.#movedAt = this.#now();
    this.#set({ playing: true });
    this.#sync();
  }

  pause(): void {
    this.#set({ playing: false, waiting: false });
    this.#sync();
  }

  /** Stops and rewinds all tracks. */
  stop(): void {
    this.#set({ playing: false, waiting: false, position: this.#timeline.start });
    this.#sync();
    for (const { id } of this.#timeline.tracks) this.#rewind(id);
  }

  /** Goes to a time; outside of the recording to its nearest end. */
  seek(time: number): void {
    const { start, end } = this.#timeline;
    this.#movedAt = this.#now();
    this.#waitingSince = undefined;
    this.#set({ position: Math.min(end, Math.max(start, time)) });
    this.#sync();
  }

  seekBy(ms: number): void {
    this.seek(this.#view.position + ms);
  }

  /**
   * Goes to the start of a segment. The others go to their overlapping segment; one that begins later waits at its start, and one
   * without an overlap pauses.
   */
  select(segment: TimelineSegment): void {
    this.seek(segment.start);
    for (const { id } of this.#timeline.tracks) {
      if (this.#timeline.at(id, segment.start)) continue;
      const next = this.#timeline.overlapping(id, segment);
      const screen = this.#screens.get(id);
      if (next && screen) showStart(screen, next);
    }
  }

  setRate(rate: number): void {
    this.#set({ rate });
    this.#sync();
  }

  /** Closes a track; its sound stops too. */
  hide(track: number): void {
    this.#set({ hidden: new Set([...this.#view.hidden, track]) });
    this.#sync();
  }

  /** Shows all closed tracks again. */
  restore(): void {
    this.#set({ hidden: new Set() });
    this.#sync();
  }

  /** Moves the clock and keeps the tracks with it. */
  tick(): void {
    if (!this.#view.playing) return;
    const now = this.#now();
    const passed = now - this.#movedAt;
    this.#movedAt = now;
    if (this.#isWaiting(now)) return this.#sync();
    const shown = this.#shown();
    const position = this.#timeline.nextRecorded(this.#view.position + passed * this.#view.rate, shown);
    // Every track has finished.
    if (position === undefined || position >= this.#timeline.end) return this.stop();
    this.#set({ position, waiting: false });
    this.#sync();
  }

  #shown(): ReadonlySet<number> {
    return new Set(this.#timeline.tracks.map(({ id }) => id).filter((id) => !this.#view.hidden.has(id)));
  }

  /** Whether a track that should play is still loading. */
  #isWaiting(now: number): boolean {
    const isLoading = [...this.#screens].some(([track, screen]) => {
      const segment = this.#segmentOf(track);
      return segment !== undefined && screen.segment === segment.id && !screen.isReady && !isPlayed(screen);
    });
    if (!isLoading) {
      this.#waitingSince = undefined;
      return false;
    }
    this.#waitingSince ??= now;
    if (now - this.#waitingSince > maxWaitMs) return false;
    this.#set({ waiting: true });
    return true;
  }

  #segmentOf(track: number): TimelineSegment | undefined {
    return this.#view.hidden.has(track) ? undefined : this.#timeline.at(track, this.#view.position);
  }

  #sync(): void {
    for (const [track, screen] of this.#screens) {
      const segment = this.#segmentOf(track);
      if (segment) this.#align(screen, segment);
      else this.#rest(track, screen);
    }
  }

  /** A track that is not recorded now pauses, after a segment at its end. A browser may forget a position that was set while it loaded. */
  #rest(track: number, screen: Screen): void {
    screen.pause();
    const { segments = [] } = this.#timeline.tracks.find(({ id }) => id === track) ?? {};
    const shown = segments.find(({ id }) => id === screen.segment);
    const isOver = shown !== undefined && shown.stop < this.#view.position;
    if (isOver && Number.isFinite(screen.duration) && !isPlayed(screen)) screen.seek(screen.duration);
  }

  #align(screen: Screen, segment: TimelineSegment): void {
    const { playing, rate, waiting, position } = this.#view;
    const wanted = Math.max(0, (position - segment.start) / 1000);
    if (screen.segment !== segment.id) screen.load(segment.id, wanted);
    // What was recorded may be a little shorter than the time between start and stop.
    const target = Math.min(wanted, screen.duration);
    const drift = screen.position - target;
    const runs = playing && !waiting;
    const rests = !runs || (isPlayed(screen) && wanted >= screen.duration - endMargin);
    // Before it is moved: a video that still plays leaves the position.
    if (rests) screen.pause();
    if (Math.abs(drift) > (runs ? maxDrift : pausedDrift)) screen.seek(target);
    if (rests) return;
    const nudge = Math.abs(drift) > maxDrift || Math.abs(drift) < smallDrift ? 0 : -Math.sign(drift) * correction;
    screen.play(rate * (1 + nudge));
  }

  /** Shows the start of a track of which nothing is shown yet. */
  #prepare(track: number): void {
    const { segments = [] } = this.#timeline.tracks.find(({ id }) => id === track) ?? {};
    const shown = this.#screens.get(track)?.segment;
    if (!segments.some(({ id }) => id === shown)) this.#rewind(track);
  }

  /** Shows the start of a track that has nothing at the present time. */
  #rewind(track: number): void {
    const screen = this.#screens.get(track);
    const first = this.#timeline.tracks.find(({ id }) => id === track)?.segments[0];
    if (screen && first && !this.#segmentOf(track)) showStart(screen, first);
  }

  #set(part: Partial<PlayerView>): void {
    this.#view = { ...this.#view, ...part };
    for (const listener of [...this.#listeners]) listener();
  }
}

function showStart(screen: Screen, { id }: TimelineSegment): void {
  if (screen.segment === id) screen.seek(0);
  else screen.load(id, 0);
}

const isPlayed = ({ position, duration }: Screen): boolean => position >= duration - endMargin;
