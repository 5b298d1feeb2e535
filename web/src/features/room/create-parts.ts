import { getAppointment, updateNotes } from '@roomside/contract/appointments/calls.ts';
import { uploadPhoto } from '@roomside/contract/photos/calls.ts';
import { type MessagingClient, messageType } from '@roomside/contract/room/messages.ts';
import { send } from '../../api/send.ts';
import { sendUpload } from '../../api/send-upload.ts';
import type { hub } from '../../hub/hub.ts';
import { notesDrafts } from '../appointments/notes-drafts.ts';
import type { Clock } from './core/clock.ts';
import type { PeerChannel } from './core/peer-channel.ts';
import { isGuestPeer } from './core/peer-id.ts';
import { Transfers } from './files/transfers.ts';
import type { LocalMedia } from './media/local-media.ts';
import { RoomNotes } from './notes/room-notes.ts';
import { captureFrame, captureJpeg } from './pictures/capture-jpeg.ts';
import { Pictures } from './pictures/pictures.ts';

/** Notes, pictures and files of a room. */
export interface RoomParts {
  /** For staff only. */
  notes: RoomNotes | undefined;
  pictures: Pictures;
  /** Files between devices. */
  transfers: Transfers;
}

interface Options {
  uid: string;
  /** Id of this device's peer. */
  peerId: string;
  appointmentId: number;
  isPatient: boolean;
  /** Null for a patient. */
  userId: number | null;
  clock: Clock;
  newId: () => string;
  media: LocalMedia;
}

/** Creates notes, pictures and files of a room. */
export function createParts({
  uid,
  peerId,
  appointmentId,
  isPatient,
  userId,
  clock,
  newId,
  media,
}: Options): RoomParts {
  return {
    notes: userId === null ? undefined : createNotes(appointmentId, userId, clock),
    pictures: new Pictures({
      // The notice of a picture is the patient's, and so is the camera that takes it.
      isPatient: isPatient && !isGuestPeer(peerId),
      clock,
      newKey: newId,
      camera: () => (media.view.get().cameraOff ? undefined : media.cameraImage),
      // A photo of the camera would show the background.
      takePhoto: (track) => (media.view.get().blur ? captureFrame(track) : captureJpeg(track)),
      takeFrame: captureFrame,
      upload: (key, content) => sendUpload(uploadPhoto, { query: { session: uid, key }, content }),
    }),
    transfers: new Transfers({ isPatient, clock, newId }),
  };
}

/** The parts' data channels between this device and another peer. */
export function channelsOf({ pictures, transfers }: RoomParts, own: string, peerId: string): PeerChannel[] {
  // Guests neither get nor send files and pictures.
  if (isGuestPeer(own) || isGuestPeer(peerId)) return [];
  return [pictures.createChannel(peerId), transfers.createChannel(peerId)];
}

/** Starts the parts. Returns a function that stops them. */
export function startParts({ notes, pictures }: RoomParts, uid: string, { onNotify }: Pick<typeof hub, 'onNotify'>) {
  notes?.start();
  const stop = onNotify((...[message]: Parameters<MessagingClient['Notify']>) => {
    if (message.type === messageType.pictureTaken && message.session === uid) pictures.stored(message.key);
  });
  return () => {
    stop();
    void notes?.stop();
  };
}

function createNotes(appointmentId: number, userId: number, clock: Clock): RoomNotes {
  const params = { appointmentId };
  return new RoomNotes({
    read: () => send(getAppointment, { params, query: {} }),
    save: async (notes, notesVersion) =>
      (await send(updateNotes, { params, body: { notes, notesVersion } })).notesVersion,
    drafts: notesDrafts(userId, appointmentId),
    clock,
  });
}
