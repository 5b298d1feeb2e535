import { guestName } from '@roomside/contract/guests/guest-name.ts';
import { may } from '@roomside/contract/permissions.ts';
import {
  deleteRecording,
  deleteRecordings,
  listRecordings,
  type Recording,
} from '@roomside/contract/recordings/calls.ts';
import { useEffect, useEffectEvent, useState } from 'react';
import { useSignIn } from '../../api/sign-in.ts';
import { useChange } from '../../api/use-call.ts';
import { confirm } from '../../ui/confirm.ts';
import { PlaybackBar } from './PlaybackBar.tsx';
import { TrackTile } from './TrackTile.tsx';
import { texts } from './texts.ts';
import { usePlayer } from './use-player.ts';
import './recordings.css';

interface Props {
  appointmentId: number;
  recordings: readonly Recording[];
  timeZone: string;
  back: string;
  /** The addresses of segments may have expired: reads them again. */
  onExpired: () => void;
}

/** The step of the arrow keys, ms. */
const stepMs = 5_000;

/** REC-2, REC-3: the tracks in a grid, played by one clock. */
export function Viewer({ appointmentId, recordings, timeZone, back, onExpired }: Props) {
  const { player, timeline, view } = usePlayer(recordings);
  const [bar, setBar] = useState(true);
  const signIn = useSignIn();
  const mayDelete = signIn.status === 'in' && may(signIn.caller, 'recording.delete');
  const removeOne = useChange(deleteRecording, { invalidates: [listRecordings], success: texts.deletedTrack });
  const removeAll = useChange(deleteRecordings, { invalidates: [listRecordings], success: texts.deleted });
  useKeys({
    ' ': () => player.toggle(),
    ArrowLeft: () => player.seekBy(-stepMs),
    ArrowRight: () => player.seekBy(stepMs),
  });

  const shown = recordings.filter(({ recordingId }) => !view.hidden.has(recordingId));
  const sure = (text: string, whose: readonly string[]) =>
    confirm({ text, details: [whose.join(', '), texts.deleteNote], yes: texts.delete, no: texts.keep, danger: true });

  return (
    <div className="rec" data-bar={bar || undefined}>
      {bar && (
        <PlaybackBar
          player={player}
          view={view}
          timeline={timeline}
          names={new Map(recordings.map((one) => [one.recordingId, nameOf(one)]))}
          back={back}
          onDeleteAll={
            mayDelete
              ? () =>
                  void sure(texts.deleteQuestion, recordings.map(nameOf)).then(
                    (yes) => yes && removeAll.mutate({ params: { appointmentId } }),
                  )
              : undefined
          }
        />
      )}
      <div className="rec-area">
        {/* REC-3: a click on the background. It is below the tracks, and works by keyboard. */}
        <button
          type="button"
          className="rec-background"
          aria-label={bar ? texts.hideToolbar : texts.showToolbar}
          aria-expanded={bar}
          onClick={() => setBar(!bar)}
        />
        {shown.length === 0 && <p className="rec-closed">{texts.allClosed}</p>}
        <div className="rec-grid" style={{ '--columns': Math.min(3, shown.length) } as React.CSSProperties}>
          {shown.map((recording) => (
            <TrackTile
              key={recording.recordingId}
              appointmentId={appointmentId}
              recording={recording}
              name={nameOf(recording)}
              timeZone={timeZone}
              player={player}
              playing={timeline.at(recording.recordingId, view.position)?.id}
              onExpired={onExpired}
              onDelete={
                mayDelete
                  ? () =>
                      void sure(texts.deleteTrackQuestion, [nameOf(recording)]).then(
                        (yes) => yes && removeOne.mutate({ params: { recordingId: recording.recordingId } }),
                      )
                  : undefined
              }
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function nameOf({ patient, user, guest }: Recording): string {
  if (guest) return guestName(guest);
  const { firstName, lastName } = patient ?? user ?? { firstName: '', lastName: '' };
  return `${firstName} ${lastName}`.trim();
}

/** Keys of the page, except where a key types or presses something. */
function useKeys(keys: Record<string, () => void>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const run = keys[event.key];
    const { target } = event;
    const isControl =
      target instanceof Element &&
      target.closest(
        'input:not([type="range"]), select, textarea, [role="alertdialog"], [role="listbox"], [role="combobox"]',
      );
    const isPressed = event.key === ' ' && target instanceof Element && target.closest('button, a');
    if (!run || isControl || isPressed || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    run();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
