import { beforeEach, describe, expect, test } from 'vitest';
import { Player, type Screen } from './player.ts';
import { Timeline } from './timeline.ts';

/** Two tracks: A is recorded from 0 to 10 s and from 20 to 30 s, B from 5 to 10 s. */
const segments = {
  a1: { id: 'a1', start: 0, stop: 10_000 },
  a2: { id: 'a2', start: 20_000, stop: 30_000 },
  b1: { id: 'b1', start: 5_000, stop: 10_000 },
};
const timeline = new Timeline([
  { id: 1, segments: [segments.a1, segments.a2] },
  { id: 2, segments: [segments.b1] },
]);

describe('Timeline', () => {
  test('at: includes both ends; where two segments meet it is the later one', () => {
    const touching = new Timeline([{ id: 1, segments: [segments.a1, { id: 'next', start: 10_000, stop: 12_000 }] }]);
    expect([0, 9_999, 10_000, 12_000, 12_001].map((time) => touching.at(1, time)?.id)).toEqual([
      'a1',
      'a1',
      'next',
      'next',
      undefined,
    ]);
  });

  test('overlapping: includes segments that only touch', () => {
    expect(timeline.overlapping(2, segments.a1)?.id).toBe('b1');
    expect(timeline.overlapping(2, segments.a2)).toBeUndefined();
    expect(timeline.overlapping(2, { start: 10_000, stop: 20_000 })?.id).toBe('b1');
  });

  test('nextRecorded: the time itself, the next start of the tracks, or none', () => {
    expect(timeline.nextRecorded(7_000, new Set([1, 2]))).toBe(7_000);
    expect(timeline.nextRecorded(12_000, new Set([1, 2]))).toBe(20_000);
    expect(timeline.nextRecorded(12_000, new Set([2]))).toBeUndefined();
    expect([timeline.start, timeline.end]).toEqual([0, 30_000]);
  });
});

/** A video element whose playback follows the test's clock. */
class TestScreen implements Screen {
  segment: string | undefined;
  duration = 10;
  isReady = true;
  rate = 0;
  /** Runs this much slower or faster than it should. */
  skew = 1;
  #from = 0;
  #since = 0;

