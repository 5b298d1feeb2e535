import { afterEach, expect, test } from 'vitest';
import { focusedRow, leaveRow } from './leave-row.ts';

afterEach(() => document.body.replaceChildren());

const button = (id: string) => document.querySelector<HTMLElement>(`#${id}`);

test('row that goes: the focus moves to the next row, else to the one before, else to the heading; elsewhere it stays', () => {
  document.body.innerHTML = `<h1 tabindex="-1">List</h1><button id="add">Add</button>
    <ul><li><button>Edit</button><button id="a">Delete</button></li><li><button id="b">Delete</button></li></ul>`;
  const deleteRow = (id: string) => {
    button(id)?.focus();
    const row = focusedRow();
    leaveRow(row);
    row?.remove();
  };
  deleteRow('a');
  expect(document.activeElement).toBe(button('b'));
  button('b')?.focus();
  const row = focusedRow();
  button('add')?.focus();
  leaveRow(row);
  expect(document.activeElement).toBe(button('add'));
  deleteRow('b');
  expect(document.activeElement?.textContent).toBe('List');
});
