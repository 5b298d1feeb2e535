import { toast } from '../../../ui/toast.ts';
import type { Room, RoomEvents } from '../create-room.ts';
import { texts } from '../texts.ts';
import { wordsForDevice } from './device-words.ts';
import { wordsForNotice } from './notices.ts';
import { tellRecording } from './recording-notices.ts';
import { turnOnSound } from './use-room-tools.tsx';

interface Parts {
  /** The room that the events come from. */
  room: () => Room | undefined;
  /** Reads a text to people who use a screen reader. */
  hear: (text: string) => void;
  onCut: () => void;
  onWaitingChanged: () => void;
  onReturned: () => void;
}

/** Says what happens in a room, on whichever page the visit is shown. */
export function roomEvents({ room, hear, onCut, onWaitingChanged, onReturned }: Parts): RoomEvents {
  return {
    onNotice: (notice) => {
      const { kind, text, ear } = wordsForNotice(notice);
      if (ear) return hear(text);
      const unmute = {
        label: texts.notices.unmute,
        run: () => withRoom(room(), ({ media }) => turnOnSound(media)),
      };
      if (kind === 'warning') toast.warning(text);
      else toast.info(text, notice.type === 'unmute-asked' ? { action: unmute } : { canWait: true });
    },
    onMessage: (name, text) => {
      if (!room()?.chat.view.get().open) hear(texts.chatPanel.said(name, text));
    },
    onDevice: (answer, change) => {
      const words = wordsForDevice(answer, change);
      if (!words) return;
      const { kind, device } = change;
      const use = {
        label: texts.notices.useDevice,
        run: () => withRoom(room(), ({ media }) => media.choose(kind, device.deviceId)),
      };
      toast.info(words, answer === 'offer' ? { action: use, duration: 10_000 } : { canWait: true });
    },
    onRecording: tellRecording,
    onCut,
    onWaitingChanged,
    onReturned,
  };
}

function withRoom(room: Room | undefined, work: (room: Room) => unknown): void {
  if (room) void work(room);
}
