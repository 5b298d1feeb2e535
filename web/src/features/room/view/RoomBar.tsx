import CallEndIcon from '@mui/icons-material/CallEnd';
import ChatOutlinedIcon from '@mui/icons-material/ChatOutlined';
import FullscreenIcon from '@mui/icons-material/Fullscreen';
import FullscreenExitIcon from '@mui/icons-material/FullscreenExit';
import LogoutIcon from '@mui/icons-material/Logout';
import MicIcon from '@mui/icons-material/MicNone';
import MicOffIcon from '@mui/icons-material/MicOff';
import VideocamOffIcon from '@mui/icons-material/VideocamOff';
import VideocamIcon from '@mui/icons-material/VideocamOutlined';
import { type ReactNode, useSyncExternalStore } from 'react';
import { toast } from '../../../ui/toast.ts';
import { useBuildTaps } from '../../../ui/use-build-taps.ts';
import type { Room } from '../create-room.ts';
import type { LocalMedia } from '../media/local-media.ts';
import { texts } from '../texts.ts';
import { useStore } from './use-room.ts';

interface Props {
  title: string;
  /** Id of this device's peer, shown with the build after five taps on the title (MENU-5). */
  peerId: string;
  hidden: boolean;
  room: Room;
  /** ROLE-2: a patient can leave and end only when another peer is in the room. */
  canLeave: boolean;
  onLeave: () => void;
  onEnd: () => void;
}

/** ROOM-3: the tools of this person's role. */
export function RoomBar({ title, peerId, hidden, room, canLeave, onLeave, onEnd }: Props) {
  const { muted, cameraOff, device } = useStore(room.media.view);
  const { open, unread } = useStore(room.chat.view);
  const full = useSyncExternalStore(onFullscreen, () => document.fullscreenElement !== null);
  const { media } = room;
  const tap = useBuildTaps(peerId);
  // A lost or refused device can be asked for again; until the first answer the browser or the dialog asks.
  const { hasSound, hasPicture, decided } = media;
  const isAsking = device.status === 'asking';
  const why = canLeave ? undefined : texts.notYet;

  return (
    <header className="room-bar" inert={hidden}>
      {/* Five taps on the title are for support only. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- MENU-5 */}
      <h1 className="room-title" onClick={tap}>
        {title}
      </h1>
      <div className="room-tools" role="toolbar" aria-label={texts.toolbar}>
        {decided && (
          <>
            {/* One button with two states keeps the focus. */}
            {hasSound ? (
              <Tool label={texts.mute} pressed={muted} warn={muted} onClick={() => media.setMuted(!muted)}>
                {muted ? <MicOffIcon /> : <MicIcon />}
              </Tool>
            ) : (
              <Tool label={texts.microphoneOn} warn busy={isAsking} onClick={() => void turnOnSound(media)}>
                <MicOffIcon />
              </Tool>
            )}
            {hasPicture ? (
              <Tool
                label={texts.cameraOff}
                pressed={cameraOff}
                warn={cameraOff}
                onClick={() => media.setCameraOff(!cameraOff)}
              >
                {cameraOff ? <VideocamOffIcon /> : <VideocamIcon />}
              </Tool>
            ) : (
              <Tool label={texts.cameraOn} warn busy={isAsking} onClick={() => turnOnPicture(media)}>
                <VideocamOffIcon />
              </Tool>
            )}
          </>
        )}
        {document.fullscreenEnabled && (
          <Tool
            label={texts.fullScreen}
            pressed={full}
            wide
            // The whole page: notices and dialogs are outside of the room's element.
            onClick={() => void (full ? document.exitFullscreen() : document.documentElement.requestFullscreen())}
          >
            {full ? <FullscreenExitIcon /> : <FullscreenIcon />}
          </Tool>
        )}
        <Tool
          label={unread > 0 ? texts.chatUnread(unread) : texts.chat}
          pressed={open}
          onClick={() => room.chat.setOpen(!open)}
        >
          <ChatOutlinedIcon />
          {unread > 0 && <span className="room-badge">{unread > 99 ? '99+' : unread}</span>}
        </Tool>
        <button
          type="button"
          className="room-tool room-leave"
          aria-label={texts.leaveLong}
          title={why ?? texts.leaveLong}
          disabled={!canLeave}
          onClick={onLeave}
        >
          <LogoutIcon />
          <span>{texts.leave}</span>
        </button>
        <button
          type="button"
          className="room-tool room-end"
          aria-label={texts.endLong}
          title={why ?? texts.endLong}
          disabled={!canLeave}
          onClick={onEnd}
        >
          <CallEndIcon />
          <span>{texts.end}</span>
        </button>
      </div>
    </header>
  );
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

interface ToolProps {
  label: string;
  /** Set for toggles only. */
  pressed?: boolean;
  /** Highlights a state that is easily forgotten, such as muted. */
  warn?: boolean;
  /** The browser is asking for permission. */
  busy?: boolean;
  /** Shown on wide screens only. */
  wide?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Tool({ label, pressed, warn = false, busy = false, wide = false, onClick, children }: ToolProps) {
  return (
    <button
      type="button"
      className={`room-tool${wide ? ' room-wide' : ''}`}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      aria-disabled={busy || undefined}
      data-warn={warn || undefined}
      onClick={busy ? undefined : onClick}
    >
      {children}
    </button>
  );
}

function onFullscreen(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}
