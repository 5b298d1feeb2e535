import { cancelMyVisit, listUpcomingVisits, type UpcomingVisit } from '@roomside/contract/my-visits/calls.ts';
import { useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { Visit } from '../booking/Visit.tsx';
import { fullName } from '../room/outside/visit-words.ts';
import { MoveVisit } from './MoveVisit.tsx';
import type { MyVisits } from './my-visits.ts';
import { texts } from './texts.ts';
import { VisitCard } from './VisitCard.tsx';
import './my-visits.css';

/** The current view of the page. */
type Mode =
  | { name: 'list'; said?: string; wrong?: string }
  | { name: 'move'; visit: UpcomingVisit }
  | { name: 'cancel'; visit: UpcomingVisit }
  | { name: 'cancelled'; visit: UpcomingVisit };

/** /patient: the patient's own area (ROUTE-8). */
export function MyVisitsPage() {
  const { data, error, refetch } = useRead(listUpcomingVisits, undefined, { staleTime: 0, refetchInterval: 60_000 });
  const [mode, setMode] = useState<Mode>({ name: 'list' });
  // The sign-in may have ended with the cancelled visit; the confirmation is shown anyway.
  if (mode.name === 'cancelled') return <Cancelled visit={mode.visit} zone={data?.timeZone} onRest={() => rest()} />;
  if (!data) {
    return (
      <Page title={texts.eyebrow}>
        {error ? (
          <>
            <Notice kind="error">{wordsFor(error)}</Notice>
            <Button onClick={() => void refetch()}>{uiTexts.tryAgain}</Button>
          </>
        ) : (
          <Spinner label={uiTexts.loading} />
        )}
      </Page>
    );
  }
  const back = (next: Omit<Extract<Mode, { name: 'list' }>, 'name'> = {}) => {
    setMode({ name: 'list', ...next });
    void refetch();
  };
  if (mode.name === 'move') return <MoveVisit visits={data} visit={mode.visit} onDone={back} />;
  if (mode.name === 'cancel') {
    return (
      <CancelVisit
        visits={data}
        visit={mode.visit}
        onKeep={back}
        onCancelled={() => setMode({ name: 'cancelled', visit: mode.visit })}
      />
    );
  }
  return (
    <Page eyebrow={data.companyName} title={texts.title}>
      {mode.said && <Notice kind="success">{mode.said}</Notice>}
      {mode.wrong && <Notice kind="error">{mode.wrong}</Notice>}
      {data.data.length === 0 && <p className="rs-text">{texts.none}</p>}
      <ul className="mv-list">
        {data.data.map((visit) => (
          <li key={visit.appointmentUid}>
            <VisitCard
              visit={visit}
              visits={data}
              onMove={() => setMode({ name: 'move', visit })}
              onCancel={() => setMode({ name: 'cancel', visit })}
            />
          </li>
        ))}
      </ul>
      {data.companyUid && (
        <a className="rs-button rs-button-quiet" href={`#${to.patientBook({ companyUid: data.companyUid })}`}>
          {texts.another}
        </a>
      )}
    </Page>
  );

  function rest() {
    setMode({ name: 'list' });
    void refetch();
  }
}

interface CancelProps {
  visits: MyVisits;
  visit: UpcomingVisit;
  onKeep: (next?: { wrong?: string }) => void;
  onCancelled: () => void;
}

/** Asks before a visit is cancelled. */
function CancelVisit({ visits, visit, onKeep, onCancelled }: CancelProps) {
  const [busy, setBusy] = useState(false);
  async function cancel() {
    setBusy(true);
    try {
      const params = { uid: visit.appointmentUid };
      await send(cancelMyVisit, { params, body: { version: visit.version } });
      onCancelled();
    } catch (error) {
      onKeep({ wrong: isRefusal(error, 'stale') ? texts.moving.stale : wordsFor(error) });
    }
  }
  return (
    <Page eyebrow={visits.companyName} title={texts.cancelling.title}>
      <Visit startDate={visit.startDate} clinicZone={visits.timeZone} doctor={fullName(visit.doctor)} />
      <p className="rs-text">{texts.cancelling.text}</p>
      <div className="rs-form">
        <Button look="danger-primary" busy={busy} onClick={() => void cancel()}>
          {texts.cancelling.yes}
        </Button>
        <Button look="quiet" onClick={() => onKeep()}>
          {texts.cancelling.no}
        </Button>
      </div>
    </Page>
  );
}

function Cancelled({ visit, zone, onRest }: { visit: UpcomingVisit; zone: string | undefined; onRest: () => void }) {
  return (
    <Page eyebrow={texts.eyebrow} title={texts.cancelling.done}>
      {zone && <Visit startDate={visit.startDate} clinicZone={zone} doctor={fullName(visit.doctor)} />}
      <Notice kind="success">{texts.cancelling.doneNote}</Notice>
      <Button look="quiet" onClick={onRest}>
        {texts.cancelling.rest}
      </Button>
    </Page>
  );
}
