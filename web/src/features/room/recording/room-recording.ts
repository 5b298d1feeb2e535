import type { RecordingState } from '@roomside/contract/room/recording-calls.ts';
import type { Clock } from '../core/clock.ts';
import { createStore, type Store } from '../core/store.ts';
import type { Recorder, RecorderProblem, TrackSource } from './recorder.ts';

export type RecordingNotice =
  | { type: 'started' | 'stopped' | 'full' | 'failed' | 'unsupported' | 'uploaded' }
  /** `goesOn`: the others are still recorded. */
  | { type: 'refused'; name: string; goesOn: boolean }
  /** A request of this person failed; or the server does not accept a part of the recording. */
  | { type: 'error' | 'upload-refused'; error: unknown };

export interface RecordingView {
  state: RecordingState;
  /** This device records, or has asked to. */
  isMine: boolean;
  /** Media of this device or of others are being recorded here, or are being stored. */
  isActive: boolean;
  /** Start or stop was requested. */
  isBusy: boolean;
  /** This person has not answered yet. */
  question: { runId: number; name: string } | null;
}

/** Another device in the room. */
export interface Participant {
  readonly peerId: string;
  readonly stream: MediaStream | undefined;
}

/** What the room knows at a moment. */
export interface RoomNow {
  readonly people: readonly Participant[];
  /** Of this device. */
  readonly stream: MediaStream | undefined;
  /** This device is in the room on the server. */
  readonly online: boolean;
}

interface Parts {
  /** Of this device. */
  readonly peerId: string;
  readonly initial: RecordingState;
  readonly calls: {
    get(): Promise<RecordingState>;
    start(): Promise<RecordingState>;
    stop(): Promise<RecordingState>;
    answer(answer: { runId: number; streamId: string; allowed: boolean }): Promise<RecordingState>;
  };
  /** Undefined where this person may not record. */
  readonly recorder: Pick<Recorder, 'follow' | 'stop' | 'isRecording'> | undefined;
  readonly isSupported: () => boolean;
  readonly clock: Clock;
  readonly onNotice: (notice: RecordingNotice) => void;
}

/** The delay before a failed request that this person is not waiting for is repeated, ms. */
const retryMs = 2_000;
/** The time after which a recording without its device is off on the server, with a margin, ms. */
const absentMs = 15_000;

/**
 * The recording of one room, on one device. The server says whether it is asked for or runs, and who has allowed it; the device that
 * asked records its own stream and those whose persons have allowed it (STATE-18).
 */
