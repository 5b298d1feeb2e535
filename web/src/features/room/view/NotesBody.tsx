import { limits } from '@roomside/contract/limits.ts';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import type { NotesSaver, NotesState } from '../../appointments/notes-saver.ts';
import type { RoomNotes } from '../notes/room-notes.ts';
import { texts } from '../notes/texts.ts';
import { useStore } from './use-room.ts';
import './notes.css';

/** The field of the notes with what it says about saving, in the panel and in the small window (STATE-20). `takesFocus`: from the panel. */
export function NotesBody({ notes, takesFocus = false }: { notes: RoomNotes; takesFocus?: boolean }) {
  const { load, saver } = useStore(notes.view);
  useEffect(() => {
    notes.show();
    return () => notes.hide();
  }, [notes]);
  if (saver) return <Editor saver={saver} takesFocus={takesFocus} />;
  return (
    <p className="room-panel-note" role="status">
      {load === 'failed' ? texts.notLoaded : texts.loading}
    </p>
  );
}

function Editor({ saver, takesFocus }: { saver: NotesSaver; takesFocus: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const takeFocus = useEffectEvent(() => {
    // The panel got the focus before the notes were loaded.
    if (takesFocus && document.activeElement === field.current?.closest('.room-panel')) field.current?.focus();
  });
  useEffect(() => takeFocus(), []);
  const state = useSyncExternalStore(saver.subscribe, saver.getState);
  const { text, status, error, other = '' } = state;
  return (
    <>
      <textarea
        ref={field}
        className="room-notes-field"
        aria-label={texts.title}
        aria-describedby="room-notes-foot"
        aria-invalid={status === 'refused' || undefined}
        placeholder={texts.placeholder}
        maxLength={limits.notes}
        value={text}
        onChange={(event) => saver.change(event.target.value)}
        onBlur={() => void saver.flush()}
      />
      {status === 'conflict' && (
        <div className="room-notes-conflict" role="alert">
          <strong>{texts.conflict}</strong>
          <span>{texts.theirs}</span>
          <blockquote>{other || texts.none}</blockquote>
          <span>{texts.mine}</span>
          <div className="room-notes-choices">
            <button type="button" className="room-notes-main" onClick={() => saver.resolve('both')}>
              {texts.keepBoth}
            </button>
            <button type="button" onClick={() => saver.resolve('mine')}>
              {texts.keepMine}
            </button>
            <button type="button" onClick={() => saver.resolve('theirs')}>
              {texts.useTheirs}
            </button>
          </div>
        </div>
      )}
      <div className="room-notes-foot" id="room-notes-foot">
        <span role={error ? 'alert' : undefined} data-error={error ? true : undefined}>
          {error ?? texts.hint}
        </span>
        <Badge status={status} />
      </div>
    </>
  );
}

function Badge({ status }: { status: NotesState['status'] }) {
  return (
    <span role="status" className="room-notes-state" data-status={status}>
      {status === 'saved' && texts.saved}
      {status === 'saving' && texts.saving}
      {status === 'failed' && texts.failed}
    </span>
  );
}