  get position(): number {
    return Math.min(this.duration, this.#from + ((now - this.#since) / 1000) * this.rate * this.skew);
  }
  load(segment: string, position: number): void {
    this.segment = segment;
    this.duration = segment === 'b1' ? 5 : 10;
    this.seek(position);
  }
  seek(position: number): void {
    this.#from = position;
    this.#since = now;
  }
  play(rate: number): void {
    this.seek(this.position);
    this.rate = rate;
  }
  pause(): void {
    this.seek(this.position);
    this.rate = 0;
  }
}

let now = 0;
let player: Player;
let a: TestScreen;
let b: TestScreen;

beforeEach(() => {
  now = 1_000_000;
  player = new Player(timeline, () => now);
  [a, b] = [new TestScreen(), new TestScreen()];
  player.attach(1, a);
  player.attach(2, b);
});

function run(ms: number): void {
  for (const until = now + ms; now < until; ) {
    now += 100;
    player.tick();
  }
}
const shown = (screen: TestScreen) => [screen.segment, Math.round(screen.position * 10) / 10, screen.rate > 0];

describe('Player', () => {
  test('plays every track by one clock, and pauses one that was not recorded', () => {
    player.play();
    run(3_000);
    expect([shown(a), shown(b)]).toEqual([
      ['a1', 3, true],
      ['b1', 0, false],
    ]);
    run(4_000);
    expect([shown(a), shown(b)]).toEqual([
      ['a1', 7, true],
      ['b1', 2, true],
    ]);
  });

  test('skips what no shown track has, and at the end stops and rewinds all', () => {
    player.play();
    run(12_100);
    expect(shown(a)).toEqual(['a2', 2, true]);
    run(8_000);
    expect(player.get()).toMatchObject({ playing: false, position: 0 });
    expect([shown(a), shown(b)]).toEqual([
      ['a1', 0, false],
      ['b1', 0, false],
    ]);
  });

  test('a segment that is selected: the others go to their overlapping one, or pause', () => {
    player.play();
    player.select(segments.b1);
    expect([shown(a), shown(b)]).toEqual([
      ['a1', 5, true],
      ['b1', 0, true],
    ]);
    player.select(segments.a2);
    expect([shown(a), b.rate]).toEqual([['a2', 0, true], 0]);
    // Begins later in the selected segment: waits at its start.
    player.select(segments.a1);
    expect([shown(a), shown(b)]).toEqual([
      ['a1', 0, true],
      ['b1', 0, false],
    ]);
  });

  test('tracks that run too fast or too slow stay within 200 ms of each other', () => {
    [a.skew, b.skew] = [1.05, 0.93];
    player.select(segments.b1);
    player.play();
    let worst = 0;
    for (let step = 0; step < 45; step += 1) {
      run(100);
      worst = Math.max(worst, Math.abs(a.position - 5 - b.position));
    }
    expect(worst).toBeLessThan(0.2);
  });

  test('a track that is loading: the others wait, but not for ever', () => {
    player.select(segments.b1);
    b.isReady = false;
    player.play();
    run(3_000);
    expect([player.get().waiting, player.get().position, a.rate]).toEqual([true, 5_000, 0]);
    b.isReady = true;
    run(1_000);
    expect([player.get().waiting, a.rate > 0]).toEqual([false, true]);
    b.isReady = false;
    run(10_000);
    expect(player.get().position).toBeGreaterThan(7_000);
  });

  test('position: follows the speed, and steps and seeking end at the limits of the recording', () => {
    player.setRate(2);
    player.play();
    run(2_000);
    expect(player.get().position).toBe(4_000);
    player.pause();
    player.seekBy(-5_000);
    expect([player.get().position, shown(a)]).toEqual([0, ['a1', 0, false]]);
    player.seek(99_000);
    expect(player.get().position).toBe(30_000);
  });

  test('closed tracks are silent, and can be restored', () => {
    player.select(segments.b1);
    player.play();
    player.hide(2);
    expect([b.rate, [...player.get().hidden]]).toEqual([0, [2]]);
    run(1_000);
    player.restore();
    expect(shown(b)).toEqual(['b1', 1, true]);
  });

  test('other tracks: position, closed tracks and playback stay; after the new end it goes to it', () => {
    player.hide(2);
    player.play();
    run(3_000);
    player.follow(
      new Timeline([
        { id: 1, segments: [segments.a1, segments.a2] },
        { id: 2, segments: [segments.b1, { id: 'b2', start: 31_000, stop: 40_000 }] },
      ]),
    );
    expect(player.get()).toMatchObject({ playing: true, position: 3_000, hidden: new Set([2]) });
    expect(shown(a)).toEqual(['a1', 3, true]);
    player.seek(25_000);
    player.follow(new Timeline([{ id: 2, segments: [segments.b1] }]));
    expect(player.get()).toMatchObject({ playing: true, position: 10_000 });
    run(200);
    expect(player.get()).toMatchObject({ playing: false, position: 5_000 });
  });

  test('a track that is over rests at its end, also when its element has forgotten the position', () => {
    player.select(segments.b1);
    player.play();
    run(5_500);
    expect(player.get().position).toBeGreaterThan(10_000);
    b.seek(0);
    run(100);
    expect(shown(b)).toEqual(['b1', 5, false]);
  });

  test('other tracks: one that rests at its end stays there', () => {
    const tracks = () => [
      { id: 1, segments: [segments.a1] },
      { id: 2, segments: [{ id: 'b2', start: 10_000, stop: 14_000 }] },
    ];
    player.follow(new Timeline(tracks()));
    player.select({ id: 'b2', start: 10_000, stop: 14_000 });
    player.play();
    run(1_000);
    expect(shown(a)).toEqual(['a1', 10, false]);
    player.follow(new Timeline(tracks()));
    expect(shown(a)).toEqual(['a1', 10, false]);
  });

  test('a recording that is shorter than its period: rests at its end', () => {
    player.play();
    run(1_000);
    a.duration = 9.5;
    run(8_700);
    expect([a.rate, player.get().playing]).toEqual([0, true]);
  });
});
