import FilesIcon from '@mui/icons-material/AttachFileOutlined';
import NotesIcon from '@mui/icons-material/EditNoteOutlined';
import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { later } from '../../../ui/later.tsx';
import { toast } from '../../../ui/toast.ts';
import type { NotesSaver } from '../../appointments/notes-saver.ts';
import { DropTarget } from '../../files/DropTarget.tsx';
import { texts as fileTexts } from '../../files/texts.ts';
import { UploadProgress } from '../../files/UploadProgress.tsx';
import { type UploadsOf, useUploads } from '../../files/uploads-of.ts';
import { useFiles } from '../../files/use-files.ts';
import type { Room } from '../create-room.ts';
import type { TransferState } from '../files/file-link.ts';
import { texts as transferTexts } from '../files/texts.ts';
import type { Transfers } from '../files/transfers.ts';
import { texts as noteTexts } from '../notes/texts.ts';
import { listTools, type Tool } from './tools.ts';
import { useQueryMatch, useStore } from './use-room.ts';

/** Loaded when they are opened first. */
const FilesPanel = later(async () => (await import('./FilesPanel.tsx')).FilesPanel);
const NotesPanel = later(async () => (await import('./NotesPanel.tsx')).NotesPanel);

type Side = 'notes' | 'files';

interface Options {
  room: Room;
  visit: Teleappointment;
  isPatient: boolean;
  /** Guests have neither notes nor files. */
  isGuest: boolean;
}

interface SidePanel {
  tools: Tool[];
  panel: ReactNode;
  /** For the bar: the uploads that run. */
  progress: ReactNode;
}

/** The panel at the right (ROOM-4), with the tools that open it. On a narrow screen it takes the place of the chat. */
export function useSidePanel({ room, visit, isPatient, isGuest }: Options): SidePanel {
  const { appointmentId, patientId, appointmentUid: session } = visit.appointment;
  const [side, setSide] = useState<Side>();
  const chat = useStore(room.chat.view);
  const overlay = useQueryMatch('(max-width: 599px)');
  const isNarrow = useQueryMatch('(max-width: 999px)');
  const makePlace = useEffectEvent((opened: 'chat' | 'side') => {
    if (!isNarrow || !chat.open || side === undefined) return;
    if (opened === 'chat') setSide(undefined);
    else room.chat.setOpen(false);
  });
  useEffect(() => {
    if (chat.open) makePlace('chat');
  }, [chat.open]);
  useEffect(() => {
    // The window has become narrow.
    if (isNarrow) makePlace('side');
  }, [isNarrow]);

  function open(which: Side) {
    if (isNarrow) room.chat.setOpen(false);
    setSide(which);
  }
  const toggle = (which: Side) => (side === which ? setSide(undefined) : open(which));
  const close = () => setSide(undefined);
  const notes = useNotesTool(room, side === 'notes', () => toggle('notes'));
  const offers = useOffers(room, { isShown: side === 'files', show: () => open('files') });
  const files = useFilesTool({
    ...visit.appointment,
    offers,
    isPatient,
    isGuest,
    isOpen: side === 'files',
    toggle: () => toggle('files'),
  });
  const shared = { room, appointmentId, patientId, session, isPatient, overlay, onClose: close };
  return {
    tools: listTools(notes, !isGuest && files),
    panel: (
      <>
        {side === 'notes' && room.notes && <NotesPanel notes={room.notes} overlay={overlay} onClose={close} />}
        {side === 'files' && <FilesPanel {...shared} />}
        {!isPatient && <RoomDropTarget of={{ appointmentId, patientId }} onDropped={() => open('files')} />}
      </>
    ),
    progress: !isPatient && <UploadProgress appointmentId={appointmentId} patientId={patientId} />,
  };
}

function RoomDropTarget({ of, onDropped }: { of: UploadsOf; onDropped: () => void }) {
  const uploads = useUploads(of);
  return (
    <DropTarget
      onFiles={(files) => {
        uploads.add(files);
        onDropped();
      }}
    />
  );
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

interface FilesOptions {
  appointmentId: number;
  appointmentUid: string;
  /** Files that another device wants to send to this one. */
  offers: number;
  isPatient: boolean;
  isGuest: boolean;
  isOpen: boolean;
  toggle: () => void;
}

/** For a patient it counts the files that were shared since the panel was open. */
function useFilesTool({
  appointmentId,
  appointmentUid,
  offers,
  isPatient,
  isGuest,
  isOpen,
  toggle,
}: FilesOptions): Tool {
  const files = useFiles({ appointmentId, session: appointmentUid, enabled: !isGuest }).data?.data;
  const [seen, setSeen] = useState<ReadonlySet<string>>();
  const unseen = isPatient && seen ? (files ?? []).filter(({ fileUid }) => !seen.has(fileUid)).length : 0;
  const uids = files?.map(({ fileUid }) => fileUid).join();
  useEffect(() => {
    // What was shared before the room was entered is not new.
    if (uids !== undefined) setSeen((before) => (before && !isOpen ? before : new Set(uids.split(','))));
  }, [uids, isOpen]);
  const notify = useEffectEvent(() =>
    toast.info(fileTexts.sharedWithYou, { action: { label: fileTexts.show, run: toggle } }),
  );
  const notified = useRef(0);
  useEffect(() => {
    if (unseen > notified.current) notify();
    notified.current = unseen;
  }, [unseen]);
  const count = unseen + offers;
  return {
    id: 'files',
    group: 'panel',
    label: count > 0 ? fileTexts.unseen(count) : fileTexts.title,
    caption: fileTexts.title,
    icon: <FilesIcon />,
    key: 'A',
    pressed: isOpen,
    badge: count,
    onSelect: toggle,
  };
}

/** Notices about files from other devices: one is offered, one has arrived. The open panel shows them anyway. Returns how many wait for an answer. */
function useOffers({ transfers, session }: Room, { isShown, show }: { isShown: boolean; show: () => void }): number {
  // Texts, so that the progress of a file does not render the room again.
  const offered = useSyncExternalStore(transfers.view.subscribe, () => idsOf(transfers, 'offered'));
  const arrived = useSyncExternalStore(transfers.view.subscribe, () => idsOf(transfers, 'done'));
  const seen = useRef(arrived);
  const action = { label: transferTexts.show, run: show };
  const last = () => incoming(transfers).at(-1);
  const notifyOffer = useEffectEvent(() => {
    if (isShown) return;
    const sender = session.view.get().people.find(({ peerId }) => peerId === last()?.peerId)?.name;
    const text = transferTexts.offerFrom(sender ?? transferTexts.someone, last()?.name ?? '');
    toast.info(text, { action, duration: 20_000 });
  });
  const notifyArrived = useEffectEvent(() => {
    if (isShown) return;
    const file = incoming(transfers).findLast(({ state }) => state === 'done');
    toast.success(transferTexts.received(file?.name ?? ''), { action });
  });
  useEffect(() => {
    if (offered !== '') notifyOffer();
  }, [offered]);
  useEffect(() => {
    const isNew = arrived.length > seen.current.length;
    seen.current = arrived;
    if (isNew) notifyArrived();
  }, [arrived]);
  return offered === '' ? 0 : offered.split(' ').length;
}

const incoming = ({ view }: Transfers) => view.get().filter(({ direction }) => direction === 'in');

const idsOf = (transfers: Transfers, wanted: TransferState): string =>
  incoming(transfers)
    .filter(({ state }) => state === wanted)
    .map(({ id }) => id)
    .join(' ');
