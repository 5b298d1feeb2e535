import type { RecordingState } from '@roomside/contract/room/recording-calls.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { buildClock, buildStream } from './fake-recorder.ts';
import type { TrackSource } from './recorder.ts';
import { type Participant, type RecordingNotice, RoomRecording } from './room-recording.ts';

const none: RecordingState = { status: 'off', runId: 0, change: 0, peerId: '', name: '', answers: [], recorded: false };
const doctorId = 'D_7_desk';
const patientId = 'P_5_phone';

/** The server's side, as in server/src/features/room/recording-state.ts, for a doctor and one patient. */
let server: RecordingState;
let isServerAway: boolean;
/** The state is not returned for now. */
let isReadHeld: boolean;
/** The next request is done, and its answer is lost. */
let isAnswerLost: boolean;
let clock: ReturnType<typeof buildClock>;
const pages = new Set<RoomRecording>();
beforeEach(() => {
  server = none;
  isServerAway = false;
  isAnswerLost = false;
  isReadHeld = false;
  clock = buildClock();
  pages.clear();
});

function set(part: Partial<RecordingState>): RecordingState {
  server = { ...server, change: server.change + 1, ...part };
  for (const page of pages) page.receive(server);
  return server;
}

function callsOf(peerId: string) {
  const asked = async (work: () => RecordingState) => {
    if (isServerAway) throw new Error('away');
    const result = work();
    if (!isAnswerLost) return result;
    isAnswerLost = false;
    throw new Error('lost');
  };
  return {
    get: () => (isReadHeld ? new Promise<RecordingState>(() => undefined) : asked(() => server)),
    start: () =>
      asked(() =>
        server.status === 'off'
          ? set({ status: 'asking', runId: server.runId + 1, change: 0, peerId, name: 'Maya Reyes', answers: [] })
          : server,
      ),
    stop: () => asked(() => set({ status: 'off' })),
    answer: ({ streamId, allowed }: { streamId: string; allowed: boolean }) =>
      asked(() =>
        set({
          answers: [{ peerId, name: 'Ann Lee', streamId, allowed }],
          status: allowed ? 'running' : server.status === 'asking' ? 'off' : server.status,
        }),
      ),
  };
}

function open(peerId: string) {
  const notices: RecordingNotice[] = [];
  let recorded: readonly TrackSource[] = [];
  const recorder = {
    follow: (sources: readonly TrackSource[]) => {
      recorded = sources;
    },
    stop: async () => {
      recorded = [];
    },
    get isRecording() {
      return recorded.length > 0;
    },
  };
  const page = new RoomRecording({
    peerId,
    initial: server,
    calls: callsOf(peerId),
    recorder: peerId === doctorId ? recorder : undefined,
    isSupported: () => true,
    clock,
    onNotice: (notice) => notices.push(notice),
  });
  pages.add(page);
  return {
    page,
    notices: () => notices.map(({ type }) => type),
    recorded: () => recorded.map(({ stream }) => stream.id),
    question: () => page.view.get().question?.runId,
    close: () => pages.delete(page),
  };
}

const patientIn = (streamId = 'patient-1'): Participant[] => [{ peerId: patientId, stream: buildStream(streamId) }];
const own = buildStream('doctor-1');

/** A doctor and a patient in the room. */
function openBoth() {
  const [doctor, patient] = [open(doctorId), open(patientId)];
  doctor.page.follow({ people: patientIn(), stream: own, online: true });
  patient.page.follow({ people: [{ peerId: doctorId, stream: own }], stream: buildStream('patient-1'), online: true });
  return { doctor, patient };
}

