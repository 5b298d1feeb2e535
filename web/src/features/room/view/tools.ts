import type { ReactNode } from 'react';

/**
 * One tool of the room's bar (ROOM-3). `panel` is before the title, the other groups after it in this order: what is shown and kept,
 * the own devices, the visit's end, the screen.
 */
export interface Tool {
  id: string;
  group: 'panel' | 'share' | 'devices' | 'visit' | 'screen';
  /** What the button does, for its accessible name and its tooltip. */
  label: string;
  /** One or two words of the label, under the icon where there is room (WCAG 2.2, 2.5.3). */
  caption: string;
  icon: ReactNode;
  /** The key that presses it; `Shift+` before it where a slip would be costly. */
  key?: string;
  /** Set for toggles only. */
  pressed?: boolean;
  /** Highlights a state that is easily forgotten, such as muted. */
  warn?: boolean;
  /** The browser is asking for permission. */
  busy?: boolean;
  /** Why it cannot be used now. */
  disabled?: string | undefined;
  /** Unread items; 0 shows nothing. */
  badge?: number;
  /** Opens a menu or a dialog. */
  opens?: 'menu' | 'dialog';
  /** Ends the visit. */
  danger?: boolean;
  /** Stays in the bar of a phone; the other tools are in a sheet. */
  always?: boolean;
  /** `at` is the button, for menus. */
  onSelect: (at: HTMLElement | null) => void;
}

export const toolGroups = ['panel', 'share', 'devices', 'visit', 'screen'] as const satisfies readonly Tool['group'][];

/** Leaves out the tools that this person or browser does not have. */
export function listTools(...tools: readonly (Tool | false | null | undefined)[]): Tool[] {
  return tools.filter((tool) => typeof tool === 'object' && tool !== null);
}

/** The media query for pages on which so many tools do not fit beside the title, px. */
export const crowdedQuery = (tools: number): string => `(max-width: ${tools * toolWidth + otherWidth}px)`;
const toolWidth = 48;
/** Of the title, the lines between groups, and the edges. */
const otherWidth = 260;

/** What a tool's button says beside its label: the key, or why it cannot be used. */
export function hintOf({ label, key, disabled }: Tool): string {
  if (disabled) return disabled;
  return key ? `${label} (${key})` : label;
}
