import { earlyMinutes } from '@roomside/contract/limits.ts';
import type { UpcomingVisit } from '@roomside/contract/my-visits/calls.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button, ButtonLink } from '../../ui/light/Button.tsx';
import { Visit } from '../booking/Visit.tsx';
import { AddToCalendar } from '../room/outside/EarlyVisit.tsx';
import { fullName } from '../room/outside/visit-words.ts';
import type { MyVisits } from './my-visits.ts';
import { texts } from './texts.ts';

interface Props {
  visit: UpcomingVisit;
  visits: MyVisits;
  onMove: () => void;
  onCancel: () => void;
}

/** One upcoming visit: when, with whom, and its actions. */
export function VisitCard({ visit, visits, onMove, onCancel }: Props) {
  const { appointmentUid: uid, startDate, changeUntil, doctor, hasReceipt } = visit;
  const isSoon = Date.parse(startDate) - Date.parse(visits.now) <= earlyMinutes * 60_000;
  const isOpen = visits.now <= changeUntil;
  return (
    <article className="mv-card">
      <Visit startDate={startDate} clinicZone={visits.timeZone} doctor={fullName(doctor)} />
      <div className="visit-actions">
        <ButtonLink look={isSoon ? 'primary' : 'secondary'} href={`#${to.appointmentPatient({ uid })}`}>
          {isSoon ? texts.join : texts.open}
        </ButtonLink>
        <AddToCalendar uid={uid} />
        {hasReceipt && (
          <ButtonLink look="secondary" href={`#${to.receipt({ uid })}`}>
            {texts.receipt}
          </ButtonLink>
        )}
      </div>
      {isOpen ? (
        <>
          <div className="visit-actions">
            <Button look="secondary" onClick={onMove}>
              {texts.move}
            </Button>
            <Button look="danger" onClick={onCancel}>
              {texts.cancel}
            </Button>
          </div>
          <p className="mv-note">{texts.until(formatDateTime(changeUntil, ownZone()))}</p>
        </>
      ) : (
        <p className="mv-note">
          {texts.tooLate} {visits.supportEmail && texts.write(visits.supportEmail)}
        </p>
      )}
    </article>
  );
}
