import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useFieldArray, useForm } from 'react-hook-form';
import { afterEach, expect, test } from 'vitest';
import { AddRow, RemoveRow } from './RowButtons.tsx';

afterEach(cleanup);

const most = 3;

/** A form with rows, of which `least` stay. */
function Rows({ least }: { least: number }) {
  const { control, register } = useForm({ defaultValues: { rows: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] } });
  const { fields, append, remove } = useFieldArray({ control, name: 'rows' });
  return (
    <form>
      {fields.map(({ id }, index) => (
        <div key={id}>
          <input aria-label={`Row ${index + 1}`} {...register(`rows.${index}.text`)} />
          <RemoveRow
            of="rows"
            label={`Remove ${index + 1}`}
            disabled={fields.length <= least}
            onRemove={() => remove(index)}
          />
        </div>
      ))}
      {fields.length < most && <AddRow of="rows" label="Add" onAdd={() => append({ text: '' })} />}
    </form>
  );
}

const values = () => screen.queryAllByRole<HTMLInputElement>('textbox').map(({ value }) => value);
const focused = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent;

async function removeTwo(least: number) {
  const user = userEvent.setup();
  render(<Rows least={least} />);
  screen.getByRole('button', { name: 'Remove 2' }).focus();
  await user.keyboard('{Enter}');
  expect([values(), focused()]).toEqual([['a', 'c'], 'Remove 2']);
  await user.keyboard('{Enter}');
  expect(values()).toEqual(['a']);
  return user;
}

test('rows removed by key: the focus goes to the row in their place, after the last one to Add', async () => {
  const user = await removeTwo(0);
  expect(focused()).toBe('Remove 1');
  await user.keyboard('{Enter}');
  expect([values(), focused()]).toEqual([[], 'Add']);
  await user.keyboard('{Enter}');
  expect(focused()).toBe('Row 1');
});

test('row that must stay: the focus goes to Add', async () => {
  await removeTwo(1);
  expect(focused()).toBe('Add');
});
