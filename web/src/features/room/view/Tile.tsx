import MicOffIcon from '@mui/icons-material/MicOff';
import VideocamOffIcon from '@mui/icons-material/VideocamOff';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Person } from '../call/room-view.ts';
import type { MediaState } from '../media/media-state.ts';
import { texts } from '../texts.ts';
import { initialsOf } from './video-grid.ts';

interface Props {
  person: Person;
  /** The speaker for the sound; undefined for the system's. */
  speaker: string | undefined;
  /** Another video of this person plays the sound. */
  isSilent?: boolean;
  /** Controls of this person's devices. */
  children?: ReactNode;
}

/** The video and sound of another person. */
export function Tile({ person, speaker, isSilent = false, children }: Props) {
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
      <video
        ref={video}
        autoPlay
        playsInline
        muted={isSilent}
        data-hidden={!hasPicture || undefined}
        aria-label={name}
      />
      {!hasPicture && <NoPicture>{initialsOf(name)}</NoPicture>}
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

/** Stands for a picture that is off; the caption says so in words. */
export function NoPicture({ children }: { children: ReactNode }) {
  return (
    <span className="room-no-picture" aria-hidden="true">
      {children}
    </span>
  );
}

export function Caption({ name, mediaState }: { name: string; mediaState: MediaState }) {
  return (
    <figcaption className="room-caption">
      <span>{name}</span>
      {!mediaState.sound && <MicOffIcon fontSize="inherit" titleAccess={texts.muted} />}
      {!mediaState.picture && <VideocamOffIcon fontSize="inherit" titleAccess={texts.pictureOff} />}
    </figcaption>
  );
}
