import MoreIcon from '@mui/icons-material/MoreVert';
import { IconButton, Menu, MenuItem } from '@mui/material';
import { type Arrived, holdPatient, listArrived } from '@roomside/contract/waiting-room/calls.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { HandOverDialog } from './HandOverDialog.tsx';
import { texts } from './texts.ts';
import { WriteDialog } from './WriteDialog.tsx';

/** A dialog about a patient who waits. The card is that of the moment when it was opened. */
export interface OpenDialog {
  readonly of: 'write' | 'hand-over';
  readonly card: Arrived;
}

const nameOf = ({ patient }: Arrived): string => `${patient.firstName} ${patient.lastName}`;

interface Props {
  card: Arrived;
  onOpen: (dialog: OpenDialog) => void;
}

/** What staff can do for a patient who waits, before anyone joins. */
export function WaitMenu({ card, onOpen }: Props) {
  const [at, setAt] = useState<HTMLElement | null>(null);
  const hold = useChange(holdPatient, { invalidates: [listArrived] });
  const { held, appointmentUid: uid } = card;

  const choose = (work: () => void) => () => {
    setAt(null);
    work();
  };

  return (
    <>
      <IconButton
        aria-label={texts.menu(nameOf(card))}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        onClick={(event) => setAt(event.currentTarget)}
        sx={{ position: 'absolute', top: 8, right: 8, width: 44, height: 44 }}
      >
        <MoreIcon />
      </IconButton>
      <Menu open={at !== null} anchorEl={at} onClose={() => setAt(null)}>
        <MenuItem onClick={choose(() => onOpen({ of: 'write', card }))}>{texts.write}</MenuItem>
        <MenuItem onClick={choose(() => hold.mutate({ params: { uid }, body: { held: !held } }))}>
          {held ? texts.unhold : texts.hold}
        </MenuItem>
        <MenuItem onClick={choose(() => onOpen({ of: 'hand-over', card }))}>{texts.handOver}</MenuItem>
      </Menu>
    </>
  );
}

/** Outside of the card, which goes when the patient's line is lost for a moment: what was typed stays. */
export function WaitDialog({ dialog: { of, card }, onClose }: { dialog: OpenDialog; onClose: () => void }) {
  const props = { name: nameOf(card), onClose };
  return of === 'write' ? (
    <WriteDialog uid={card.appointmentUid} {...props} />
  ) : (
    <HandOverDialog card={card} {...props} />
  );
}
