import { getTeleappointment, type Teleappointment } from '@roomside/contract/room/calls.ts';
import { normaliseUid } from '@roomside/contract/shape.ts';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { Navigate, useParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { type Clock, clockOf } from './clock.ts';
import { EarlyVisit } from './EarlyVisit.tsx';
import { GoneVisit } from './GoneVisit.tsx';
import { OpeningVisit } from './OpeningVisit.tsx';
import { texts } from './texts.ts';
import { type Gate, gateOf, opensAt } from './visit-gate.ts';

/** Comes with Material's components and the connection, which a person who is early does not need. */
const VisitRoom = lazy(async () => ({ default: (await import('./ThemedRoom.tsx')).ThemedRoom }));

/** setTimeout counts in 31 bits, ms. */
const longestTimer = 2 ** 31 - 1;
/** Staff may move the visit while its patient waits for the time, ms. */
const askAgainMs = 60_000;

/** /appointment/{uid}, with /pt for the patient's side, or any other third segment to hide the toolbar (ROOM-1). */
export function RoomPage() {
  const { uid = '', toolbar } = useParams();
  const session = useSignIn();
  const visitUid = normaliseUid(uid);
  const iAmPatient = session.kind === 'patient';
  return (
    <VisitGate
      key={`${session.kind} ${visitUid}`}
      {...{ uid: visitUid, iAmPatient, toolbarHidden: toolbar !== undefined }}
    />
  );
}

interface Props {
  uid: string;
  iAmPatient: boolean;
  toolbarHidden: boolean;
}

/** Asks for the visit and shows its room, or what stands before it. */
function VisitGate({ uid, iAmPatient, toolbarHidden }: Props) {
  const [opened, setOpened] = useState(false);
  const [isEarly, setEarly] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const read = useRead(
    getTeleappointment,
    { params: { uid } },
    { staleTime: 0, ...(isEarly && { refetchInterval: askAgainMs }) },
  );
  // An answer of an earlier visit to this page may know a room that has since been closed.
  const visit = read.isFetchedAfterMount ? read.data : undefined;
  const { dataUpdatedAt, refetch } = read;
  const serverNow = visit?.now;
  const clock = useMemo(
    () => (serverNow === undefined ? undefined : clockOf(serverNow, dataUpdatedAt)),
    [serverNow, dataUpdatedAt],
  );
  const present = visit && clock ? gateOf(visit.appointment, iAmPatient, clock.now()) : undefined;
  // Whoever is in the room is sent away by the room's own events only.
  const gate: Gate | undefined = opened && visit ? 'open' : present;

  useEffect(() => {
    if (gate === 'open') setOpened(true);
    setEarly(gate === 'early');
  }, [gate]);
  const startDate = visit?.appointment.startDate;
  useEffect(() => {
    if (gate !== 'early' || !clock || startDate === undefined) return;
    const wait = Math.min(longestTimer, opensAt({ startDate }) - clock.now());
    return clock.after(Math.max(0, wait), () => void refetch());
  }, [gate, clock, startDate, refetch]);

  if (!visit || !clock) {
    return read.isError ? (
      <CannotOpen error={read.error} again={() => void refetch()} />
    ) : (
      <OpeningVisit iAmPatient={iAmPatient} />
    );
  }
  const again = () => {
    setOpened(false);
    void refetch().then(() => setAttempt((count) => count + 1));
  };
  const check = () => void refetch();
  return <Behind key={attempt} {...{ gate: gate ?? 'open', visit, clock, iAmPatient, toolbarHidden, check, again }} />;
}

interface BehindProps extends Pick<Props, 'iAmPatient' | 'toolbarHidden'> {
  gate: Gate;
  visit: Teleappointment;
  clock: Clock;
  /** Asks for the visit again; `again` also begins anew. */
  check: () => void;
  again: () => void;
}

function Behind({ gate, visit, clock, iAmPatient, toolbarHidden, check, again }: BehindProps) {
  const { appointment } = visit;
  switch (gate) {
    case 'payment':
      return <Navigate to={to.patientPayment({ uid: appointment.appointmentUid })} replace />;
    case 'ended':
      return <Navigate to={to.thankYou()} replace />;
    case 'cancelled':
      return <GoneVisit why="cancelled" iAmPatient={iAmPatient} visit={visit} />;
    case 'early':
      return <EarlyVisit visit={visit} />;
    case 'open':
      return (
        <Suspense fallback={<OpeningVisit iAmPatient={iAmPatient} />}>
          <VisitRoom {...{ visit, clock, iAmPatient, toolbarHidden, check, again }} />
        </Suspense>
      );
  }
}

function CannotOpen({ error, again }: { error: Error; again: () => void }) {
  const gone = isRefusal(error, 'not-found') || isRefusal(error, 'malformed');
  return (
    <Page title={texts.documentTitle}>
      <Notice kind="error">{gone ? texts.gone.notFound : wordsFor(error)}</Notice>
      <Button onClick={again}>{uiTexts.tryAgain}</Button>
    </Page>
  );
}
