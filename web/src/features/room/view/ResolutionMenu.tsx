import { ListSubheader, Menu, MenuItem } from '@mui/material';
import { toast } from '../../../ui/toast.ts';
import type { RoomSession } from '../call/room-session.ts';
import { resolutions } from '../media/resolutions.ts';
import { texts } from '../texts.ts';
import { resize } from './PersonMenu.tsx';

interface Props {
  session: RoomSession;
  /** The button that has opened it. */
  at: HTMLElement | null;
  /** Whose camera it is. */
  name: string;
  onClose: () => void;
}

/** CONST-6: the sizes that staff can ask of the patient's cameras. */
export function ResolutionMenu({ session, at, name, onClose }: Props) {
  function choose(size: (typeof resolutions)[number]) {
    const patients = session.view.get().people.filter((person) => person.isPatient);
    Promise.all(patients.map((person) => resize(session, person, size))).catch(() => toast.error(texts.person.failed));
    onClose();
  }
  return (
    <Menu open anchorEl={at} onClose={onClose} slotProps={{ list: { 'aria-label': texts.resolution.of(name) } }}>
      <ListSubheader role="presentation">{texts.resolution.of(name)}</ListSubheader>
      {resolutions.map((one) => (
        <MenuItem key={one.id} onClick={() => choose(one)}>
          {texts.resolution.name(one)}
        </MenuItem>
      ))}
    </Menu>
  );
}
