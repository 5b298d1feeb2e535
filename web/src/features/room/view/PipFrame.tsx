import MicIcon from '@mui/icons-material/MicNone';
import MicOffIcon from '@mui/icons-material/MicOff';
import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { later } from '../../../ui/later.tsx';
import { isFeed } from '../call/room-view.ts';
import type { Room } from '../create-room.ts';
import { texts as noteTexts } from '../notes/texts.ts';
import { texts } from '../texts.ts';
import { pipWindow } from './pip.ts';
import { Tile } from './Tile.tsx';
import { useStore } from './use-room.ts';
import { turnOnSound } from './use-room-tools.tsx';
import './pip.css';
// The window gets copies of the styles that the page has when it opens.
import './corner.css';
import './notes.css';

const NotesBody = later(async () => (await import('./NotesBody.tsx')).NotesBody);

interface Props {
  room: Room;
  /** The person who is awaited while there is no video. */
  name: string;
  /** Goes to the page of the room; undefined there. */
  onBack?: () => void;
}

/** The visit with its notes in the window above others, while that is open. The page plays the sound, so the videos here are silent. */
export function PipFrame(props: Props) {
  const win = useSyncExternalStore(pipWindow.subscribe, pipWindow.get);
  if (!win) return null;
  return createPortal(<Contents {...props} win={win} />, win.document.body);
}

function Contents({ room, name, onBack, win }: Props & { win: Window }) {
  const { people } = useStore(room.session.view);
  const { muted, speaker } = useStore(room.media.view);
  const faces = people.filter(isFeed);
  function back() {
    onBack?.();
    globalThis.focus();
    win.close();
  }

  return (
    <>
      <div className="room-pip-videos">
        {faces.length === 0 && <p>{texts.running.alone(name)}</p>}
        {faces.map((person) => (
          <Tile key={person.peerId} person={person} speaker={speaker} isSilent />
        ))}
      </div>
      {room.notes && (
        <section className="room-pip-notes" aria-label={noteTexts.title}>
          <NotesBody notes={room.notes} />
        </section>
      )}
      <div className="room-corner-tools">
        <button type="button" className="rs-button rs-button-primary" onClick={back}>
          {texts.running.back}
        </button>
        <button
          type="button"
          className="room-tool"
          aria-label={texts.mute}
          aria-pressed={muted}
          data-warn={muted || undefined}
          onClick={() => (muted ? void turnOnSound(room.media) : room.media.setMuted(true))}
        >
          {muted ? <MicOffIcon /> : <MicIcon />}
        </button>
      </div>
    </>
  );
}
