/**
 * Call before a row of a list goes: a focus within it, or one that has nowhere to be, moves to the last button of a neighboring row, else to the
 * page's heading. At the top of the document a keyboard or a screen reader would have lost its place.
 */
export function leaveRow(row: Element | null | undefined): void {
  const { activeElement } = document;
  const isLost = activeElement === null || activeElement === document.body;
  if (!row || !(isLost || row.contains(activeElement))) return;
  const neighbor = row.nextElementSibling ?? row.previousElementSibling;
  const button = [...(neighbor?.querySelectorAll('button') ?? [])].at(-1);
  (button ?? document.querySelector('h1'))?.focus();
}

/** The row of a list in which the focus is. */
export const focusedRow = (): Element | null | undefined => document.activeElement?.closest('tr, li');
