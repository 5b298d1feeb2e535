import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { getTeleappointment, type Teleappointment } from '@roomside/contract/room/calls.ts';
import { opensAt } from '@roomside/contract/room/opens-at.ts';
import { useEffect, useMemo, useState } from 'react';
import { Navigate, useLocation, useParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { Instead } from '../../Instead.tsx';
import { to } from '../../paths.ts';
import { later } from '../../ui/later.tsx';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { toast } from '../../ui/toast.ts';
import { type Clock, clockOf } from './core/clock.ts';
import { isGuestPeer } from './core/peer-id.ts';
import { EarlyVisit } from './outside/EarlyVisit.tsx';
import { GoneVisit } from './outside/GoneVisit.tsx';
import { OpeningVisit } from './outside/OpeningVisit.tsx';
import { texts } from './outside/texts.ts';
import { type Gate, gateInRoom, gateOf } from './outside/visit-gate.ts';

/** Loads Material's components and the hub, which an early patient does not need. */
export const VisitRoom = later(
  async () => (await import('./view/ThemedRoom.tsx')).ThemedRoom,
  ({ isPatient }) => <OpeningVisit isPatient={isPatient} />,
);

/** Longest delay of setTimeout (31 bits), ms. */
const maxTimeoutMs = 2 ** 31 - 1;
/** Interval at which an early patient's page reads the visit again: staff may move it, ms. */
const refetchIntervalMs = 60_000;

/**
 * /appointment/{uid}, with /pt for the patient's side, or any other third segment to hide the toolbar (ROOM-1); /guest/room for the visit of
 * a guest.
 */
export function RoomPage() {
  const { uid = '', toolbar } = useParams();
  const signIn = useSignIn();
  const isGuestRoom = useLocation().pathname === to.guestRoom();
  // The tab becomes a guest's when the page has opened.
  if (isGuestRoom && signIn.kind !== 'guest') return <OpeningVisit isPatient />;
  if (isGuestRoom && signIn.status !== 'in') return <Navigate to={to.guestOver()} replace />;
  const visitUid = normalizeUid(isGuestRoom && signIn.status === 'in' ? (signIn.claims.appointment ?? '') : uid);
  const isPatient = signIn.kind !== 'staff';
  return (
    <VisitGate
      key={`${signIn.kind} ${visitUid}`}
      uid={visitUid}
      isPatient={isPatient}
      toolbarHidden={toolbar !== undefined}
    />
  );
}

interface Props {
  uid: string;
  isPatient: boolean;
  toolbarHidden: boolean;
}

/** Reads the visit and shows its room, or the page before it. */
function VisitGate({ uid, isPatient, toolbarHidden }: Props) {
  /** The start with which the room was opened. */
  const [openedAt, setOpenedAt] = useState<string>();
  const [isEarly, setEarly] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const read = useRead(
    getTeleappointment,
    { params: { uid } },
    { staleTime: 0, ...(isEarly && { refetchInterval: refetchIntervalMs }) },
  );
  // A cached result may describe a room that has been closed since.
  const visit = read.isFetchedAfterMount ? read.data : undefined;
  const { dataUpdatedAt, refetch } = read;
  const serverNow = visit?.now;
  const clock = useMemo(
    () => (serverNow === undefined ? undefined : clockOf(serverNow, dataUpdatedAt)),
    [serverNow, dataUpdatedAt],
  );
  const isGuest = visit !== undefined && isGuestPeer(visit.peerId);
  const present = visit && clock ? gateOf(visit.appointment, isPatient, isGuest ? Infinity : clock.now()) : undefined;
  const startDate = visit?.appointment.startDate;
  const isInRoom = present !== undefined && startDate !== undefined && openedAt !== undefined;
  const gate = isInRoom ? gateInRoom(present, startDate, openedAt) : present;

  // Staff are never early: the room is loaded while the visit is read. A failure is shown when it is needed.
  useEffect(() => {
    if (!isPatient) void VisitRoom.preload().catch(() => undefined);
  }, [isPatient]);
  useEffect(() => {
    if (gate === 'open') setOpenedAt(startDate);
    setEarly(gate === 'early');
  }, [gate, startDate]);
  const isSentOut = isInRoom && gate === 'early';
  useEffect(() => {
    if (!isSentOut) return;
    setOpenedAt(undefined);
    toast.info(texts.early.moved, { duration: 10_000 });
  }, [isSentOut]);
  useEffect(() => {
    if (gate !== 'early' || !clock || startDate === undefined) return;
    const wait = Math.min(maxTimeoutMs, opensAt(startDate) - clock.now());
    return clock.after(Math.max(0, wait), () => void refetch());
  }, [gate, clock, startDate, refetch]);

  if (!visit || !clock) {
    return read.isError ? (
      <CannotOpen error={read.error} again={() => void refetch()} />
    ) : (
      <OpeningVisit isPatient={isPatient} />
    );
  }
  const again = () => {
    setOpenedAt(undefined);
    void refetch().then(() => setAttempt((count) => count + 1));
  };
  const check = () => void refetch();
  return (
    <Behind
      key={attempt}
      gate={gate ?? 'open'}
      visit={visit}
      clock={clock}
      isPatient={isPatient}
      toolbarHidden={toolbarHidden}
      check={check}
      again={again}
    />
  );
}

interface BehindProps extends Pick<Props, 'isPatient' | 'toolbarHidden'> {
  gate: Gate;
  visit: Teleappointment;
  clock: Clock;
  /** Reads the visit again; `again` also restarts the room. */
  check: () => void;
  again: () => void;
}

function Behind({ gate, visit, clock, isPatient, toolbarHidden, check, again }: BehindProps) {
  const { appointment } = visit;
  switch (gate) {
    case 'payment':
      return (
        <>
          <OpeningVisit isPatient={isPatient} />
          <Instead page={to.patientPayment({ uid: appointment.appointmentUid })} />
        </>
      );
    case 'ended':
      return <Navigate to={isGuestPeer(visit.peerId) ? to.guestOver() : to.thankYou()} replace />;
    case 'cancelled':
      return <GoneVisit why="cancelled" isPatient={isPatient} visit={visit} />;
    case 'early':
      return <EarlyVisit visit={visit} />;
    case 'open':
      return (
        <VisitRoom
          visit={visit}
          clock={clock}
          isPatient={isPatient}
          toolbarHidden={toolbarHidden}
          check={check}
          again={again}
        />
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
