import MicOffIcon from '@mui/icons-material/MicOff';
import VideocamOffIcon from '@mui/icons-material/VideocamOff';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isFeed, type Person } from '../call/room-view.ts';
import type { Room } from '../create-room.ts';
import type { MediaState } from '../media/media-state.ts';
import { texts } from '../texts.ts';
import { PersonMenu } from './PersonMenu.tsx';
import { useStore } from './use-room.ts';
import { gridColumns, initialsOf } from './video-grid.ts';

interface Props {
  room: Room;
  isPatient: boolean;
  bar: boolean;
  onToggleBar: () => void;
  /** Texts and marks over the videos. */
  children: ReactNode;
}

/** The other peers in a grid (CONST-5), the own video small in a corner. A click anywhere toggles the toolbar. */
export function VideoStage({ room, isPatient, bar, onToggleBar, children }: Props) {
  const { people } = useStore(room.session.view);
  const media = useStore(room.media.view);
  const faces = people.filter(isFeed);
  return (
    <div className="room-stage">
      <div
        className="room-grid"
        style={{ gridTemplateColumns: `repeat(${gridColumns(faces.length)}, minmax(0, 1fr))` }}
      >
        {faces.map((person) => (
          <Tile key={person.peerId} person={person} speaker={media.speaker}>
            {!isPatient && !person.isStaff && <PersonMenu person={person} session={room.session} />}
          </Tile>
        ))}
      </div>
      {/* ROOM-5. A button, so that the keyboard works; it is above the videos and below the texts. */}
      <button
        type="button"
        className="room-toggle"
        aria-label={bar ? texts.hideToolbar : texts.showToolbar}
        onClick={onToggleBar}
      />
      {children}
      {room.media.decided && (
        <SelfView stream={media.stream} mediaState={room.media.mediaState} sharing={media.sharing} />
      )}
    </div>
  );
}

interface TileProps {
  person: Person;
  /** The speaker for the sound; undefined for the system's. */
  speaker: string | undefined;
  /** Controls of this person's devices. */
  children?: ReactNode;
}

function Tile({ person, speaker, children }: TileProps) {
  const { name, stream, mediaState, link } = person;
  const video = useRef<HTMLVideoElement>(null);
  const [silent, setSilent] = useState(false);
  const hasPicture = mediaState.picture && (stream?.getVideoTracks().length ?? 0) > 0;

  useEffect(() => {
    const element = video.current;
    if (!element || !stream) return;
    if (element.srcObject !== stream) element.srcObject = stream;
    // Without a gesture of the user a browser plays videos without sound only.
    element.play()?.catch((error: unknown) => {
      if ((error as Error).name !== 'NotAllowedError') return;
      element.muted = true;
      setSilent(true);
      void element.play()?.catch(() => undefined);
    });
  }, [stream]);

  useEffect(() => {
    const element: (HTMLVideoElement & { setSinkId?: (id: string) => Promise<void> }) | null = video.current;
    // A speaker that is gone is replaced by the system's.
    if (speaker !== undefined)
      element?.setSinkId?.(speaker).catch(() => element.setSinkId?.('').catch(() => undefined));
  }, [speaker]);

  function hear() {
    const element = video.current;
    if (!element) return;
    element.muted = false;
    setSilent(false);
    void element.play()?.catch(() => setSilent(true));
  }

  return (
    <figure className="room-tile" data-lost={link === 'lost' || undefined} data-screen={mediaState.screen || undefined}>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- a live conversation has none */}
      <video ref={video} autoPlay playsInline data-hidden={!hasPicture || undefined} aria-label={name} />
      {!hasPicture && <Initials name={name} />}
      {link === 'lost' && <p className="room-lost">{texts.reconnecting}</p>}
      <Caption name={mediaState.screen ? texts.share.theirs(name) : name} mediaState={mediaState} />
      {children}
      {silent && (
        <button type="button" className="rs-button rs-button-primary room-hear" onClick={hear}>
          {texts.hear}
        </button>
      )}
    </figure>
  );
}

interface SelfProps {
  stream: MediaStream | undefined;
  mediaState: MediaState;
  sharing: boolean;
}

function SelfView({ stream, mediaState, sharing }: SelfProps) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const element = video.current;
    if (element && stream && element.srcObject !== stream) element.srcObject = stream;
  }, [stream]);
  return (
    <figure className="room-self" data-screen={sharing || undefined}>
      <video
        ref={video}
        autoPlay
        playsInline
        muted
        data-hidden={!mediaState.picture || undefined}
        aria-label={texts.yourPicture}
      />
      {!mediaState.picture && <Initials name={texts.self} />}
      <Caption name={sharing ? texts.share.mine : texts.self} mediaState={mediaState} />
    </figure>
  );
}

function Initials({ name }: { name: string }) {
  return (
    <span className="room-initials" aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

function Caption({ name, mediaState }: { name: string; mediaState: MediaState }) {
  return (
    <figcaption className="room-caption">
      <span>{name}</span>
      {!mediaState.sound && <MicOffIcon fontSize="inherit" titleAccess={texts.muted} />}
      {!mediaState.picture && <VideocamOffIcon fontSize="inherit" titleAccess={texts.pictureOff} />}
    </figcaption>
  );
}
