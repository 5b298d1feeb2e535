import {
  cancelMyAppointment,
  listUpcomingAppointments,
  type UpcomingAppointment,
} from '@roomside/contract/my-appointments/calls.ts';
import { useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { fullName } from '../../ui/full-name.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { Visit } from '../booking/Visit.tsx';
import { MoveAppointment } from './MoveAppointment.tsx';
import { MyAppointmentCard } from './MyAppointmentCard.tsx';
import type { MyAppointments } from './my-appointments.ts';
import { texts } from './texts.ts';
import './my-appointments.css';

/** The current view of the page. */
type Mode =
  | { name: 'list'; said?: string; wrong?: string }
  | { name: 'move'; visit: UpcomingAppointment }
  | { name: 'cancel'; visit: UpcomingAppointment }
  | { name: 'cancelled'; visit: UpcomingAppointment };

/** /patient: the patient's own area (ROUTE-8). */
export function MyAppointmentsPage() {
  const [mode, setMode] = useState<Mode>({ name: 'list' });
  const { data, error, refetch } = useRead(listUpcomingAppointments, undefined, {
    // The sign-in may have ended with the cancelled visit; the confirmation is shown anyway.
    enabled: mode.name !== 'cancelled',
    staleTime: 0,
    refetchInterval: 60_000,
  });
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
  if (mode.name === 'move') return <MoveAppointment visits={data} visit={mode.visit} onDone={back} />;
  if (mode.name === 'cancel') {
    return (
      <CancelAppointment
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
            <MyAppointmentCard
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
  visits: MyAppointments;
  visit: UpcomingAppointment;
  onKeep: (next?: { wrong?: string }) => void;
  onCancelled: () => void;
}

/** Asks before a visit is cancelled. */
function CancelAppointment({ visits, visit, onKeep, onCancelled }: CancelProps) {
  const [busy, setBusy] = useState(false);
  async function cancel() {
    setBusy(true);
    try {
      const params = { uid: visit.appointmentUid };
      await send(cancelMyAppointment, { params, body: { version: visit.version } });
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

function Cancelled({
  visit,
  zone,
  onRest,
}: {
  visit: UpcomingAppointment;
  zone: string | undefined;
  onRest: () => void;
}) {
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
