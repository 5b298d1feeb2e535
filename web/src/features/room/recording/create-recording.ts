import { recordingSegmentMs } from '@roomside/contract/limits.ts';
import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { type MessagingClient, messageType } from '@roomside/contract/room/messages.ts';
import {
  answerRecording,
  getRecordingState,
  startRecording,
  stopRecording,
} from '@roomside/contract/room/recording-calls.ts';
import { send } from '../../../api/send.ts';
import { holdSignOut } from '../../../form/hold-sign-out.ts';
import type { Clock } from '../core/clock.ts';
import type { Store } from '../core/store.ts';
import { loadSegments, segmentStore } from './device-segments.ts';
import { currentOwner, holdPageLock, listUnfinished, pageId, uploadQueue } from './local-recordings.ts';
import { canRecordHere } from './media-type.ts';
import { Recorder } from './recorder.ts';
import { type Participant, type RecordingNotice, type RecordingView, RoomRecording } from './room-recording.ts';
import { mayHaveRecordings } from './stored-recordings.ts';
import { texts } from './texts.ts';
import type { QueueView } from './upload-queue.ts';

type Readable<T> = Pick<Store<T>, 'get' | 'subscribe'>;

/** What a recording needs to know of its room. */
interface RoomParts {
  readonly session: Readable<{
    readonly people: readonly (Participant & { readonly link: string })[];
    readonly online: boolean;
    readonly phase: { readonly name: string };
  }>;
  readonly media: Readable<{ readonly stream: MediaStream | undefined }>;
  readonly onNotify: (listener: MessagingClient['Notify']) => () => void;
}

interface Options {
  readonly visit: Teleappointment;
  /** Follows the server's time. */
  readonly clock: Clock;
  readonly onNotice: (notice: RecordingNotice) => void;
}

/** The recording of a room, as long as the room exists. */
export interface VisitRecording {
  readonly view: Store<RecordingView>;
  /** All uploads of this page. */
  readonly uploads: Store<QueueView>;
  /** This person may record here. */
  readonly mayRecord: boolean;
  toggle(): Promise<void>;
  answer(allowed: boolean): Promise<void>;
  /** The number of segments of this visit that the server has not confirmed. */
  left(): number;
  /** Follows the room. Returns a function that ends the recording, because the room is left. */
  start(room: RoomParts): () => void;
}

/** Creates the recording of a visit's room. */
export function createRecording({ visit, clock, onNotice }: Options): VisitRecording {
  const { appointmentUid: uid } = visit.appointment;
  const params = { uid };
  const mayRecord = visit.canRecord;
  const recorder = mayRecord ? createRecorder(uid, clock, (problem) => recording.problem(problem)) : undefined;
  const recording = new RoomRecording({
    peerId: visit.peerId,
    initial: visit.recording,
    calls: {
      get: () => send(getRecordingState, { params }),
      start: () => send(startRecording, { params }),
      stop: () => send(stopRecording, { params }),
      answer: (body) => send(answerRecording, { params, body }),
    },
    recorder,
    isSupported: canRecordHere,
    clock,
    onNotice,
  });
  return {
    view: recording.view,
    uploads: uploadQueue.view,
    mayRecord,
    toggle: () => recording.toggle(),
    answer: (allowed) => recording.answer(allowed),
    left: () => uploadQueue.leftOf(uid),
    start({ session, media, onNotify }) {
      const follow = () => {
        const { people, online, phase } = session.get();
        recording.follow({ people, stream: media.get().stream, online: online && phase.name === 'in' });
      };
      const share = () => {
        const { people } = session.get();
        const isBusy = recording.view.get().isActive && people.length > 0;
        uploadQueue.allow(!isBusy || (people.every(({ link }) => link === 'live') && !isSlow()));
      };
      const stops = [
        session.subscribe(follow),
        session.subscribe(share),
        media.subscribe(follow),
        recording.view.subscribe(share),
        onNotify((message) => {
          if (message.type === messageType.recordingChanged && message.session === uid) {
            recording.receive(message.recording);
          }
        }),
        uploadQueue.onDone(({ refused, left }) => {
          if (refused) onNotice({ type: 'upload-refused', error: refused });
          // Segments of a recording that goes on are of no interest.
          else if (left === 0 && !recording.view.get().isActive) onNotice({ type: 'uploaded' });
        }),
        holdSignOut(() => (recording.view.get().isActive ? texts.recording : undefined)),
      ];
      follow();
      if (mayRecord) void continueUploads(uid);
      return () => {
        for (const stop of stops) stop();
        uploadQueue.allow(true);
        void recording.close();
      };
    },
  };
}

function createRecorder(uid: string, clock: Clock, onProblem: (problem: 'full' | 'failed') => void): Recorder {
  return new Recorder({
    store: segmentStore,
    clock,
    owner: currentOwner() ?? '',
    appointmentUid: uid,
    page: pageId,
    newId: () => crypto.randomUUID(),
    createRecorder: (stream, options) => {
      holdPageLock();
      return new MediaRecorder(stream, options);
    },
    isTypeSupported: (type) => MediaRecorder.isTypeSupported(type),
    segmentMs: recordingSegmentMs,
    // A segment that cannot be listed now is found by the next page.
    onFinished: (id) => void uploadQueue.add([id]).catch(() => undefined),
    onProblem,
  });
}

/** Continues the uploads of this visit that an earlier page has left. */
async function continueUploads(uid: string): Promise<void> {
  const owner = currentOwner();
  if (owner === undefined) return;
  try {
    // Also for a recording that begins when the connection is slow or gone.
    await loadSegments();
    if (!(await mayHaveRecordings())) return;
    const left = await listUnfinished(owner);
    const ofVisit = left.filter(({ appointmentUid, refused }) => appointmentUid === uid && refused === null);
    await uploadQueue.add(ofVisit.map(({ id }) => id));
  } catch {
    // No storage: nothing was stored either.
  }
}

/** Where the browser knows that the connection is slow or expensive. */
function isSlow(): boolean {
  const { connection } = navigator as Navigator & { connection?: { effectiveType?: string; saveData?: boolean } };
  return connection?.saveData === true || /2g|3g/.test(connection?.effectiveType ?? '');
}
