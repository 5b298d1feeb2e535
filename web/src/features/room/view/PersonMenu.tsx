import MoreIcon from '@mui/icons-material/MoreVert';
import { ListSubheader, Menu, MenuItem } from '@mui/material';
import { useState } from 'react';
import { toast } from '../../../ui/toast.ts';
import type { RoomSession } from '../call/room-session.ts';
import type { Person } from '../call/room-view.ts';
import type { Room } from '../create-room.ts';
import { resolutions, wishOf } from '../media/resolutions.ts';
import { texts as pictureTexts } from '../pictures/texts.ts';
import { texts } from '../texts.ts';
import { hasImage, takePicture } from './use-picture-tool.tsx';
import { useStore } from './use-room.ts';

const words = texts.person;

/** ROLE-3: a picture, and what staff can do with the devices of another person, on their video. */
export function PersonMenu({ person, room }: { person: Person; room: Room }) {
  const { session } = room;
  const { busy } = useStore(room.pictures.view);
  const [at, setAt] = useState<HTMLElement | null>(null);
  const { peerId, name, mediaState } = person;
  const close = () => setAt(null);

  function run(work: Promise<void>) {
    close();
    work.catch(() => toast.error(words.failed));
  }

  return (
    <>
      <button
        type="button"
        className="room-tool room-person"
        aria-label={words.menu(name)}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        onClick={(event) => setAt(event.currentTarget)}
      >
        <MoreIcon />
      </button>
      <Menu open={at !== null} anchorEl={at} onClose={close} slotProps={{ list: { 'aria-label': words.menu(name) } }}>
        {person.isPatient && (
          <MenuItem disabled={busy || !hasImage(person)} onClick={() => run(takePicture(room, person))}>
            {pictureTexts.take}
          </MenuItem>
        )}
        <MenuItem onClick={() => run(session.mute(peerId, mediaState.sound))}>
          {mediaState.sound ? words.mute : words.unmute}
        </MenuItem>
        <ListSubheader role="presentation">{texts.resolution.of(name)}</ListSubheader>
        {resolutions.map((one) => (
          <MenuItem key={one.id} onClick={() => run(resize(session, person, one))}>
            {texts.resolution.name(one)}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

/** Type 5: asks a person's camera for a size, and says so. */
export async function resize(session: RoomSession, { peerId, name }: Person, size: (typeof resolutions)[number]) {
  await session.resize(peerId, wishOf(size));
  toast.info(texts.resolution.asked(name, size.lines));
}
