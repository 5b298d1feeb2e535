import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { createStore } from '../core/store.ts';
import { buttonOf } from './keep-focus.ts';
import type { Tool } from './tools.ts';

const storageKey = 'room:keys';

/** Whether single keys press the tools. The user can turn it off (WCAG 2.2, 2.1.4). */
const isOn = createStore<boolean>(readSetting());

function readSetting(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off';
  } catch {
    return true;
  }
}

export function useShortcutsOn(): [on: boolean, set: (on: boolean) => void] {
  const on = useSyncExternalStore(isOn.subscribe, isOn.get);
  return [on, setShortcutsOn];
}

function setShortcutsOn(on: boolean): void {
  isOn.set(on);
  try {
    localStorage.setItem(storageKey, on ? 'on' : 'off');
  } catch {
    // Without a storage it holds for this page.
  }
}

/** The key of an event as tools name it: 'M', 'Shift+E', '?'. */
export function keyOf({ key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>): string {
  const isLetter = /^[a-z]$/i.test(key);
  if (!isLetter) return key;
  return shiftKey ? `Shift+${key.toUpperCase()}` : key.toUpperCase();
}

/** Where a key types or chooses something, it presses no tool. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      'input, textarea, select, [contenteditable="true"], [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]',
    ) !== null
  );
}

/** Presses the tool of a key; '?' calls `onHelp`. */
export function useShortcuts(tools: readonly Tool[], onHelp: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (
      event.defaultPrevented ||
      event.repeat ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTyping(event.target)
    )
      return;
    const key = keyOf(event);
    if (key === '?') {
      event.preventDefault();
      return onHelp();
    }
    if (!isOn.get()) return;
    const tool = tools.find((one) => one.key === key);
    if (!tool || tool.disabled !== undefined || tool.busy) return;
    event.preventDefault();
    // What it opens is beside it, and returns the focus to it.
    const at = buttonOf(tool.id) ?? buttonOf('more');
    at?.focus();
    tool.onSelect(at);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
