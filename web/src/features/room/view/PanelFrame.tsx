import CloseIcon from '@mui/icons-material/Close';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { isToolFocused, useKeptFocus } from './keep-focus.ts';

interface Props {
  /** Id of the tool that opens it. */
  tool: string;
  title: string;
  closeLabel: string;
  /** ROOM-4: the chat is on the left, notes and files on the right. */
  side: 'left' | 'right';
  /** Shown over the videos instead of beside them (STATE-21). */
  overlay: boolean;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A panel beside the videos. Over the videos, Escape closes it. Opened by its tool it takes the focus, and gives it back when it is closed; over
 * the videos without the field, which would open the keyboard of a phone.
 */
export function PanelFrame({ tool, title, closeLabel, side, overlay, onClose, children }: Props) {
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && overlay && !event.defaultPrevented) onClose();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onEscape(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
  const panel = useKeptFocus<HTMLElement>(tool);
  const takeFocus = useEffectEvent(() => {
    if (!isToolFocused()) return;
    const field = overlay ? null : panel.current?.querySelector<HTMLElement>('textarea');
    (field ?? panel.current)?.focus();
  });
  useEffect(() => takeFocus(), []);
  return (
    <aside ref={panel} className="room-panel" data-side={side} aria-label={title} tabIndex={-1}>
      <div className="room-panel-head">
        <h2>{title}</h2>
        <button type="button" className="room-tool" aria-label={closeLabel} onClick={onClose}>
          <CloseIcon />
        </button>
      </div>
      {children}
    </aside>
  );
}
