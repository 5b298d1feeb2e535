import NotesIcon from '@mui/icons-material/EditNoteOutlined';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import type { NotesSaver } from '../../appointments/notes-saver.ts';
import type { Room } from '../create-room.ts';
import { texts as noteTexts } from '../notes/texts.ts';
import { NotesPanel } from './NotesPanel.tsx';
import { listTools, type Tool } from './tools.ts';
import { useQueryMatch, useStore } from './use-room.ts';

type Side = 'notes';

/** The panel at the right (ROOM-4), with the tools that open it. On a narrow screen it takes the place of the chat. */
export function useSidePanel(room: Room): { tools: Tool[]; panel: ReactNode } {
  const [side, setSide] = useState<Side>();
  const chat = useStore(room.chat.view);
  const overlay = useQueryMatch('(max-width: 599px)');
  const isNarrow = useQueryMatch('(max-width: 999px)');
  const isCrowded = isNarrow && chat.open && side !== undefined;
  useEffect(() => {
    // The chat was opened last.
    if (isCrowded) setSide(undefined);
  }, [isCrowded]);

  function toggle(which: Side) {
    if (side !== which && isNarrow) room.chat.setOpen(false);
    setSide(side === which ? undefined : which);
  }
  const close = () => setSide(undefined);
  const notes = useNotesTool(room, side === 'notes', () => toggle('notes'));
  return {
    tools: listTools(notes),
    panel: side === 'notes' && room.notes && <NotesPanel notes={room.notes} overlay={overlay} onClose={close} />,
  };
}

const nothing = () => () => undefined;

function useNotesTool({ notes }: Room, isOpen: boolean, onSelect: () => void): Tool | undefined {
  const saver = useSyncExternalStore<NotesSaver | undefined>(
    notes?.view.subscribe ?? nothing,
    () => notes?.view.get().saver,
  );
  const status = useSyncExternalStore(saver?.subscribe ?? nothing, () => saver?.getState().status);
  if (!notes) return undefined;
  const isUnsaved = status === 'failed' || status === 'refused' || status === 'conflict';
  return {
    id: 'notes',
    group: 'panel',
    label: isUnsaved ? noteTexts.unsaved : noteTexts.title,
    caption: noteTexts.title,
    icon: <NotesIcon />,
    key: 'N',
    pressed: isOpen,
    warn: isUnsaved,
    onSelect,
  };
}
