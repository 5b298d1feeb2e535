import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { renderScreen } from '../testing/render.tsx';
import { isStored } from './begin-save.ts';
import { Form } from './Form.tsx';
import { StaleNotice } from './StaleNotice.tsx';
import { TextInput } from './TextInput.tsx';
import { useContractForm } from './use-contract-form.ts';
import { useStale } from './use-stale.ts';

const schema = z.object({
  first: z.string(),
  last: z.string(),
  town: z.string(),
  isOpen: z.boolean(),
  picture: z.optional(z.string()),
  version: z.int(),
});
type Values = z.infer<typeof schema>;
const read: Values = { first: 'Ada', last: 'Lee', town: 'York', isOpen: false, version: 1 };
const labels = { first: 'First', last: 'Last', town: 'Town' };

const stored: Values = { first: 'Theirs', last: 'Lee', town: 'Leeds', isOpen: true, version: 2 };
let sent: Values | undefined;
function Screen() {
  const form = useContractForm(schema, { defaultValues: read });
  const stale = useStale(form);
  return (
    <Form
      form={form}
      onSubmit={async (values) => {
        sent = values;
      }}
    >
      <StaleNotice stale={stale} labels={labels} />
      <TextInput name="first" label="First" />
      <TextInput name="last" label="Last" />
      <TextInput name="town" label="Town" />
      <button type="button" onClick={() => form.setValue('picture', 'chosen', { shouldDirty: true })}>
        Choose picture
      </button>
      <button type="button" onClick={() => stale.merge(stored)}>
        Refused
      </button>
      <button type="button" onClick={() => stale.adopt(stored)}>
        Read again
      </button>
      <button type="submit">Save</button>
    </Form>
  );
}

const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;

test('save over a newer version: keeps the input and offers the stored values', async () => {
  const user = userEvent.setup();
  renderScreen(<Screen />);
  for (const [label, text] of [
    ['First', 'Mine'],
    ['Last', 'Also mine'],
  ] as const) {
    await user.clear(screen.getByLabelText(label));
    await user.type(screen.getByLabelText(label), text);
  }
  await user.click(screen.getByRole('button', { name: 'Refused' }));
  // Typed: kept. Untouched: the stored value. Changed by one side only: no choice.
  expect([value('First'), value('Last'), value('Town')]).toEqual(['Mine', 'Also mine', 'Leeds']);
  expect(screen.getByRole('alert').textContent).toContain('First is now “Theirs”.');
  expect(screen.getByRole('alert').textContent).not.toContain('Last');
  // The save button is below a long form: the notice scrolls into view.
  expect(document.activeElement).toBe(screen.getByRole('alert'));

  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(sent).toEqual({ first: 'Mine', last: 'Also mine', town: 'Leeds', isOpen: true, version: 2 });
  await user.click(screen.getByRole('button', { name: 'Use the other first' }));
  expect(value('First')).toBe('Theirs');
});

test('read again without a refusal: typed input stays, and only a field that both sides have changed is offered', async () => {
  const user = userEvent.setup();
  renderScreen(<Screen />);
  await user.type(screen.getByLabelText('Last'), 's');
  await user.click(screen.getByRole('button', { name: 'Read again' }));
  expect([value('First'), value('Last'), value('Town')]).toEqual(['Theirs', 'Lees', 'Leeds']);
  expect(screen.queryByRole('alert')).toBeNull();
  cleanup();

  renderScreen(<Screen />);
  await user.type(screen.getByLabelText('First'), 's');
  await user.click(screen.getByRole('button', { name: 'Read again' }));
  expect(screen.getByRole('alert').textContent).toContain('First is now “Theirs”.');
  expect(value('First')).toBe('Adas');
});

test('save over a newer version: keeps a value that cannot be read back', async () => {
  const user = userEvent.setup();
  renderScreen(<Screen />);
  await user.click(screen.getByRole('button', { name: 'Choose picture' }));
  await user.click(screen.getByRole('button', { name: 'Refused' }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(sent).toEqual({ ...stored, picture: 'chosen' });
});

test('a save whose response was lost: is known by its values; not with a password or a picture', () => {
  const saved = { name: 'Ada', phones: [{ phone: '2125550100' }], password: '', version: 3 };
  expect(isStored({ ...saved, name: 'Ada ', version: 2 }, saved)).toBe(true);
  expect(isStored({ ...saved, name: 'Ida' }, saved)).toBe(false);
  expect(isStored({ ...saved, phones: [] }, saved)).toBe(false);
  expect(isStored({ ...saved, password: 'long enough' }, saved)).toBe(false);
  expect(isStored<Record<string, unknown>>({ ...saved, logo: 'chosen' }, saved)).toBe(false);
});

test('conflict: a switch is on or off; of a field without a label the notice says that it was changed', () => {
  const stale = { conflicts: { isOpen: true }, merge: vi.fn(), adopt: vi.fn(), takeStored: vi.fn(), clear: vi.fn() };
  const { unmount } = renderScreen(<StaleNotice<Values> stale={stale} labels={{ isOpen: 'Open' }} />);
  expect(screen.getByRole('alert').textContent).toContain('Open is now “on”.');
  expect(screen.getByRole('alert').textContent).not.toContain('Other fields');
  unmount();
  renderScreen(<StaleNotice<Values> stale={stale} labels={{}} />);
  expect(screen.getByRole('alert').textContent).toContain('Other fields were changed too.');
});
