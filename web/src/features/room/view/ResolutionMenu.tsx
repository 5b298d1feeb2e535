import { ListSubheader, Menu, MenuItem } from '@mui/material';
import { type Resolution, resolutions } from '../media/resolutions.ts';
import { texts } from '../texts.ts';

interface Props {
  /** The button that has opened it; null closes it. */
  at: HTMLElement | null;
  /** Whose camera it is. */
  name: string;
  onChoose: (resolution: Resolution) => void;
  onClose: () => void;
}

/** CONST-6: the sizes that staff can ask of the other side's camera. */
export function ResolutionMenu({ at, name, onChoose, onClose }: Props) {
  return (
    <Menu
      open={at !== null}
      anchorEl={at}
      onClose={onClose}
      slotProps={{ list: { 'aria-label': texts.resolution.of(name) } }}
    >
      <ListSubheader role="presentation">{texts.resolution.of(name)}</ListSubheader>
      {resolutions.map((one) => (
        <MenuItem
          key={one.id}
          onClick={() => {
            onChoose(one);
            onClose();
          }}
        >
          {texts.resolution.name(one)}
        </MenuItem>
      ))}
    </Menu>
  );
}
