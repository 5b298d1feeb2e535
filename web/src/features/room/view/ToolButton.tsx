import { hintOf, type Tool } from './tools.ts';

/** A tool in the bar: its icon, and a caption under it on wide screens. */
export function ToolButton({ tool }: { tool: Tool }) {
  const { label, caption, icon, key, pressed, warn, busy, disabled, badge = 0, opens, danger, onSelect } = tool;
  return (
    <button
      type="button"
      className={danger ? 'room-tool room-end' : 'room-tool'}
      aria-label={label}
      aria-pressed={pressed}
      aria-haspopup={opens}
      aria-keyshortcuts={key}
      aria-disabled={busy || undefined}
      title={hintOf(tool)}
      disabled={disabled !== undefined}
      data-warn={warn || undefined}
      data-tool={tool.id}
      onClick={busy ? undefined : (event) => onSelect(event.currentTarget)}
    >
      {icon}
      <span className="room-tool-caption" aria-hidden="true">
        {caption}
      </span>
      {badge > 0 && <span className="room-badge">{badge > 99 ? '99+' : badge}</span>}
    </button>
  );
}
