// @vitest-environment node
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OfflineError, ProblemError } from '../../../api/problem.ts';
import { buildClock } from './fake-recorder.ts';
import { type Segment, SegmentStore } from './segment-store.ts';
import { UnreadableSegment } from './unreadable-segment.ts';
import { UploadQueue } from './upload-queue.ts';

let store: SegmentStore;
let clock: ReturnType<typeof buildClock>;
let sent: string[];
/** What the server answers to the next uploads; undefined = stored. */
let answers: (Error | undefined)[];
let owner: string | undefined;
let queue: UploadQueue;
const uid = 'a'.repeat(32);

beforeEach(() => {
  store = new SegmentStore();
  clock = buildClock();
  sent = [];
  answers = [];
  owner = '1:7';
  queue = new UploadQueue({
    store,
    clock,
    owner: () => owner,
    upload: async ({ id }, onProgress) => {
      sent.push(id);
      onProgress(1);
      const answer = answers.shift();
      if (answer) throw answer;
    },
  });
});
afterEach(() => store.destroy());

async function keep(id: string, values: Partial<Segment> = {}): Promise<void> {
  const ids = { appointmentUid: uid, roleId: 'P' as const, userId: 5, device: 'phone', page: 'page' };
  await store.begin({ id, owner: '1:7', ...ids, mediaType: 'video/mp4', started: 1_000, ...values });
  await store.append(id, new ArrayBuffer(10), 2_000);
  await store.finish(id, 3_000);
}
const left = async () => (await store.list('1:7')).map(({ id }) => id);
const isIdle = () => expect.poll(() => queue.view.get().status).toBe('idle');

describe('UploadQueue', () => {
  test('uploads one after another, oldest first, and deletes what the server has confirmed', async () => {
    await keep('second', { started: 2_000 });
    await keep('first');
    await queue.add(['first', 'second']);
    await isIdle();
    expect(sent).toEqual(['first', 'second']);
    expect(await left()).toEqual([]);
  });

  test('a segment that is looked up while another one is confirmed: is counted as left', async () => {
    await keep('first');
    await keep('second', { started: 2_000 });
    const stored = store.list.bind(store);
    const { promise: isFound, resolve: find } = Promise.withResolvers<void>();
    const lefts: number[] = [];
    queue.onDone((event) => lefts.push(event.left));
    await queue.add(['first']);
    store.list = async (of) => {
      await isFound;
      return stored(of);
    };
    const added = queue.add(['second']);
    await expect.poll(() => lefts).toEqual([1]);
    find();
    await added;
    await expect.poll(() => lefts).toEqual([1, 0]);
  });

  test('a failed try: is repeated after growing delays, and immediately when the device is online again', async () => {
    await keep('one');
    answers = [new OfflineError(), new ProblemError({ status: 503 }), new OfflineError(), undefined];
    await queue.add(['one']);
    const retries = (count: number) =>
      expect.poll(() => [sent.length, queue.view.get().status]).toEqual([count, 'retrying']);
    await retries(1);
    expect(queue.leftOf(uid)).toBe(1);
    clock.advance(2_000);
    await retries(2);
    clock.advance(2_000);
    expect(sent).toHaveLength(2);
    clock.advance(2_000);
    await retries(3);
    queue.retryNow();
    await isIdle();
    expect([sent.length, await left()]).toEqual([4, []]);
  });

  test('a refused segment: stays on the device and does not stop the others', async () => {
    await keep('refused');
    await keep('good', { started: 2_000 });
    answers = [new ProblemError({ status: 422, code: 'not-consented' })];
    const done: (string | undefined)[] = [];
    queue.onDone(({ segment, refused }) => done.push(`${segment.id} ${refused ? 'refused' : 'stored'}`));
    await queue.add(['refused', 'good']);
    await isIdle();
    expect(done).toEqual(['refused refused', 'good stored']);
    expect((await store.list('1:7')).map(({ id, refused }) => [id, refused])).toEqual([['refused', 'not-consented']]);
  });

  test('a segment that this device cannot read: is set aside and does not stop the others', async () => {
    await keep('broken');
    await keep('good', { started: 2_000 });
    answers = [new UnreadableSegment('broken')];
    await queue.add(['broken', 'good']);
    await isIdle();
    expect(sent).toEqual(['broken', 'good']);
    expect(queue.leftOf(uid)).toBe(0);
    expect((await store.list('1:7')).map(({ id, refused }) => [id, refused])).toEqual([['broken', 'unreadable']]);
  });

  test('another user’s segments: are not uploaded', async () => {
    await keep('theirs', { owner: '1:8' });
    await queue.add(['theirs']);
    expect(queue.view.get().left).toBe(0);
    await keep('mine');
    queue.allow(false);
    await queue.add(['mine']);
    owner = '1:8';
    queue.allow(true);
    await expect.poll(() => queue.view.get().status).toBe('waiting');
    expect(sent).toEqual([]);
    expect(await left()).toEqual(['mine']);
  });

  test('upload while the visit needs the connection: waits', async () => {
    queue.allow(false);
    await keep('one');
    await queue.add(['one']);
    expect(queue.view.get()).toEqual({ status: 'waiting', left: 1, sent: 0, total: 10 });
    expect(sent).toEqual([]);
    queue.allow(true);
    await isIdle();
    expect(sent).toEqual(['one']);
  });
});
