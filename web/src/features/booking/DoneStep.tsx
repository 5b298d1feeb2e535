import { saveFile } from '../../api/send.ts';
import { to } from '../../paths.ts';
import { Button, ButtonLink } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { fullName } from '../room/outside/visit-words.ts';
import type { Booked } from './booking-state.ts';
import { texts } from './texts.ts';
import { Visit } from './Visit.tsx';

const words = texts.done;

/** The booked visit with its link and code. */
export function DoneStep({
  booked,
  clinicZone,
  onAnother,
}: {
  booked: Booked;
  clinicZone: string;
  onAnother: () => void;
}) {
  const download = () => saveFile({ blob: new Blob([booked.calendar], { type: 'text/calendar' }), name: 'visit.ics' });
  return (
    <>
      <Visit startDate={booked.startDate} clinicZone={clinicZone} doctor={fullName(booked.doctor)} />
      <Notice kind="success">{words.sent}</Notice>
      <dl className="bk-code">
        <dt>{words.code}</dt>
        <dd>{booked.accessCode}</dd>
      </dl>
      <div className="rs-form">
        <ButtonLink look="primary" href={`#${to.linkCode({ code: booked.accessCode })}`}>
          {words.open}
        </ButtonLink>
        <Button look="secondary" onClick={download}>
          {words.calendar}
        </Button>
        <Button look="quiet" onClick={onAnother}>
          {words.another}
        </Button>
      </div>
    </>
  );
}
