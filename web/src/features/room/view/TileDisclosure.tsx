import { type FocusEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react';

interface Props {
  /** Name of the button. */
  label: string;
  icon: ReactNode;
  /** Highlights a state that needs attention. */
  warn?: boolean;
  children: ReactNode;
}

/** A small button on a tile, with a panel that it opens and closes. */
export function TileDisclosure({ label, icon, warn = false, children }: Props) {
  const [open, setOpen] = useState(false);
  const panel = useId();
  function closeByKey(event: KeyboardEvent) {
    if (event.key !== 'Escape' || !open) return;
    event.stopPropagation();
    setOpen(false);
  }
  /** Safari gives no element for a click on a button. */
  function closeOutside({ currentTarget, relatedTarget }: FocusEvent) {
    if (relatedTarget && !currentTarget.contains(relatedTarget)) setOpen(false);
  }
  return (
    // The keys come from the button and the panel.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- closes with Escape
    <div className="tile-tool" onKeyDown={closeByKey} onBlur={closeOutside}>
      <button
        type="button"
        className="tile-button"
        aria-label={label}
        title={label}
        aria-expanded={open}
        aria-controls={panel}
        data-warn={warn || undefined}
        onClick={() => setOpen(!open)}
      >
        {icon}
      </button>
      <div id={panel} className="tile-panel" hidden={!open}>
        {open && children}
      </div>
    </div>
  );
}
