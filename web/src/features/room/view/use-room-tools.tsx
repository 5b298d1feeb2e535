import AwayIcon from '@mui/icons-material/AssignmentIndOutlined';
import CallEndIcon from '@mui/icons-material/CallEnd';
import SwitchCameraIcon from '@mui/icons-material/Cameraswitch';
import ChatOutlinedIcon from '@mui/icons-material/ChatOutlined';
import FullscreenIcon from '@mui/icons-material/Fullscreen';
import FullscreenExitIcon from '@mui/icons-material/FullscreenExit';
import ResolutionIcon from '@mui/icons-material/HighQualityOutlined';
import LogoutIcon from '@mui/icons-material/Logout';
import MicIcon from '@mui/icons-material/MicNone';
import MicOffIcon from '@mui/icons-material/MicOff';
import InviteIcon from '@mui/icons-material/PersonAddAltOutlined';
import PipIcon from '@mui/icons-material/PictureInPictureAltOutlined';
import ScreenShareIcon from '@mui/icons-material/ScreenShareOutlined';
import SettingsIcon from '@mui/icons-material/SettingsOutlined';
import StopScreenShareIcon from '@mui/icons-material/StopScreenShareOutlined';
import VideocamOffIcon from '@mui/icons-material/VideocamOff';
import VideocamIcon from '@mui/icons-material/VideocamOutlined';
import { useSyncExternalStore } from 'react';
import { confirm } from '../../../ui/confirm.ts';
import { toast } from '../../../ui/toast.ts';
import type { Room } from '../create-room.ts';
import type { LocalMedia } from '../media/local-media.ts';
import { texts } from '../texts.ts';
import { canPip, pipWindow, togglePip } from './pip.ts';
import { listTools, type Tool } from './tools.ts';
import { useStore } from './use-room.ts';

interface Options {
  room: Room;
  isPatient: boolean;
  /** Undefined where this person may not record. */
  record?: Tool | undefined;
  /** A guest leaves and does not end. */
  isGuest: boolean;
  /** ROLE-2: a patient can leave and end only when another peer is in the room. */
  canLeave: boolean;
  onLeave: () => void;
  onEnd: () => void;
  /** Undefined where this person may not invite others. */
  onInvite: (() => void) | undefined;
  onSettings: () => void;
  onResolution: (at: HTMLElement | null) => void;
  /** Opens another page while the visit goes on in a corner. */
  onAway: () => void;
}

const words = texts.tools;

/** The tools that every room has, in the order of ROOM-3. */
export function useRoomTools({
  room,
  isPatient,
  record,
  isGuest,
  canLeave,
  onLeave,
  onEnd,
  onInvite,
  onSettings,
  onResolution,
  onAway,
}: Options): Tool[] {
  const { open, unread } = useStore(room.chat.view);
  const { people } = useStore(room.session.view);
  const devices = useDeviceTools(room);
  const share = useShareTool(room.media);
  const screen = useScreenTool();
  const pip = useSyncExternalStore(pipWindow.subscribe, pipWindow.get);
  const why = canLeave ? undefined : texts.notYet;
  return listTools(
    !isPatient && share,
    record,
    !isPatient && {
      id: 'resolution',
      group: 'share',
      label: words.resolution,
      caption: words.resolutionShort,
      icon: <ResolutionIcon />,
      key: 'Q',
      opens: 'menu',
      disabled: people.some((person) => person.isPatient) ? undefined : words.noPatient,
      onSelect: onResolution,
    },
    onInvite && {
      id: 'invite',
      group: 'share',
      label: words.invite,
      caption: words.inviteShort,
      icon: <InviteIcon />,
      key: 'G',
      opens: 'dialog',
      onSelect: onInvite,
    },
    {
      id: 'settings',
      group: 'share',
      label: words.settings,
      caption: words.settings,
      icon: <SettingsIcon />,
      key: 'T',
      opens: 'dialog',
      onSelect: onSettings,
    },
    ...devices,
    {
      id: 'leave',
      group: 'visit',
      label: texts.leaveLong,
      caption: texts.leave,
      icon: <LogoutIcon />,
      key: 'Shift+L',
      disabled: why,
      ...(isGuest && { always: true }),
      onSelect: onLeave,
    },
    !isGuest && {
      id: 'end',
      group: 'visit',
      label: texts.endLong,
      caption: texts.end,
      icon: <CallEndIcon />,
      key: 'Shift+E',
      disabled: why,
      danger: true,
      always: true,
      onSelect: onEnd,
    },
    !isPatient && {
      id: 'away',
      group: 'screen',
      label: words.away,
      caption: words.awayShort,
      icon: <AwayIcon />,
      key: 'W',
      onSelect: onAway,
    },
    !isPatient &&
      canPip() && {
        id: 'pip',
        group: 'screen',
        label: pip ? words.closePip : words.pip,
        caption: words.pipShort,
        icon: <PipIcon />,
        key: 'I',
        pressed: pip !== undefined,
        onSelect: () => void togglePip().catch(() => toast.error(words.pipFailed)),
      },
    screen,
    {
      id: 'chat',
      group: 'screen',
      label: unread > 0 ? texts.chatUnread(unread) : texts.chat,
      caption: texts.chat,
      icon: <ChatOutlinedIcon />,
      key: 'C',
      pressed: open,
      badge: unread,
      always: true,
      onSelect: () => room.chat.setOpen(!open),
    },
  );
}

