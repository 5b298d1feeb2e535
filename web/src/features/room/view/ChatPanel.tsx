import SendIcon from '@mui/icons-material/Send';
import { limits } from '@roomside/contract/limits.ts';
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { wordsForCode } from '../../../api/errors.ts';
import { formatTime, ownZone } from '../../../time/time.ts';
import type { ChatItem, ChatLog } from '../chat/chat.ts';
import { texts } from '../texts.ts';
import { PanelFrame } from './PanelFrame.tsx';
import { useStore } from './use-room.ts';
import './chat.css';

interface Props {
  chat: ChatLog;
  online: boolean;
  /** Shown over the videos instead of beside them (STATE-21). */
  overlay: boolean;
}

const words = texts.chatPanel;

/** The chat of the visit (ENTITY-17, VALID-3). */
export function ChatPanel({ chat, online, overlay }: Props) {
  const { items } = useStore(chat.view);
  const end = useRef<HTMLDivElement>(null);
  const last = items.at(-1)?.key;
  useEffect(() => {
    if (last) end.current?.scrollIntoView({ block: 'end' });
  }, [last]);

  return (
    <PanelFrame
      tool="chat"
      title={words.title}
      closeLabel={words.close}
      side="left"
      overlay={overlay}
      onClose={() => chat.setOpen(false)}
    >
      <div className="room-log" role="log" aria-label={words.title}>
        {items.length === 0 && (
          <p className="room-log-empty">
            {words.empty}
            <br />
            {words.emptyNote}
          </p>
        )}
        {items.map((item) => (
          <Line key={item.key} item={item} online={online} retry={() => chat.retry(item.key)} />
        ))}
        <div ref={end} />
      </div>
      <Composer chat={chat} online={online} />
    </PanelFrame>
  );
}

function Line({ item, online, retry }: { item: ChatItem; online: boolean; retry: () => void }) {
  const { mine, name, text, date, state } = item;
  const time = formatTime(date, ownZone());
  return (
    <div className="room-line" data-mine={mine || undefined}>
      {name !== '' && <span className="room-line-name">{name}</span>}
      <p>{text}</p>
      {state.status === 'failed' ? (
        <span className="room-line-failed">
          {wordsForCode(state.code) ?? words.failed}{' '}
          <button type="button" className="rs-link" onClick={retry}>
            {words.retry}
          </button>
        </span>
      ) : (
        <span className="room-line-time">{state.status === 'sent' ? time : online ? words.sending : words.waits}</span>
      )}
    </div>
  );
}

function Composer({ chat, online }: { chat: ChatLog; online: boolean }) {
  const draft = useStore(chat.draft);
  const [missing, setMissing] = useState(false);
  const id = useId();

  function submit(event?: FormEvent) {
    event?.preventDefault();
    const sent = chat.send(draft);
    setMissing(!sent);
    if (sent) chat.draft.set('');
  }

  function onKeyDown(event: KeyboardEvent) {
    // While an input method is composing, Enter confirms a character; in Safari it comes after the composition, with code 229.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key !== 'Enter' || event.shiftKey || isComposing) return;
    event.preventDefault();
    submit();
  }

  return (
    <form className="room-composer" onSubmit={submit} noValidate>
      {!online && <p className="room-offline">{words.offline}</p>}
      <div className="room-composer-row">
        <textarea
          id={id}
          aria-label={words.field}
          placeholder={words.field}
          rows={1}
          maxLength={limits.chatMax}
          value={draft}
          onChange={(event) => {
            chat.draft.set(event.target.value);
            setMissing(false);
          }}
          onKeyDown={onKeyDown}
          aria-invalid={missing || undefined}
          aria-describedby={`${id}-foot`}
          enterKeyHint="send"
        />
        <button type="submit" className="room-tool room-send" aria-label={words.send}>
          <SendIcon />
        </button>
      </div>
      <div className="room-composer-foot" id={`${id}-foot`}>
        <span role="alert">{missing ? words.required : ''}</span>
        <span>
          {draft.length}/{limits.chatMax}
        </span>
      </div>
    </form>
  );
}
