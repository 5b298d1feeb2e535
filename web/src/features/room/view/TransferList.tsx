import CloseIcon from '@mui/icons-material/Close';
import SendIcon from '@mui/icons-material/SendOutlined';
import SwapIcon from '@mui/icons-material/SwapHorizOutlined';
import { maxFileBytes } from '@roomside/contract/limits.ts';
import { useRef } from 'react';
import { saveFile } from '../../../api/send.ts';
import { toast } from '../../../ui/toast.ts';
import { formatBytes } from '../../files/format-bytes.ts';
import type { Person } from '../call/room-view.ts';
import { isGuestPeer } from '../core/peer-id.ts';
import type { Room } from '../create-room.ts';
import { isOpen, type Transfer } from '../files/file-link.ts';
import { texts } from '../files/texts.ts';
import type { Transfers } from '../files/transfers.ts';
import { useStore } from './use-room.ts';

/** Files that go from device to device: staff send, everyone receives (ROLE-2). */
export function TransferList({ room, isPatient }: { room: Room; isPatient: boolean }) {
  const { people } = useStore(room.session.view);
  const transfers = useStore(room.transfers.view);
  const input = useRef<HTMLInputElement>(null);
  if (isPatient && transfers.length === 0) return null;

  // Guests have no channel for files.
  const receivers = people.filter(({ peerId }) => !isGuestPeer(peerId));
  function send(files: Iterable<File>) {
    const peerIds = receivers.map(({ peerId }) => peerId);
    for (const file of files) {
      if (!room.transfers.send(file, peerIds)) toast.error(texts.refused(formatBytes(maxFileBytes)));
    }
  }

  return (
    <section className="files room-transfers" data-above={isPatient || undefined} aria-label={texts.title}>
      {!isPatient && <h3>{texts.title}</h3>}
      {!isPatient && (
        <div className="files-add">
          <button
            type="button"
            className="files-upload"
            disabled={receivers.length === 0}
            onClick={() => input.current?.click()}
          >
            <SendIcon fontSize="small" />
            {texts.send}
          </button>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={texts.send}
            onChange={({ target }) => {
              send([...(target.files ?? [])]);
              target.value = '';
            }}
          />
          <p>{receivers.length === 0 ? texts.alone : texts.hint}</p>
        </div>
      )}
      {transfers.length > 0 && (
        <ul className="files-list" aria-label={texts.list}>
          {transfers.map((transfer) => (
            <Row key={transfer.id} transfer={transfer} transfers={room.transfers} people={people} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface RowProps {
  transfer: Transfer;
  transfers: Transfers;
  people: readonly Person[];
}

function Row({ transfer, transfers, people }: RowProps) {
  const { id, name, size, received, state, direction, peerId } = transfer;
  const other = people.find((person) => person.peerId === peerId)?.name ?? texts.someone;
  const isBroken = state === 'broken';
  return (
    <li className="files-row" data-failed={isBroken || undefined}>
      <SwapIcon className="files-icon" />
      <div className="files-text">
        <span className="files-name" title={name}>
          {name}
        </span>
        {(state === 'running' || state === 'paused') && (
          <progress className="files-progress" max={size} value={received} aria-label={texts.progress(name)} />
        )}
        <span className="files-meta">
          {direction === 'out' ? texts.to(other) : texts.from(other)} · {formatBytes(size)}
        </span>
        <span className="files-meta" role={isBroken ? 'alert' : undefined}>
          {wordsFor(transfer)}
        </span>
      </div>
      <div className="files-actions">
        <MainAction transfer={transfer} transfers={transfers} />
        <button
          type="button"
          className="files-action"
          aria-label={closeLabel(transfer)}
          title={closeLabel(transfer)}
          onClick={() => transfers.remove(id)}
        >
          <CloseIcon fontSize="small" />
        </button>
      </div>
    </li>
  );
}

function MainAction({ transfer, transfers }: Omit<RowProps, 'people'>) {
  const { id, name, state, direction, content } = transfer;
  if (direction === 'in' && state === 'offered') {
    return (
      <Action label={texts.acceptName(name)} onClick={() => transfers.accept(id)}>
        {texts.accept}
      </Action>
    );
  }
  if (content) {
    return (
      <Action label={texts.saveName(name)} onClick={() => saveFile({ blob: content, name })}>
        {texts.save}
      </Action>
    );
  }
  if (direction === 'out' && (state === 'broken' || state === 'declined')) {
    return (
      <Action label={texts.retry} onClick={() => transfers.retry(id)}>
        {texts.retry}
      </Action>
    );
  }
  return null;
}

function Action({ label, onClick, children }: { label: string; onClick: () => void; children: string }) {
  return (
    <button type="button" className="files-share" aria-label={label} onClick={onClick}>
      {children}
    </button>
  );
}

function closeLabel({ name, state, direction }: Transfer): string {
  if (!isOpen({ state })) return texts.remove(name);
  return direction === 'in' ? texts.decline(name) : texts.cancel(name);
}

function wordsFor({ state, direction, received, size }: Transfer): string {
  const words = texts.states;
  switch (state) {
    case 'running':
      return words.running(Math.floor((received / size) * 100));
    case 'offered':
      return direction === 'in' ? words.offer : words.offered;
    case 'done':
      return direction === 'in' ? words.arrived : words.done;
    case 'broken':
      return direction === 'in' ? words.brokenIn : words.brokenOut;
    case 'waiting':
    case 'paused':
    case 'declined':
    case 'cancelled':
      return words[state];
  }
}
