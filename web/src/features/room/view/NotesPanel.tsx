import type { RoomNotes } from '../notes/room-notes.ts';
import { texts } from '../notes/texts.ts';
import { NotesBody } from './NotesBody.tsx';
import { PanelFrame } from './PanelFrame.tsx';

interface Props {
  notes: RoomNotes;
  /** Shown over the videos instead of beside them. */
  overlay: boolean;
  onClose: () => void;
}

/** The notes of the visit, for staff (ROOM-4). */
export function NotesPanel({ notes, overlay, onClose }: Props) {
  return (
    <PanelFrame
      tool="notes"
      title={texts.title}
      closeLabel={texts.close}
      side="right"
      overlay={overlay}
      onClose={onClose}
    >
      <NotesBody notes={notes} takesFocus={!overlay} />
    </PanelFrame>
  );
}
