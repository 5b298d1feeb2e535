import type { ResultOf } from '@roomside/contract/call.ts';
import { listMyAppointments } from '@roomside/contract/my-appointments/calls.ts';
import { opensAt } from '@roomside/contract/room/opens-at.ts';
import { wordsFor } from '../../../api/errors.ts';
import { useRead } from '../../../api/use-call.ts';
import { to } from '../../../paths.ts';
import { fullName } from '../../../ui/full-name.ts';
import { Button, ButtonLink } from '../../../ui/light/Button.tsx';
import { Notice } from '../../../ui/light/Notice.tsx';
import { Page } from '../../../ui/light/Page.tsx';
import { Spinner } from '../../../ui/light/Spinner.tsx';
import { texts as uiTexts } from '../../../ui/texts.ts';
import { AddToCalendar, VisitTime } from './EarlyVisit.tsx';
import { SharedFiles } from './SharedFiles.tsx';
import { texts } from './texts.ts';
import './waiting.css';

type MyAppointment = ResultOf<typeof listMyAppointments>['data'][number];

/** A patient's /waiting-room: their own visit, with a link back into it (ROOM-10). */
export function PatientWaitingPage() {
  const { data, error, refetch, isFetchedAfterMount } = useRead(listMyAppointments, undefined, { staleTime: 0 });
  if (error && !data) {
    return (
      <Page title={texts.mine.eyebrow}>
        <Notice kind="error">{wordsFor(error)}</Notice>
        <Button onClick={() => void refetch()}>{uiTexts.tryAgain}</Button>
      </Page>
    );
  }
  if (!data || !isFetchedAfterMount) {
    return (
      <Page title={texts.mine.eyebrow}>
        <Spinner label={uiTexts.loading} />
      </Page>
    );
  }
  const [visit] = data.data;
  if (visit) return <OwnVisit visit={visit} now={Date.parse(data.now)} />;
  return (
    <Page eyebrow={texts.mine.eyebrow} title={texts.mine.none}>
      <p className="rs-text">{texts.mine.noneNote}</p>
      <ButtonLink look="primary" href={`#${to.link()}`}>
        {texts.mine.enterCode}
      </ButtonLink>
    </Page>
  );
}

function OwnVisit({ visit, now }: { visit: MyAppointment; now: number }) {
  const { appointmentUid: uid, startDate, timeZone, companyName, doctor, cancelled, ended } = visit;
  if (cancelled || ended) {
    return (
      <Page eyebrow={companyName} title={cancelled ? texts.gone.cancelled : texts.mine.ended}>
        {cancelled && <p className="rs-text">{texts.gone.cancelledNote}</p>}
        {ended && <SharedFiles visit={visit} />}
      </Page>
    );
  }
  const isEarly = now < opensAt(visit.startDate);
  return (
    <Page eyebrow={companyName} title={isEarly ? texts.mine.earlyTitle : texts.mine.title}>
      <p className="rs-text">{texts.mine.intro(fullName(doctor))}</p>
      <VisitTime startDate={startDate} timeZone={timeZone} />
      <div className="visit-actions">
        <ButtonLink look="primary" href={`#${to.appointmentPatient({ uid })}`}>
          {isEarly ? texts.mine.open : texts.mine.rejoin}
        </ButtonLink>
        {isEarly && <AddToCalendar uid={uid} />}
        {isEarly && (
          <ButtonLink look="secondary" href={`#${to.patient()}`}>
            {texts.early.change}
          </ButtonLink>
        )}
      </div>
      <SharedFiles visit={visit} />
    </Page>
  );
}
