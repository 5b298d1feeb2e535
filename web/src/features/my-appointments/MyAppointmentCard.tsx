import type { UpcomingAppointment } from '@roomside/contract/my-appointments/calls.ts';
import { opensAt } from '@roomside/contract/room/opens-at.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { fullName } from '../../ui/full-name.ts';
import { Button, ButtonLink } from '../../ui/light/Button.tsx';
import { Visit } from '../booking/Visit.tsx';
import { AddToCalendar } from '../room/outside/EarlyVisit.tsx';
import type { MyAppointments } from './my-appointments.ts';
import { texts } from './texts.ts';

interface Props {
  visit: UpcomingAppointment;
  visits: MyAppointments;
  onMove: () => void;
  onCancel: () => void;
}

/** One upcoming visit: when, with whom, and its actions. */
export function MyAppointmentCard({ visit, visits, onMove, onCancel }: Props) {
  const { appointmentUid: uid, startDate, changeUntil, doctor, hasReceipt } = visit;
  const isSoon = Date.parse(visits.now) >= opensAt(startDate);
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
