import { getTeleappointment, listMessages, type Teleappointment } from '@roomside/contract/room/calls.ts';
import { send } from '../../api/send.ts';
import { hub } from '../../hub/hub.ts';
import { RoomSession } from './call/room-session.ts';
import type { Notice } from './call/room-view.ts';
import { ChatLog } from './chat/chat.ts';
import { UnsentMessages } from './chat/unsent.ts';
import type { Clock } from './core/clock.ts';
import { channelsOf, createParts, type RoomParts, startParts } from './create-parts.ts';
import { type DeviceChange, DeviceList } from './media/device-list.ts';
import { answerDeviceChange, answerPermission, type DeviceAnswer } from './media/device-return.ts';
import { LocalMedia } from './media/local-media.ts';

/** What happens in a room, for the page that shows it. */
export interface RoomEvents {
  onNotice: (notice: Notice) => void;
  onMessage: (name: string, text: string) => void;
  /** A device has come back and is in use, or a new one can be used. */
  onDevice: (answer: DeviceAnswer, change: DeviceChange) => void;
  /** The hub was closed for good, or the sign-in refused: the visit should be read again, which shows whether the sign-in is valid. */
  onCut: () => void;
  /** Staff have changed the patient's wait: the visit should be read again. */
  onWaitingChanged: () => void;
}

export interface Room extends RoomParts {
  session: RoomSession;
  media: LocalMedia;
  /** The cameras, microphones and speakers to choose from. */
  devices: DeviceList;
  chat: ChatLog;
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

/** TURN credentials last an hour; renewed halfway, so that a late call has enough left, ms. */
const renewIntervalMs = 30 * 60_000;

/** Wires the parts of one visit. Nothing runs before `start`. */
export function createRoom({ visit, clock, isPatient, userId }: Options): Room {
  const uid = visit.appointment.appointmentUid;
  const newId = () => crypto.randomUUID();
  let listener: RoomEvents | undefined;
  const stops: (() => void)[] = [];
  let configuration: RTCConfiguration = { iceServers: visit.iceServers };
  const media = new LocalMedia(navigator.mediaDevices);
  const devices = new DeviceList({
    devices: navigator.mediaDevices,
    permissions: navigator.permissions,
    onChange: (change) => void answerDeviceChange(media, change).then((answer) => listener?.onDevice(answer, change)),
    onAllowed: () => void answerPermission(media),
  });
  const chat = new ChatLog({
    session: uid,
    isPatient,
    myUserId: userId,
    send: (text) => hub.invoke('SendText', text),
    history: async () => (await send(listMessages, { params: { uid } })).data,
    clock,
    newKey: newId,
    unsent: new UnsentMessages(uid, userId === null ? `P_${visit.appointment.patientId}` : `U_${userId}`),
    onArrival: ({ name, text }) => listener?.onMessage(name, text),
    onFailed: (code) => listener?.onNotice({ type: 'not-sent', code }),
  });
  const { appointmentId } = visit.appointment;
  const parts = createParts({ uid, appointmentId, isPatient, userId, clock, newId, media });
  const session = new RoomSession({
    uid,
    peerId: visit.peerId,
    isPatient,
    hub,
    media,
    chat,
    clock,
    random: Math.random,
    newId,
    connect: () => new RTCPeerConnection(configuration),
    createChannels: (peerId) => channelsOf(parts, peerId),
    onNotice: (notice) => listener?.onNotice(notice),
    onCut: () => listener?.onCut(),
    onWaitingChanged: () => listener?.onWaitingChanged(),
  });
  const renew = async () => {
    const { iceServers } = await send(getTeleappointment, { params: { uid } });
    configuration = { iceServers };
    session.configure(configuration);
  };
  return {
    ...parts,
    session,
    media,
    devices,
    chat,
    start() {
      devices.start();
      session.start();
      stops.push(
        startParts(parts, uid, hub),
        hub.onState(() => {
          const isOver = session.view.get().phase.name === 'over';
          if (hub.getState().status === 'disconnected' && !isOver) listener?.onCut();
        }),
      );
      const timer = setInterval(() => void renew().catch(() => undefined), renewIntervalMs);
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
