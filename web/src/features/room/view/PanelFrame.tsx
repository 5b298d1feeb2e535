import CloseIcon from '@mui/icons-material/Close';
import { type ReactNode, useEffect, useEffectEvent } from 'react';

interface Props {
  title: string;
  closeLabel: string;
  /** ROOM-4: the chat is on the left, notes and files on the right. */
  side: 'left' | 'right';
  /** Shown over the videos instead of beside them (STATE-21). */
  overlay: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A panel beside the videos. Over the videos, Escape closes it. */
export function PanelFrame({ title, closeLabel, side, overlay, onClose, children }: Props) {
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && overlay && !event.defaultPrevented) onClose();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onEscape(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
  return (
    <aside className="room-panel" data-side={side} aria-label={title}>
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
