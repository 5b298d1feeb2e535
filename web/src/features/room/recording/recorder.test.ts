// @vitest-environment node
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildClock, buildStream, FakeMediaRecorder } from './fake-recorder.ts';
import { Recorder, type RecorderParts } from './recorder.ts';
import { SegmentStore } from './segment-store.ts';
import { StorageFull } from './storage-full.ts';

let store: SegmentStore;
let clock: ReturnType<typeof buildClock>;
let finished: string[];
let problems: string[];
beforeEach(() => {
  store = new SegmentStore();
  clock = buildClock();
  finished = [];
  problems = [];
  FakeMediaRecorder.all = [];
});
afterEach(() => store.destroy());

function buildRecorder(parts: Partial<RecorderParts> = {}): Recorder {
  let ids = 0;
  return new Recorder({
    store,
    clock,
    owner: '1:7',
    appointmentUid: 'a'.repeat(32),
    page: 'page',
    newId: () => `segment-${(ids += 1)}`,
    createRecorder: (stream, options) => new FakeMediaRecorder(stream, options),
    isTypeSupported: () => true,
    segmentMs: 60_000,
    onFinished: (id) => finished.push(id),
    onProblem: (problem) => problems.push(problem),
    ...parts,
  });
}
const stored = async () =>
  (await store.list('1:7')).map(({ id, userId, started, stopped }) => [id, userId, started, stopped]);
const contents = async () =>
  Promise.all((await store.list('1:7')).map(async (one) => new Blob(await store.read(one)).text()));

describe('Recorder', () => {
  test('records each device in segments; the next one begins before the present one ends @CONST-5', async () => {
    const recorder = buildRecorder();
    const sources = [
      { peerId: 'D_7_desk', stream: buildStream('own') },
      { peerId: 'P_5_phone', stream: buildStream('theirs') },
    ];
    recorder.follow(sources);
    expect(FakeMediaRecorder.running().map(({ options }) => options)).toEqual(
      [0, 1].map(() => ({
        mimeType: 'video/mp4;codecs=vp9,opus',
        bitsPerSecond: 524_288,
        videoKeyFrameIntervalDuration: 2_000,
      })),
    );
    for (const running of FakeMediaRecorder.running()) running.emit(`${running.stream.id} 1 `);
    clock.advance(60_000);
    expect(FakeMediaRecorder.all).toHaveLength(4);
    expect(FakeMediaRecorder.running()).toHaveLength(2);
    clock.advance(5_000);
    await recorder.stop();
    expect(await stored()).toEqual([
      ['segment-1', 7, 1_000_000, 1_060_000],
      ['segment-2', 5, 1_000_000, 1_060_000],
      ['segment-3', 7, 1_060_000, 1_065_000],
      ['segment-4', 5, 1_060_000, 1_065_000],
    ]);
    expect(await contents()).toEqual(['own 1 end', 'theirs 1 end', 'end', 'end']);
    expect(finished.toSorted()).toEqual(['segment-1', 'segment-2', 'segment-3', 'segment-4']);
  });

  test('a new stream of a device: ends its segment and begins another', async () => {
    const recorder = buildRecorder();
    recorder.follow([{ peerId: 'P_5_phone', stream: buildStream('before') }]);
    clock.advance(3_000);
    recorder.follow([{ peerId: 'P_5_phone', stream: buildStream('after') }]);
    clock.advance(2_000);
    await recorder.stop();
    expect(await stored()).toEqual([
      ['segment-1', 5, 1_000_000, 1_003_000],
      ['segment-2', 5, 1_003_000, 1_005_000],
    ]);
  });

  test('another stream object of the same id, as after a new connection: is recorded in place of the first', async () => {
    const recorder = buildRecorder();
    const first = buildStream('one');
    recorder.follow([{ peerId: 'P_5_phone', stream: first }]);
    clock.advance(3_000);
    for (const track of first.getTracks()) Object.assign(track, { readyState: 'ended' });
    FakeMediaRecorder.running()[0]?.stop();
    const second = buildStream('one');
    recorder.follow([{ peerId: 'P_5_phone', stream: second }]);
    expect(FakeMediaRecorder.running().map(({ stream }) => stream)).toEqual([second]);
    recorder.follow([{ peerId: 'P_5_phone', stream: second }]);
    clock.advance(2_000);
    expect(FakeMediaRecorder.running()).toHaveLength(1);
    expect(FakeMediaRecorder.running()[0]?.stream).toBe(second);
    await recorder.stop();
    expect(await stored()).toEqual([
      ['segment-1', 5, 1_000_000, 1_003_000],
      ['segment-2', 5, 1_003_000, 1_005_000],
    ]);
  });

  test('a recorder that stops by itself, as when a track is added: is replaced', async () => {
    const recorder = buildRecorder();
    recorder.follow([{ peerId: 'P_5_phone', stream: buildStream('one') }]);
    FakeMediaRecorder.running()[0]?.stop();
    expect(FakeMediaRecorder.running()).toEqual([]);
    clock.advance(1_000);
    expect(FakeMediaRecorder.running()).toHaveLength(1);
    await recorder.stop();
    expect(await stored()).toHaveLength(2);
  });

  test('a busy page, whose events come late: a segment has the times of the calls', async () => {
    const recorder = buildRecorder({
      createRecorder: (stream, options) =>
        Object.assign(new FakeMediaRecorder(stream, options), {
          start(this: FakeMediaRecorder) {
            this.state = 'recording';
            clock.after(900, () => this.onstart?.call(this as never, new Event('start')));
          },
          stop(this: FakeMediaRecorder) {
            this.state = 'inactive';
            clock.after(700, () => FakeMediaRecorder.prototype.stop.call(this));
          },
        }),
    });
    recorder.follow([{ peerId: 'P_5_phone', stream: buildStream('one') }]);
    clock.advance(3_000);
    const stopping = recorder.stop();
    clock.advance(700);
    await stopping;
    expect(await stored()).toEqual([['segment-1', 5, 1_000_000, 1_003_000]]);
  });

  test('full storage: stops, says so once, and keeps what was stored', async () => {
    let isFull = false;
    const full: RecorderParts['store'] = {
      begin: (segment) => store.begin(segment),
      append: (...args) => (isFull ? Promise.reject(new StorageFull()) : store.append(...args)),
      finish: (...args) => store.finish(...args),
    };
    const recorder = buildRecorder({ store: full });
    recorder.follow([{ peerId: 'P_5_phone', stream: buildStream('one') }]);
    const [running] = FakeMediaRecorder.running();
    running?.emit('kept');
    await expect.poll(contents).toEqual(['kept']);
    isFull = true;
    running?.emit('lost');
    await expect.poll(() => running?.state).toBe('inactive');
    await recorder.stop();
    expect(problems).toEqual(['full']);
    expect(await contents()).toEqual(['kept']);
    expect(finished).toEqual(['segment-1']);
  });

  test('a device without a camera is recorded as sound; one without tracks later, when it has some', async () => {
    const recorder = buildRecorder();
    const none: ('audio' | 'video')[] = [];
    const later = buildStream('later', none);
    recorder.follow([
      { peerId: 'P_5_phone', stream: buildStream('sound', ['audio']) },
      { peerId: 'P_6_phone', stream: later },
    ]);
    expect(FakeMediaRecorder.all.map(({ options }) => options.mimeType)).toEqual(['audio/mp4;codecs=opus']);
    later.getTracks().push({ kind: 'video', readyState: 'live' } as MediaStreamTrack);
    clock.advance(1_000);
    expect(FakeMediaRecorder.running()).toHaveLength(2);
    await recorder.stop();
  });
});
