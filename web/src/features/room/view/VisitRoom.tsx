import { listFiles } from '@roomside/contract/files/calls.ts';
import { may } from '@roomside/contract/permissions.ts';
import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { Navigate, useNavigate } from 'react-router';
import { currentSignIn, onSignInChange, useSignIn } from '../../../api/sign-in.ts';
import { invalidate } from '../../../api/use-call.ts';
import { to } from '../../../paths.ts';
import { whenOf } from '../../../time/when.ts';
import { confirm } from '../../../ui/confirm.ts';
import { fullName } from '../../../ui/full-name.ts';
import { Button } from '../../../ui/light/Button.tsx';
import { toast } from '../../../ui/toast.ts';
import { isInVisit } from '../call/room-view.ts';
import type { Clock } from '../core/clock.ts';
import { isGuestPeer } from '../core/peer-id.ts';
import type { Room } from '../create-room.ts';
import { GoneVisit } from '../outside/GoneVisit.tsx';
import { OpeningVisit } from '../outside/OpeningVisit.tsx';
import { texts as outsideTexts } from '../outside/texts.ts';
import { texts } from '../texts.ts';
import { ChatPanel } from './ChatPanel.tsx';
import { useKeptFocus } from './keep-focus.ts';
import { PipFrame } from './PipFrame.tsx';
import { closePip } from './pip.ts';
import { ConsentDialog, RecordingSign, UploadProgress } from './RecordingParts.tsx';
import { RoomBar } from './RoomBar.tsx';
import { type OpenDialog, RoomDialogs } from './RoomDialogs.tsx';
import { roomEvents } from './room-events.ts';
import { TimerPill } from './TimerPill.tsx';
import { crowdedQuery, listTools } from './tools.ts';
import { useDeviceCheck } from './use-device-check.ts';
import { useDeviceNotices } from './use-device-notices.ts';
import { usePictureTool } from './use-picture-tool.tsx';
import { useRecording } from './use-recording.tsx';
import { useQueryMatch, useRoom, useStayAwake, useStore } from './use-room.ts';
import { useRoomTools } from './use-room-tools.tsx';
import { useSidePanel } from './use-side-panel.tsx';
import { VideoStage } from './VideoStage.tsx';
import { chatGivesWay } from './video-grid.ts';
import { WaitingWords } from './WaitingWords.tsx';
import './room.css';
import './bar.css';
import './stage.css';
import './panel.css';

interface Props {
  visit: Teleappointment;
  clock: Clock;
  isPatient: boolean;
  /** The toolbar is hidden from the start (ROOM-1). */
  toolbarHidden: boolean;
  /** Reads the visit again: it may have changed, or the sign-in may have ended. */
  check: () => void;
  /** The server says that it is too early: reads the visit again and restarts the room. */
  again: () => void;
}

/** Delay before another try when the clocks of device and server differ slightly, ms. */
const retryDelayMs = 1_000;

/** The room of a visit, from entering to leaving (ROOM-2). */
export function VisitRoom(props: Props) {
  const { visit, clock, isPatient, check } = props;
  const signIn = useSignIn();
  const userId = signIn.status === 'in' && !isPatient ? Number(signIn.claims.sub) : null;
  const [heard, setHeard] = useState('');
  const client = useQueryClient();
  const onReturned = () => {
    check();
    void invalidate(client, [listFiles]);
  };
  const room: Room | undefined = useRoom({
    visit,
    clock,
    isPatient,
    userId,
    ...roomEvents({ room: () => room, hear: setHeard, onCut: check, onWaitingChanged: check, onReturned }),
  });

  useEffect(() => {
    document.title = `${outsideTexts.documentTitle} · Roomside`;
  }, []);
  // Not by an effect of the state: the page may be left in the same render.
  useEffect(
    () =>
      onSignInChange(() => {
        const { status, kind } = currentSignIn();
        if (status === 'out' && kind !== 'guest') toast.info(texts.signedOut, { duration: 60_000, across: 'all' });
      }),
    [],
  );

  if (!room) return <OpeningVisit isPatient={isPatient} />;
  return (
    <>
      <OpenRoom {...props} room={room} />
      <p className="room-ear" role="status">
        {heard}
      </p>
    </>
  );
}