export class RoomRecording {
  readonly view: Store<RecordingView>;
  readonly #parts: Parts;
  #now: RoomNow = { people: [], stream: undefined, online: false };
  /** The answer of this person to a question, and the stream that the server knows it for. */
  #answer: { runId: number; allowed: boolean; streamId: string } | undefined;
  /**
   * Whether this page makes the recording. After a reload the server still has the recording of this device; the page continues
   * it once it is in the room.
   */
  #intent: 'none' | 'record' | 'stop' = 'none';
  #isRecording = false;
  #storing = 0;
  #isClosed = false;
  /** Of what {@link #enter} could not do. */
  #cancelRetry: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#intent = parts.recorder && isOpenOf(parts.initial, parts.peerId) ? 'record' : 'none';
    this.view = createStore<RecordingView>({
      state: parts.initial,
      isMine: false,
      isActive: false,
      isBusy: false,
      question: null,
    });
    this.#update({});
  }

  /** ROLE-3: asks everyone in the room, or stops. */
  async toggle(): Promise<void> {
    const { state, isBusy } = this.view.get();
    if (isBusy) return;
    if (state.status === 'off') await this.start();
    else await this.stop();
  }

  async start(): Promise<void> {
    if (!this.#parts.isSupported()) return this.#parts.onNotice({ type: 'unsupported' });
    this.#intent = 'record';
    await this.#request(
      () => this.#parts.calls.start(),
      () => {
        this.#intent = 'none';
        // The server may have begun it although its answer was lost: then it ends.
        return this.#enter();
      },
    );
  }

  async stop(): Promise<void> {
    // The recorder stops now, also when the server cannot be reached.
    this.#intent = 'stop';
    this.#update({});
    await this.#request(
      () => this.#parts.calls.stop(),
      () => this.#enter(),
    );
  }

  /** This person's answer to the question. */
  async answer(allowed: boolean): Promise<void> {
    const { question } = this.view.get();
    if (!question) return;
    const given = { runId: question.runId, allowed, streamId: this.#now.stream?.id ?? '' };
    this.#answer = given;
    this.#update({});
    try {
      this.#take(await this.#parts.calls.answer(given));
    } catch (error) {
      const stored = await this.#parts.calls.get().catch(() => undefined);
      const isStored = stored?.answers.some(
        (one) => one.peerId === this.#parts.peerId && one.streamId === given.streamId && one.allowed === given.allowed,
      );
      if (stored && isStored && stored.runId === given.runId) return this.#take(stored);
      // Asks again: without the server's confirmation nothing is recorded.
      if (this.#answer === given) this.#answer = undefined;
      this.#update({});
      this.#parts.onNotice({ type: 'error', error });
    }
  }

  /** The server has pushed a new state. */
  receive(state: RecordingState): void {
    this.#take(state);
  }

  /** The room has changed: people, streams, or the connection to the server. */
  follow(now: RoomNow): void {
    const before = this.#now;
    this.#now = now;
    if (now.online && !before.online) void this.#enter();
    else if (now.online && keyOf(before) !== keyOf(now)) void this.#peopleChanged();
    this.#update({});
    void this.#repeatAnswer();
  }

  /** The room was left. Resolves when everything is stored. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    const wasMine = isOpenOf(this.view.get().state, this.#parts.peerId) && this.#intent !== 'none';
    this.#isClosed = true;
    // Not while another tab has the visit, and may go on recording. A recording without its device ends by itself.
    if (wasMine && this.#now.online) void this.#parts.calls.stop().catch(() => undefined);
    await this.#parts.recorder?.stop();
  }

  /** The recorder cannot store: what is stored is kept, and the recording stops. */
  problem(problem: RecorderProblem): void {
    this.#parts.onNotice({ type: problem });
    if (this.#intent === 'record') void this.stop();
  }

  /** In the room, for the first time or again, or after a request that failed. Pushes may have been missed. */
  async #enter(): Promise<void> {
    const { calls, peerId } = this.#parts;
    this.#cancelRetry?.();
    try {
      const state = await calls.get();
      if (this.#isClosed) return;
      this.#take(state);
      if (!isOpenOf(state, peerId)) return;
      // A recording of an earlier page that was closed for longer ends: no one expects it to go on.
      this.#take(await (this.#intent === 'record' ? calls.start() : calls.stop()));
    } catch {
      this.#cancelRetry?.();
      this.#cancelRetry = this.#parts.clock.after(retryMs, () => {
        if (!this.#isClosed && this.#now.online) void this.#enter();
      });
    }
  }

  /** Someone came or left: a question may have its last answer; a recording whose device has left is off. */
  async #peopleChanged(): Promise<void> {
    const { calls, peerId } = this.#parts;
    const { state } = this.view.get();
    try {
      if (state.status === 'asking' && isOpenOf(state, peerId) && this.#intent === 'record')
        this.#take(await calls.start());
      else if (state.status !== 'off' && state.peerId !== peerId) {
        this.#take(await calls.get());
        if (!this.#now.people.some((one) => one.peerId === state.peerId)) this.#readLater();
      }
    } catch {
      // The next change or connection reads it again.
    }
  }

  /** The server waits for a device that may be reloading. */
  #readLater(): void {
    this.#parts.clock.after(absentMs, () => {
      const { state } = this.view.get();
      if (this.#isClosed || !this.#now.online || state.status === 'off') return;
      void this.#parts.calls.get().then(
        (read) => this.#take(read),
        () => undefined,
      );
    });
  }

  /** A new stream of this person, who has allowed the recording on this page, is covered by the same answer. */
  async #repeatAnswer(): Promise<void> {
    const { state } = this.view.get();
    const streamId = this.#now.stream?.id ?? '';
    const given = this.#answer;
    if (!given?.allowed || given.runId !== state.runId || state.status === 'off' || !this.#now.online) return;
    if (streamId === '' || streamId === given.streamId) return;
    const next = { ...given, streamId };
    this.#answer = next;
    await this.#parts.calls.answer(next).then(
      (answered) => this.#take(answered),
      () => {
        // Without a confirmation the stream is not recorded, and the next change tries again.
        if (this.#answer === next) this.#answer = given;
      },
    );
  }

  async #request(send: () => Promise<RecordingState>, onFailed: () => Promise<void>): Promise<void> {
    this.#update({ isBusy: true });
    try {
      this.#take(await send());
    } catch (error) {
      this.#parts.onNotice({ type: 'error', error });
      // What it sends may take long on a network that is gone.
      await Promise.race([onFailed(), this.#passed(retryMs)]);
    }
    this.#update({ isBusy: false });
  }

  #passed(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.clock.after(ms, resolve));
  }

  #take(state: RecordingState): void {
    if (this.#isClosed) return;
    const before = this.view.get().state;
    // An answer that was under way when the recording changed, or a newer one began.
    if (state.runId < before.runId || (state.runId === before.runId && state.change < before.change)) return;
    this.#announce(before, state);
    if (state.status === 'off' && this.#intent !== 'none' && state.runId >= before.runId) {
      const wasOpen = isOpenOf(before, this.#parts.peerId);
      if (wasOpen || this.#intent === 'stop') this.#intent = 'none';
    }
    this.#update({ state });
    void this.#repeatAnswer();
  }

  /** STATE-18: notices for the person who records, except of what they did. */
  #announce(before: RecordingState, state: RecordingState): void {
    const { peerId, onNotice } = this.#parts;
    if (state.peerId !== peerId || !this.#parts.recorder) return;
    const known = before.runId === state.runId ? before.answers : [];
    for (const { peerId: of, name, allowed, streamId } of state.answers) {
      const isNew = !known.some((one) => one.peerId === of && one.streamId === streamId && !one.allowed);
      if (!allowed && isNew && of !== peerId) onNotice({ type: 'refused', name, goesOn: state.status === 'running' });
    }
    const wasRunning = before.status === 'running' && before.runId === state.runId;
    if (state.status === 'running' && !wasRunning) onNotice({ type: 'started' });
    if (state.status === 'off' && wasRunning && this.#intent !== 'stop') onNotice({ type: 'stopped' });
  }

  #update(part: Partial<Pick<RecordingView, 'state' | 'isBusy'>>): void {
    const view = { ...this.view.get(), ...part };
    const { recorder, peerId } = this.#parts;
    const { state } = view;
    const isOpen = isOpenOf(state, peerId);
    if (recorder && !this.#isClosed) {
      recorder.follow(this.#sources(state));
      if (this.#isRecording && !recorder.isRecording) this.#store();
      this.#isRecording = recorder.isRecording;
    }
    const isUnanswered = state.status !== 'off' && state.peerId !== peerId && this.#answer?.runId !== state.runId;
    this.view.set({
      ...view,
      isMine: isOpen && this.#intent === 'record',
      isActive: recorder !== undefined && (recorder.isRecording || this.#storing > 0),
      question: isUnanswered && this.#now.online ? { runId: state.runId, name: state.name } : null,
    });
  }

  /** The streams to record: no one alone, and no one who has not allowed it. */
  #sources(state: RecordingState): TrackSource[] {
    const { people, stream } = this.#now;
    if (state.status !== 'running' || state.peerId !== this.#parts.peerId || this.#intent !== 'record') return [];
    if (people.length === 0) return [];
    const others = people.flatMap(({ peerId, stream: theirs }): TrackSource[] =>
      theirs && state.answers.some((one) => one.peerId === peerId && one.allowed && one.streamId === theirs.id)
        ? [{ peerId, stream: theirs }]
        : [],
    );
    return stream ? [{ peerId: this.#parts.peerId, stream }, ...others] : others;
  }

  #store(): void {
    this.#storing += 1;
    void this.#parts.recorder?.stop().finally(() => {
      this.#storing -= 1;
      this.#update({});
    });
  }
}

/** Whether a recording is asked for or runs, by this device. */
const isOpenOf = ({ status, peerId }: RecordingState, device: string): boolean => status !== 'off' && peerId === device;

const keyOf = ({ people }: RoomNow): string =>
  people
    .map(({ peerId }) => peerId)
    .toSorted()
    .join(' ');