/** Microphone and camera. One button with two states keeps the focus. */
function useDeviceTools({ media, devices }: Room): Tool[] {
  const { muted, cameraOff, device } = useStore(media.view);
  const { cameras } = useStore(devices.view);
  // A lost or refused device can be asked for again; until the first answer the browser or the dialog asks.
  if (!media.decided) return [];
  const busy = device.status === 'asking';
  const { hasSound, hasPicture } = media;
  return listTools(
    {
      id: 'mute',
      group: 'devices',
      label: hasSound ? texts.mute : texts.microphoneOn,
      caption: hasSound ? texts.mute : words.microphone,
      icon: hasSound && !muted ? <MicIcon /> : <MicOffIcon />,
      key: 'M',
      warn: muted || !hasSound,
      always: true,
      ...(hasSound ? { pressed: muted } : { busy }),
      onSelect: () => (hasSound ? media.setMuted(!muted) : void turnOnSound(media)),
    },
    {
      id: 'camera',
      group: 'devices',
      label: hasPicture ? texts.cameraOff : texts.cameraOn,
      caption: words.picture,
      icon: hasPicture && !cameraOff ? <VideocamIcon /> : <VideocamOffIcon />,
      key: 'V',
      warn: cameraOff || !hasPicture,
      always: true,
      ...(hasPicture ? { pressed: cameraOff } : { busy }),
      onSelect: () => (hasPicture ? media.setCameraOff(!cameraOff) : turnOnPicture(media)),
    },
    // Phones and tablets have a camera on each side.
    navigator.maxTouchPoints > 0 &&
      hasPicture &&
      cameras.length > 1 && {
        id: 'switch',
        group: 'devices',
        label: words.switchCamera,
        caption: words.switchCameraShort,
        icon: <SwitchCameraIcon />,
        onSelect: () => void switchCamera(media, cameras),
      },
  );
}

/** STATE-19. Phones cannot share a screen. Nothing is shared before the visit, or while it is in another tab. */
function useShareTool(media: LocalMedia): Tool | undefined {
  const { sharing, device } = useStore(media.view);
  if (!media.canShare || device.status === 'idle') return undefined;
  return {
    id: 'share',
    group: 'share',
    label: sharing ? words.stopSharing : words.share,
    caption: sharing ? words.stopSharingShort : words.shareShort,
    icon: sharing ? <StopScreenShareIcon /> : <ScreenShareIcon />,
    key: 'S',
    pressed: sharing,
    onSelect: () => (sharing ? media.unshare() : void share(media)),
  };
}

function useScreenTool(): Tool | undefined {
  const full = useSyncExternalStore(onFullscreen, () => document.fullscreenElement !== null);
  if (!document.fullscreenEnabled) return undefined;
  return {
    id: 'full-screen',
    group: 'screen',
    label: texts.fullScreen,
    caption: texts.fullScreen,
    icon: full ? <FullscreenExitIcon /> : <FullscreenIcon />,
    key: 'F',
    pressed: full,
    // The whole page: notices and dialogs are outside of the room's element.
    onSelect: () => void (full ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
  };
}

/** STATE-13, ERROR-2: asks again after a refusal of the user. */
async function share(media: LocalMedia): Promise<void> {
  const result = await media.share();
  if (result === 'failed') toast.error(texts.share.failed);
  if (result !== 'declined') return;
  const { declined, again, yes, no } = texts.share;
  if (await confirm({ title: declined, text: again, yes, no })) await share(media);
}

async function switchCamera(media: LocalMedia, cameras: readonly { deviceId: string }[]): Promise<void> {
  const at = cameras.findIndex(({ deviceId }) => deviceId === media.camera?.getSettings().deviceId);
  const next = cameras[(at + 1) % cameras.length];
  if (next && !(await media.choose('camera', next.deviceId))) toast.error(texts.share.modeFailed);
}

/** Asks for the microphone and unmutes it. */
export async function turnOnSound(media: LocalMedia): Promise<void> {
  media.setMuted(false);
  if (!media.hasSound && !(await media.retrySound())) toast.warning(texts.notices.microphoneFailed);
}

function turnOnPicture(media: LocalMedia): void {
  media.setCameraOff(false);
  void media.retry();
}

function onFullscreen(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}
