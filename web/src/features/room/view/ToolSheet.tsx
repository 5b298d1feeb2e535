import { BottomSheet } from '../../../ui/BottomSheet.tsx';
import { texts } from '../texts.ts';
import { buttonOf } from './keep-focus.ts';
import { hintOf, type Tool } from './tools.ts';

/** On a phone: the tools that have no place in the bar, with their names. */
export function ToolSheet({ tools, open, onClose }: { tools: readonly Tool[]; open: boolean; onClose: () => void }) {
  return (
    <BottomSheet open={open} title={texts.moreTools} onClose={onClose}>
      <ul className="room-sheet">
        {tools.map((tool) => (
          <li key={tool.id}>
            <button
              type="button"
              className="room-sheet-tool"
              aria-pressed={tool.pressed}
              aria-haspopup={tool.opens}
              disabled={tool.disabled !== undefined}
              title={tool.disabled}
              data-warn={tool.warn || undefined}
              onClick={() => {
                onClose();
                // What it opens is beside the button of the sheet, since the sheet closes.
                tool.onSelect(buttonOf('more'));
              }}
            >
              {tool.icon}
              <span>{tool.label}</span>
              {(tool.badge ?? 0) > 0 && <span className="room-sheet-badge">{tool.badge}</span>}
              {tool.disabled && <small>{hintOf(tool)}</small>}
            </button>
          </li>
        ))}
      </ul>
    </BottomSheet>
  );
}
