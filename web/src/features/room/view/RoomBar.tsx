import MoreIcon from '@mui/icons-material/MoreHoriz';
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { later } from '../../../ui/later.tsx';
import { useBuildTaps } from '../../../ui/use-build-taps.ts';
import { texts } from '../texts.ts';
import { ToolButton } from './ToolButton.tsx';
import { type Tool, toolGroups } from './tools.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** Loaded where the bar has too little room. */
const ToolSheet = later(async () => (await import('./ToolSheet.tsx')).ToolSheet);
/** Loaded when it is opened first. */
const KeysDialog = later(async () => (await import('./KeysDialog.tsx')).KeysDialog);

interface Props {
  title: string;
  /** Id of this device's peer, shown with the build after five taps on the title (MENU-5). */
  peerId: string;
  hidden: boolean;
  /** The tools do not fit beside the title. */
  crowded: boolean;
  tools: readonly Tool[];
  /** What runs at the moment, such as an upload; before the title. */
  children?: ReactNode;
}

/** ROOM-3: the tools of this person's role in groups. Where they do not fit beside the title, most of them are in a sheet. */
export function RoomBar({ title, peerId, hidden, crowded, tools, children }: Props) {
  const [open, setOpen] = useState<'sheet' | 'keys' | undefined>();
  const tap = useBuildTaps(peerId);
  useShortcuts(tools, () => setOpen('keys'));
  const heading = useRef<HTMLHeadingElement>(null);
  // The page that led here had the focus.
  useEffect(() => heading.current?.focus(), []);
  const shown = crowded ? tools.filter(({ always }) => always) : tools;
  const rest = crowded ? tools.filter(({ always }) => !always) : [];
  const groups = toolGroups.map((group) => shown.filter((tool) => tool.group === group));
  const [panels = [], ...others] = groups;
  const unseen = rest.reduce((sum, { badge = 0 }) => sum + badge, 0);
  const more: Tool = {
    id: 'more',
    group: 'screen',
    label: unseen > 0 ? texts.moreUnseen(unseen) : texts.moreTools,
    caption: texts.moreTools,
    icon: <MoreIcon />,
    opens: 'dialog',
    badge: unseen,
    onSelect: () => setOpen('sheet'),
  };
  return (
    <header className="room-bar" inert={hidden}>
      {panels.length > 0 && (
        <ToolRow label={texts.panels}>
          {panels.map((tool) => (
            <ToolButton key={tool.id} tool={tool} />
          ))}
        </ToolRow>
      )}
      {children}
      {/* Five taps on the title are for support only. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- MENU-5 */}
      <h1 ref={heading} tabIndex={-1} className="room-title" onClick={tap}>
        {title}
      </h1>
      <ToolRow label={texts.toolbar}>
        {others.map((group, index) => (
          <Fragment key={toolGroups[index + 1]}>
            {group.length > 0 && (
              <div className="room-group" data-group={toolGroups[index + 1]}>
                {group.map((tool) => (
                  <ToolButton key={tool.id} tool={tool} />
                ))}
              </div>
            )}
          </Fragment>
        ))}
        {rest.length > 0 && <ToolButton tool={more} />}
      </ToolRow>
      {rest.length > 0 && <ToolSheet tools={rest} open={open === 'sheet'} onClose={() => setOpen(undefined)} />}
      {open === 'keys' && <KeysDialog tools={tools} onClose={() => setOpen(undefined)} />}
    </header>
  );
}

function ToolRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the buttons in it take the focus
    <div className="room-tools" role="toolbar" aria-label={label} onKeyDown={moveFocus}>
      {children}
    </div>
  );
}

/** The arrow keys go from tool to tool (ARIA Authoring Practices, toolbar). */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
  const step = steps[event.key];
  if (step === undefined) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button:not(:disabled)')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = buttons[(at + step + buttons.length) % buttons.length];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}
