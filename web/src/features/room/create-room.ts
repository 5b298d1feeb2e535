import { listMessages, type Teleappointment } from '@roomside/contract/room/calls.ts';
import { send } from '../../api/send.ts';
import { hub } from '../../hub/hub.ts';
import { RoomSession } from './call/room-session.ts';
import type { Notice } from './call/room-view.ts';
import { ChatLog } from './chat/chat.ts';
import { UnsentMessages } from './chat/unsent.ts';
import type { Clock } from './core/clock.ts';
import { type DeviceChange, DeviceList } from './media/device-list.ts';
import { answerDeviceChange, answerPermission, type DeviceAnswer } from './media/device-return.ts';
import { LocalMedia } from './media/local-media.ts';

export interface Room {
  session: RoomSession;
  media: LocalMedia;
  /** The cameras, microphones and speakers to choose from. */
  devices: DeviceList;
  chat: ChatLog;
  /** Sets new TURN credentials for current and later connections. */
  renew: (iceServers: RTCIceServer[]) => void;
}

interface Options {
  visit: Teleappointment;
  /** Follows the server's time. */
  clock: Clock;
  isPatient: boolean;
  userId: number | null;
  onNotice: (notice: Notice) => void;
  onMessage: (name: string, text: string) => void;
  /** A device has come back and is in use, or a new one can be used. */
  onDevice: (answer: DeviceAnswer, change: DeviceChange) => void;
  onCut: () => void;
}

/** Wires the parts of one visit. Nothing runs before `session.start`. */
export function createRoom({ visit, clock, isPatient, userId, onNotice, onMessage, onDevice, onCut }: Options): Room {
  const uid = visit.appointment.appointmentUid;
  const newId = () => crypto.randomUUID();
  let configuration: RTCConfiguration = { iceServers: visit.iceServers };
  const media = new LocalMedia(navigator.mediaDevices);
  const devices = new DeviceList({
    devices: navigator.mediaDevices,
    permissions: navigator.permissions,
    onChange: (change) => void answerDeviceChange(media, change).then((answer) => onDevice(answer, change)),
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
    onArrival: ({ name, text }) => onMessage(name, text),
    onFailed: (code) => onNotice({ type: 'not-sent', code }),
  });
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
    onNotice,
    onCut,
  });
  return {
    session,
    media,
    devices,
    chat,
    renew: (iceServers) => {
      configuration = { iceServers };
      session.configure(configuration);
    },
  };
}
