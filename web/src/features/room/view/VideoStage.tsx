import VideocamOffIcon from '@mui/icons-material/VideocamOff';
import { type ReactNode, useEffect, useRef } from 'react';
import { later } from '../../../ui/later.tsx';
import { isFeed } from '../call/room-view.ts';
import type { Room } from '../create-room.ts';
import type { MediaState } from '../media/media-state.ts';
import { texts } from '../texts.ts';
import { Caption, NoPicture, Tile } from './Tile.tsx';
import { useStore } from './use-room.ts';
import { gridColumns } from './video-grid.ts';

/** For staff only. */
const PersonMenu = later(async () => (await import('./PersonMenu.tsx')).PersonMenu);

/** Loaded with the first video of another person. */
const TileTools = later(async () => (await import('./TileTools.tsx')).TileTools);

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
            <TileTools media={room.media} person={person} />
            {!isPatient && !person.isStaff && <PersonMenu person={person} room={room} />}
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
      <ul className="room-present" aria-label={texts.present}>
        <li>{texts.self}</li>
        {people.map(({ peerId, name }) => (
          <li key={peerId}>{name}</li>
        ))}
      </ul>
      {children}
      {room.media.decided && (
        <SelfView stream={media.stream} mediaState={room.media.mediaState} sharing={media.sharing} />
      )}
    </div>
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
      {!mediaState.picture && (
        <NoPicture>
          <VideocamOffIcon fontSize="inherit" />
        </NoPicture>
      )}
      <Caption name={sharing ? texts.share.mine : texts.self} mediaState={mediaState} />
    </figure>
  );
}
