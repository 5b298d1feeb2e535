import CloseIcon from '@mui/icons-material/Close';
import MicIcon from '@mui/icons-material/MicNone';
import MicOffIcon from '@mui/icons-material/MicOff';
import { useEffect, useEffectEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { to } from '../../../paths.ts';
import { fullName } from '../../../ui/full-name.ts';
import { toast } from '../../../ui/toast.ts';
import { isFeed, isInVisit, type Phase } from '../call/room-view.ts';
import { leaveRunning, type RunningVisit } from '../running-visit.ts';
import { texts } from '../texts.ts';
import { PipFrame } from './PipFrame.tsx';
import { ConsentDialog, RecordingSign } from './RecordingParts.tsx';
import { roomEvents } from './room-events.ts';
import { Tile } from './Tile.tsx';
import { useDeviceNotices } from './use-device-notices.ts';
import { useRecording } from './use-recording.tsx';
import { useStayAwake, useStore } from './use-room.ts';
import { turnOnSound } from './use-room-tools.tsx';
import './stage.css';
import './corner.css';

const words = texts.running;

/** The visit in a corner of other pages: video and sound go on, and one button leads back. */
export function RunningVisitCorner({ running }: { running: RunningVisit }) {
  const { room, visit } = running;
  const navigate = useNavigate();
  const [heard, setHeard] = useState('');
  const view = useStore(room.session.view);
  const { muted, speaker } = useStore(room.media.view);
  const { unread } = useStore(room.chat.view);
  const { people, phase } = view;
  const { appointmentUid, patient } = visit.appointment;
  const name = fullName(patient);
  useStayAwake(isInVisit(view));
  useDeviceNotices(room.media);

  const back = () => void navigate(to.appointment({ uid: appointmentUid }));
  const open = useEffectEvent(back);
  useEffect(() => {
    const events = roomEvents({
      room: () => room,
      hear: setHeard,
      onCut: () => void leaveRunning(),
      // The page of the room reads the visit when it opens.
      onWaitingChanged: () => undefined,
      onReturned: () => undefined,
    });
    // The chat is not seen here.
    room.chat.setOpen(false);
    return room.listen({
      ...events,
      onMessage: (from, text) =>
        toast.info(texts.chatPanel.said(from, text), { action: { label: words.show, run: () => open() } }),
    });
  }, [room]);
  const ended = wordsForEnd(phase);
  const onEnded = useEffectEvent((why: string) => {
    toast.info(why);
    void leaveRunning();
  });
  useEffect(() => {
    if (ended) onEnded(ended);
  }, [ended]);

  const faces = people.filter(isFeed);
  const [first, ...others] = faces;
  const recording = useRecording(room);
  async function leave() {
    if (await recording.mayLeave()) await leaveRunning();
  }
  return (
    <aside className="room-corner rs-dark" aria-label={words.label(name)}>
      <div className="room-corner-video">
        {first ? <Tile person={first} speaker={speaker} /> : <p>{words.alone(name)}</p>}
        <RecordingSign recording={room.recording} />
        {/* Everybody is heard. */}
        <div hidden>
          {others.map((person) => (
            <Tile key={person.peerId} person={person} speaker={speaker} />
          ))}
        </div>
      </div>
      <div className="room-corner-tools">
        <button type="button" className="rs-button rs-button-primary" onClick={back}>
          {unread > 0 ? words.backUnread(unread) : words.back}
        </button>
        <button
          type="button"
          className="room-tool"
          aria-label={texts.mute}
          aria-pressed={muted}
          title={texts.mute}
          data-warn={muted || undefined}
          onClick={() => (muted ? void turnOnSound(room.media) : room.media.setMuted(true))}
        >
          {muted ? <MicOffIcon /> : <MicIcon />}
        </button>
        <button
          type="button"
          className="room-tool"
          aria-label={words.leave}
          title={words.leave}
          onClick={() => void leave()}
        >
          <CloseIcon />
        </button>
      </div>
      <PipFrame room={room} name={name} onBack={back} />
      <ConsentDialog recording={room.recording} isPatient={false} />
      <p className="room-ear" role="status">
        {heard}
      </p>
    </aside>
  );
}

/** Why the visit is not in the corner any more; undefined while it is. */
function wordsForEnd(phase: Phase): string | undefined {
  if (phase.name === 'moved') return texts.moved;
  if (phase.name !== 'over') return undefined;
  return phase.why === 'cancelled' ? words.cancelled : words.over;
}