describe('RoomRecording', () => {
  test('records the own stream and those of persons who have allowed it, and stops', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    expect([doctor.recorded(), patient.question(), doctor.question()]).toEqual([[], 1, undefined]);
    await patient.page.answer(true);
    expect(doctor.recorded()).toEqual(['doctor-1', 'patient-1']);
    expect([patient.question(), patient.page.view.get().state.status]).toEqual([undefined, 'running']);
    await doctor.page.stop();
    expect(doctor.recorded()).toEqual([]);
    await expect.poll(() => doctor.page.view.get().isActive).toBe(false);
    expect(doctor.notices()).toEqual(['started']);
  });

  test('a refusal: nothing is recorded, and the provider sees who has refused', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(false);
    expect([doctor.recorded(), doctor.notices(), patient.question()]).toEqual([[], ['refused'], undefined]);
  });

  test('a patient who reloads: is not recorded and is asked again', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    patient.close();
    const reloaded = open(patientId);
    reloaded.page.follow({ people: [], stream: buildStream('patient-2'), online: true });
    doctor.page.follow({ people: patientIn('patient-2'), stream: own, online: true });
    expect([doctor.recorded(), reloaded.question()]).toEqual([['doctor-1'], 1]);
    await reloaded.page.answer(false);
    expect([doctor.recorded(), doctor.notices().at(-1)]).toEqual([['doctor-1'], 'refused']);
  });

  test('a new stream of the same page: is covered by the same answer', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    patient.page.follow({ people: [], stream: buildStream('patient-2'), online: true });
    doctor.page.follow({ people: patientIn('patient-2'), stream: own, online: true });
    await expect.poll(doctor.recorded).toEqual(['doctor-1', 'patient-2']);
    expect(patient.question()).toBeUndefined();
  });

  test('another provider stops it: the one who records sees that', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    set({ status: 'off' });
    expect([doctor.recorded(), doctor.notices()]).toEqual([[], ['started', 'stopped']]);
  });

  test('a state that arrives after a newer one: changes nothing', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    const asking = server;
    await patient.page.answer(true);
    const running = server;
    doctor.page.receive(asking);
    expect(doctor.recorded()).toEqual(['doctor-1', 'patient-1']);
    await doctor.page.stop();
    for (const late of [running, asking]) for (const { page } of [doctor, patient]) page.receive(late);
    expect([doctor.recorded(), patient.question(), patient.page.view.get().state.status]).toEqual([
      [],
      undefined,
      'off',
    ]);
    expect(doctor.notices()).toEqual(['started']);
  });

  test('no one is recorded alone', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    doctor.page.follow({ people: [], stream: own, online: true });
    expect(doctor.recorded()).toEqual([]);
  });

  test('device after a reload: continues its recording; one that is off meanwhile stays off', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    doctor.close();
    const reloaded = open(doctorId);
    reloaded.page.follow({ people: patientIn(), stream: own, online: true });
    await expect.poll(reloaded.recorded).toEqual(['doctor-1', 'patient-1']);
    reloaded.close();
    // The server reports it as off to a page that was away for longer, until the device is in the room again.
    const running = server;
    server = { ...running, status: 'off' };
    const later = open(doctorId);
    server = running;
    later.page.follow({ people: patientIn(), stream: own, online: true });
    await expect.poll(() => server.status).toBe('off');
    expect(later.recorded()).toEqual([]);
  });

  test('a tab whose visit has moved to another one: is closed without ending the recording that goes on there', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    const second = open(doctorId);
    doctor.page.follow({ people: [], stream: undefined, online: false });
    doctor.close();
    second.page.follow({ people: patientIn(), stream: own, online: true });
    await expect.poll(second.recorded).toEqual(['doctor-1', 'patient-1']);
    await doctor.page.close();
    expect([server.status, second.recorded()]).toEqual(['running', ['doctor-1', 'patient-1']]);
    await second.page.close();
    expect(server.status).toBe('off');
  });

  test('stop without a connection: the recorder stops, and the server is informed later', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    isServerAway = true;
    doctor.page.follow({ people: patientIn(), stream: own, online: false });
    expect(doctor.recorded()).toEqual(['doctor-1', 'patient-1']);
    await doctor.page.stop();
    expect([doctor.recorded(), doctor.notices().at(-1), server.status]).toEqual([[], 'error', 'running']);
    isServerAway = false;
    doctor.page.follow({ people: patientIn(), stream: own, online: true });
    await expect.poll(() => patient.page.view.get().state.status).toBe('off');
  });

  test('start whose answer is lost: nothing is shown as recorded that is not', async () => {
    const { doctor, patient } = openBoth();
    isAnswerLost = true;
    await doctor.page.start();
    expect(doctor.notices()).toEqual(['error']);
    await expect.poll(() => server.status).toBe('off');
    expect([patient.question(), doctor.page.view.get().isMine]).toEqual([undefined, false]);
  });

  test('stop that fails while the room is connected: is repeated', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    isServerAway = true;
    await doctor.page.stop();
    expect([doctor.recorded(), server.status]).toEqual([[], 'running']);
    isServerAway = false;
    const later = () => {
      clock.advance(2_000);
      return server.status;
    };
    await expect.poll(later).toBe('off');
  });

  test('stop that fails on a network that is gone: another try is possible after two seconds', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    isServerAway = true;
    isReadHeld = true;
    const stopped = doctor.page.stop();
    await expect.poll(() => doctor.notices()).toContain('error');
    expect(doctor.page.view.get().isBusy).toBe(true);
    clock.advance(2_000);
    await stopped;
    expect(doctor.page.view.get().isBusy).toBe(false);
  });

  test('answer whose confirmation is lost: is not asked for again', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    isAnswerLost = true;
    await patient.page.answer(true);
    expect([patient.question(), patient.notices()]).toEqual([undefined, []]);
    expect(doctor.recorded()).toEqual(['doctor-1', 'patient-1']);
  });

  test('an answer that the server did not get: is asked for again', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    isServerAway = true;
    await patient.page.answer(true);
    expect([patient.question(), patient.notices(), doctor.recorded()]).toEqual([1, ['error'], []]);
  });

  test('full storage: the recording ends for everyone', async () => {
    const { doctor, patient } = openBoth();
    await doctor.page.start();
    await patient.page.answer(true);
    doctor.page.problem('full');
    await expect.poll(() => patient.page.view.get().state.status).toBe('off');
    expect([doctor.recorded(), doctor.notices()]).toEqual([[], ['started', 'full']]);
  });
});
