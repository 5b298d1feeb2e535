import MoreIcon from '@mui/icons-material/MoreVert';
import { IconButton, Menu, MenuItem } from '@mui/material';
import { type Arrived, holdPatient, listArrived } from '@roomside/contract/waiting-room/calls.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { HandOverDialog } from './HandOverDialog.tsx';
import { texts } from './texts.ts';
import { WriteDialog } from './WriteDialog.tsx';

/** What staff can do for a patient who waits, before anyone joins. */
export function WaitMenu({ card }: { card: Arrived }) {
  const [at, setAt] = useState<HTMLElement | null>(null);
  const [dialog, setDialog] = useState<'write' | 'hand-over'>();
  const hold = useChange(holdPatient, { invalidates: [listArrived] });
  const { held, appointmentUid: uid } = card;
  const name = `${card.patient.firstName} ${card.patient.lastName}`;
  const close = () => setDialog(undefined);

  const choose = (work: () => void) => () => {
    setAt(null);
    work();
  };

  return (
    <>
      <IconButton
        aria-label={texts.menu(name)}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        onClick={(event) => setAt(event.currentTarget)}
        sx={{ position: 'absolute', top: 8, right: 8, width: 44, height: 44 }}
      >
        <MoreIcon />
      </IconButton>
      <Menu open={at !== null} anchorEl={at} onClose={() => setAt(null)}>
        <MenuItem onClick={choose(() => setDialog('write'))}>{texts.write}</MenuItem>
        <MenuItem onClick={choose(() => hold.mutate({ params: { uid }, body: { held: !held } }))}>
          {held ? texts.unhold : texts.hold}
        </MenuItem>
        <MenuItem onClick={choose(() => setDialog('hand-over'))}>{texts.handOver}</MenuItem>
      </Menu>
      {dialog === 'write' && <WriteDialog uid={uid} name={name} onClose={close} />}
      {dialog === 'hand-over' && <HandOverDialog card={card} name={name} onClose={close} />}
    </>
  );
}