function OpenRoom({ room, visit, clock, isPatient, toolbarHidden, again }: Props & { room: Room }) {
  const navigate = useNavigate();
  const view = useStore(room.session.view);
  const media = useStore(room.media.view);
  const chat = useStore(room.chat.view);
  const small = useQueryMatch('(max-width: 599px)');
  // A phone on its side has no height to spare.
  const low = useQueryMatch('(max-height: 480px)');
  const [bar, setBar] = useState(!toolbarHidden);
  const [dialog, setDialog] = useState<OpenDialog>();
  const { phase, people, hasFeed, joinedAt } = view;
  const { appointment, companyName, timeZone, limit } = visit;
  const isGuest = isGuestPeer(visit.peerId);
  useStayAwake(isInVisit(view));
  const hasGone = phase.name === 'moved' || phase.name === 'over';
  useEffect(() => {
    if (hasGone) closePip();
  }, [hasGone]);

  const setUp = useEffectEvent(() => room.chat.setOpen(!small && !low));
  useEffect(() => setUp(), [room]);
  // STATE-21: closes the chat once. The user may open it again.
  const gives = chatGivesWay({ smallScreen: small || low, peers: people.length, hasFeed });
  useEffect(() => {
    if (gives) room.chat.setOpen(false);
  }, [gives, room]);

  // While a patient waits, a message of the clinic is the most important thing on the screen.
  const isWrittenTo = isPatient && !hasFeed && chat.unread > 0;
  useEffect(() => {
    if (isWrittenTo) room.chat.setOpen(true);
  }, [isWrittenTo, room]);
  useDeviceNotices(room.media);
  const isEarly = phase.name === 'over' && phase.why === 'early';
  const askAgain = useEffectEvent(again);
  useEffect(() => {
    if (isEarly) return clock.after(retryDelayMs, () => askAgain());
  }, [isEarly, clock]);

  const signIn = useSignIn();
  const mayInvite = signIn.status === 'in' && may(signIn.caller, 'guests.invite');
  const recording = useRecording(room);

  async function leave() {
    if (!(await recording.mayLeave())) return;
    const unsent = await room.leave();
    if (unsent > 0) toast.warning(texts.notices.leftUnsent, { duration: 10_000, across: 'next' });
    await navigate(isGuest ? to.guestLeft() : to.waitingRoom());
  }

  async function end() {
    const block = recording.endBlock();
    if (block) return toast.warning(block);
    if (hasFeed) {
      const sure = await confirm({ text: texts.endQuestion, yes: texts.endYes, no: texts.endNo, danger: true });
      if (!sure) return;
    }
    try {
      await room.session.end();
    } catch {
      toast.error(texts.endFailed);
      return;
    }
    await room.leave();
    const { patientId: patient, appointmentId: id } = appointment;
    await navigate(isPatient ? to.thankYou() : to.appointmentEdit({ patient, id }), { replace: true });
  }

  const checking = useDeviceCheck({ visit, media: room.media, isOn: isPatient && !hasFeed, isReported: !isGuest });
  const side = useSidePanel({ room, visit, isPatient, isGuest });
  const picture = usePictureTool({ room, isPatient, patientId: appointment.patientId });
  const tools = useRoomTools({
    room,
    isPatient,
    record: recording.tool,
    isGuest,
    canLeave: !isPatient || isGuest || hasFeed,
    onLeave: () => void leave(),
    onEnd: () => void end(),
    onInvite: mayInvite ? () => setDialog({ name: 'invite' }) : undefined,
    onSettings: () => setDialog({ name: 'settings' }),
    onResolution: (at) => setDialog({ name: 'resolution', at }),
    onAway: () => void navigate(to.patientAppointments({ id: appointment.patientId })),
  });
  const allTools = listTools(...side.tools, picture.tool, ...tools);
  const crowded = useQueryMatch(crowdedQuery(allTools.length));

  if (phase.name === 'over') {
    if (phase.why === 'early') return <OpeningVisit isPatient={isPatient} />;
    if (phase.why === 'no-provider') return <Navigate to={to.guest()} replace />;
    if (phase.why === 'ended' && isPatient)
      return <Navigate to={isGuest ? `${to.guestOver()}?ended` : to.thankYou()} replace />;
    return <GoneVisit why={phase.why} isPatient={isPatient} visit={visit} />;
  }

  const other = fullName(isPatient ? appointment.doctor : appointment.patient);
  const subBar = isPatient && !gives;
  return (
    <div className="room rs-dark" data-bar={bar || undefined} data-chat={chat.open || undefined}>
      <RoomBar
        title={isPatient ? companyName : other}
        peerId={visit.peerId}
        hidden={!bar}
        crowded={crowded}
        tools={allTools}
      >
        {side.progress}
        <UploadProgress recording={room.recording} />
      </RoomBar>
      {chat.open && <ChatPanel chat={room.chat} online={view.online} overlay={small} />}
      <main className="room-main">
        {subBar && (
          <div className="room-subbar">
            <span>
              {other}, {whenOf(appointment.startDate, timeZone).time}
            </span>
            {!hasFeed && phase.name !== 'moved' && <LaterButton onSelect={() => void leave()} />}
          </div>
        )}
        <VideoStage room={room} isPatient={isPatient} bar={bar} onToggleBar={() => setBar(!bar)}>
          {phase.name === 'moved' ? (
            <div className="room-words">
              <h2>{texts.moved}</h2>
              <p>{texts.movedNote}</p>
              <Button onClick={() => room.session.useHere()}>{texts.useHere}</Button>
            </div>
          ) : (
            !hasFeed && (
              <WaitingWords
                visit={visit}
                view={view}
                media={media}
                isPatient={isPatient}
                onCheck={() => setDialog({ name: 'check' })}
              />
            )
          )}
          <RecordingSign recording={room.recording} />
          {!isPatient && joinedAt !== null && (
            <TimerPill startsAt={Date.parse(appointment.startDate)} joinedAt={joinedAt} limit={limit} clock={clock} />
          )}
        </VideoStage>
      </main>
      <PipFrame room={room} name={other} />
      {side.panel}
      {picture.sheet}
      <RoomDialogs
        room={room}
        uid={appointment.appointmentUid}
        isPatient={isPatient}
        patientName={fullName(appointment.patient)}
        dialog={dialog}
        checking={checking}
        onClose={() => setDialog(undefined)}
      />
      <ConsentDialog recording={room.recording} isPatient={isPatient} />
    </div>
  );
}

/** ROLE-2: leaves before anyone else is in the room. */
function LaterButton({ onSelect }: { onSelect: () => void }) {
  const button = useKeptFocus<HTMLButtonElement>();
  return (
    <button ref={button} type="button" className="rs-link room-later" onClick={onSelect}>
      {texts.comeBackLater}
    </button>
  );
}
