import type { BookableStart } from '@roomside/contract/booking/calls.ts';
import { dateOf, formatDay, formatTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { texts } from './texts.ts';

interface Props {
  free: readonly BookableStart[];
  clinicZone: string;
  busy: string | null;
  onPick: (start: BookableStart) => void;
}

/** The slot was taken: offers the next free ones. */
export function TakenNotice({ free, clinicZone, busy, onPick }: Props) {
  const zone = ownZone();
  return (
    <>
      <Notice kind="error">{free.length > 0 ? texts.taken : texts.takenNone}</Notice>
      {free.length > 0 && (
        <div className="bk-slots bk-slots-wide">
          {free.map((start) => (
            <Button
              key={`${start.startDate}-${start.doctorId}`}
              look="secondary"
              busy={busy === start.startDate}
              onClick={() => busy === null && onPick(start)}
            >
              {formatDay(dateOf(start.startDate, zone))}, {formatTime(start.startDate, zone, clinicZone)}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}
