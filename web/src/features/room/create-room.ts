import {
  getTeleappointment,
  listMessages,
  saveVisitQuality,
  type Teleappointment,
} from '@roomside/contract/room/calls.ts';
import type { Reader } from '@roomside/contract/room/messages.ts';
import { send } from '../../api/send.ts';
import { hub } from '../../hub/hub.ts';
import { fullName } from '../../ui/full-name.ts';
import { IceServers } from './call/ice-servers.ts';
import { watchPage } from './call/network-watch.ts';
import { QualityReporter } from './call/quality-reporter.ts';
import { QualitySummary } from './call/quality-summary.ts';
import { RoomSession } from './call/room-session.ts';
import type { Notice } from './call/room-view.ts';
import { ChatLog } from './chat/chat.ts';
import { UnsentMessages } from './chat/unsent.ts';
import type { Clock } from './core/clock.ts';
import { isGuestPeer, parsePeerId } from './core/peer-id.ts';
import { channelsOf, createParts, type RoomParts, startParts } from './create-parts.ts';
import { holdOtherRoom } from './hold-other-room.ts';
import { blurInWorker } from './media/blur/camera-blur.ts';
import { type DeviceChange, DeviceList } from './media/device-list.ts';
import { type DeviceAnswer, DeviceReturn } from './media/device-return.ts';
import { LocalMedia } from './media/local-media.ts';
import { createRecording, type VisitRecording } from './recording/create-recording.ts';
import type { RecordingNotice } from './recording/room-recording.ts';
import { texts as recordingTexts } from './recording/texts.ts';
import { texts } from './texts.ts';

/** What happens in a room, for the page that shows it. */
export interface RoomEvents {
  onNotice: (notice: Notice) => void;
  onMessage: (name: string, text: string) => void;
  /** A device has come back and is in use, or a new one can be used. */
  onDevice: (answer: DeviceAnswer, change: DeviceChange) => void;
  onRecording: (notice: RecordingNotice) => void;
  /** The hub was closed for good, or the sign-in refused: the visit should be read again, which shows whether the sign-in is valid. */
  onCut: () => void;
  /** The visit or the patient's wait has changed: the visit should be read again. */
  onWaitingChanged: () => void;
  /** The device has entered the room again, after a new connection: what was pushed meanwhile should be read. */
  onReturned: () => void;
}

export interface Room extends RoomParts {
  session: RoomSession;
  media: LocalMedia;
  /** The cameras, microphones and speakers to choose from. */
  devices: DeviceList;
  chat: ChatLog;
  recording: VisitRecording;
  start(): void;
  /** Leaves the room and releases everything. Resolves with the number of unsent messages. */
  leave(): Promise<number>;
  /** Sends events to one listener, the last one; returns a function that stops it. */
  listen(events: RoomEvents): () => void;
}

interface Options {
  visit: Teleappointment;
  /** Follows the server's time. */
  clock: Clock;
  isPatient: boolean;
  userId: number | null;
}

function readerOf(peerId: string): Reader {
  const { role, personId } = parsePeerId(peerId);
  if (role === 'G') return { side: 'guest', guestId: personId };
  return { side: role === 'P' ? 'patient' : 'staff' };
}

/** TURN credentials last an hour; renewed halfway, so that a late call has enough left, ms. */
const renewIntervalMs = 30 * 60_000;

/** Wires the parts of one visit. Nothing runs before `start`. */
export function createRoom({ visit, clock, isPatient, userId }: Options): Room {
  const uid = visit.appointment.appointmentUid;
  const newId = () => crypto.randomUUID();
  let listener: RoomEvents | undefined;
  const stops: (() => void)[] = [];
  const iceServers = new IceServers({
    clock,
    initial: visit.iceServers,
    read: async () => (await send(getTeleappointment, { params: { uid } })).iceServers,
    onChange: (servers) => session.configure(servers),
  });
  const { role, personId } = parsePeerId(visit.peerId);
  // The role of a user may change.
  const person = userId === null ? `${role}_${personId}` : `U_${userId}`;
  const media = new LocalMedia(navigator.mediaDevices, blurInWorker(), `${person}:${uid}`, navigator.permissions);
  const returns = new DeviceReturn(media, (answer, change) => listener?.onDevice(answer, change));
  const devices = new DeviceList({
    devices: navigator.mediaDevices,
    permissions: navigator.permissions,
    onChange: (change) => void returns.changed(change),
    onAllowed: () => void returns.allowed(),
  });
  const chat = new ChatLog({
    session: uid,
    reader: readerOf(visit.peerId),
    myUserId: userId,
    send: (text) => hub.invoke('SendText', text),
    history: async () => (await send(listMessages, { params: { uid } })).data,
    clock,
    newKey: newId,
    unsent: new UnsentMessages(uid, person),
    onArrival: ({ name, text }) => listener?.onMessage(name, text),
    onFailed: (code) => listener?.onNotice({ type: 'not-sent', code }),
  });
  const summary = new QualitySummary();
  const { appointmentId } = visit.appointment;
  const parts = createParts({ uid, peerId: visit.peerId, appointmentId, isPatient, userId, clock, newId, media });
  const session = new RoomSession({
    uid,
    peerId: visit.peerId,
    isPatient,
    joinedAt: visit.joinedAt === null ? null : Date.parse(visit.joinedAt),
    hub,
    media,
    chat,
    clock,
    random: Math.random,
    newId,
    connect: (relayOnly) => new RTCPeerConnection(iceServers.configuration(relayOnly)),
    iceServers,
    watchPage,
    summary,
    reporter: new QualityReporter({
      clock,
      summary,
      page: newId(),
      save: async (body, signal) => {
        if (!isGuestPeer(visit.peerId)) await send(saveVisitQuality, { params: { uid }, body }, { signal });
      },
    }),
    createChannels: (peerId) => channelsOf(parts, visit.peerId, peerId),
    onNotice: (notice) => listener?.onNotice(notice),
    onCut: () => listener?.onCut(),
    onWaitingChanged: () => listener?.onWaitingChanged(),
    onReturned: () => listener?.onReturned(),
  });
  const recording = createRecording({ visit, clock, onNotice: (notice) => listener?.onRecording(notice) });
  /** What a person is asked who would leave this visit for another one. */
  const otherRoomQuestion = () => {
    if (!session.isOpen) return undefined;
    const { isMine, state } = recording.view.get();
    if (isMine && state.status === 'running') return recordingTexts.leave;
    return session.view.get().people.length > 0 ? texts.otherRoom(fullName(visit.appointment.patient)) : undefined;
  };
  return {
    ...parts,
    session,
    media,
    devices,
    chat,
    recording,
    start() {
      devices.start();
      session.start();
      const room = { session: session.view, media: media.view, onNotify: hub.onNotify };
      stops.push(recording.start(room));
      stops.push(
        startParts(parts, uid, hub),
        hub.onState(() => {
          const isOver = session.view.get().phase.name === 'over';
          if (hub.getState().status === 'disconnected' && !isOver) listener?.onCut();
        }),
      );
      if (!isPatient) stops.push(holdOtherRoom(uid, otherRoomQuestion));
      const timer = setInterval(() => void iceServers.refresh(), renewIntervalMs);
      stops.push(() => clearInterval(timer));
    },
    leave() {
      for (const stop of stops.splice(0)) stop();
      devices.stop();
      return session.leave();
    },
    listen(events) {
      listener = events;
      return () => {
        if (listener === events) listener = undefined;
      };
    },
  };
}
