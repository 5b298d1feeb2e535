import { saveFile } from '../../api/send.ts';
import { to } from '../../paths.ts';
import { fullName } from '../../ui/full-name.ts';
import { Button, ButtonLink } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import type { Access, BookingState } from './booking-state.ts';
import { texts } from './texts.ts';
import { Visit } from './Visit.tsx';

const words = texts.done;

interface Props {
  booked: NonNullable<BookingState['booked']>;
  /** Undefined after a reload. */
  access: Access | undefined;
  clinicZone: string;
  onAnother: () => void;
}

/** The booked visit; right after the booking with its link and code. */
export function DoneStep({ booked, access, clinicZone, onAnother }: Props) {
  const { startDate, endDate, doctor } = booked;
  const minutes = Math.round((Date.parse(endDate) - Date.parse(startDate)) / 60_000);
  return (
    <>
      <Visit startDate={startDate} clinicZone={clinicZone} doctor={fullName(doctor)} minutes={minutes} />
      <Notice kind="success">{access?.contact ? words.sent(access.contact) : words.find}</Notice>
      {access && (
        <dl className="bk-code">
          <dt>{words.code}</dt>
          <dd>{access.accessCode}</dd>
        </dl>
      )}
      <div className="rs-form">
        {access && <Ways access={access} />}
        <Button look="quiet" onClick={onAnother}>
          {words.another}
        </Button>
      </div>
    </>
  );
}

function Ways({ access: { accessCode, calendar } }: { access: Access }) {
  const download = () => saveFile({ blob: new Blob([calendar], { type: 'text/calendar' }), name: 'visit.ics' });
  return (
    <>
      <ButtonLink look="primary" href={`#${to.linkCode({ code: accessCode })}`}>
        {words.open}
      </ButtonLink>
      <Button look="secondary" onClick={download}>
        {words.calendar}
      </Button>
    </>
  );
}
