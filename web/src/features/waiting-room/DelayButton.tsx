import ScheduleIcon from '@mui/icons-material/ScheduleOutlined';
import { ListSubheader, Menu, MenuItem } from '@mui/material';
import { type Arrived, announceDelay, listArrived } from '@roomside/contract/waiting-room/calls.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Button } from '../../ui/Button.tsx';
import { toast } from '../../ui/toast.ts';
import { texts } from './texts.ts';

/** The estimates to choose from, minutes. */
const estimates = [5, 10, 15, 20, 30, 45] as const;

/** 'Running late': tells all shown patients who wait how long it takes. Names how many before anything is sent. */
export function DelayButton({ waiting }: { waiting: readonly Arrived[] }) {
  const [at, setAt] = useState<HTMLElement | null>(null);
  const announce = useChange(announceDelay, { invalidates: [listArrived] });

  async function send(minutes: number) {
    setAt(null);
    const notified = await announce.mutateAsync({ body: { minutes, doctorId: null } }).catch(() => undefined);
    if (notified !== undefined) toast.success(notified === 0 ? texts.delayNone : texts.notified(notified));
  }

  if (waiting.length === 0) return null;
  return (
    <>
      <Button
        look="secondary"
        startIcon={<ScheduleIcon />}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        disabled={announce.isPending}
        onClick={(event) => setAt(event.currentTarget)}
      >
        {texts.delay}
      </Button>
      <Menu
        open={at !== null}
        anchorEl={at}
        onClose={() => setAt(null)}
        slotProps={{ list: { 'aria-label': texts.delayTitle(waiting.length) } }}
      >
        <ListSubheader role="presentation">{texts.delayTitle(waiting.length)}</ListSubheader>
        {estimates.map((minutes) => (
          <MenuItem key={minutes} onClick={() => void send(minutes)}>
            {texts.delayMinutes(minutes)}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
