import { refusals } from '@roomside/contract/refusals.ts';
import { email, money, password, phone, requiredText } from '@roomside/contract/shape.ts';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { ProblemError } from '../api/problem.ts';
import { renderScreen } from '../testing/render.tsx';
import { beginSave } from './begin-save.ts';
import { Form } from './Form.tsx';
import { generatePassword } from './generate-password.ts';
import { MoneyInput } from './MoneyInput.tsx';
import { PasswordInput } from './PasswordInput.tsx';
import { PhoneInput } from './PhoneInput.tsx';
import { SubmitButton } from './SubmitButton.tsx';
import { EmailInput, TextInput } from './TextInput.tsx';
import { useContractForm } from './use-contract-form.ts';
import { useUnsaved } from './use-unsaved.ts';

const schema = z.object({ name: requiredText(50), email, phone, fee: money, password });
type Values = z.infer<typeof schema>;
const blank: Values = { name: '', email: '', phone: '', fee: '', password: '' };
const filled: Values = {
  name: 'Ada',
  email: 'ada@example.com',
  phone: '2125550100',
  fee: '10',
  password: 'long enough',
};

function Screen({ start = blank, onSubmit }: { start?: Values; onSubmit: (values: Values) => Promise<void> }) {
  const form = useContractForm(schema, { defaultValues: start });
  useUnsaved(form);
  return (
    <Form form={form} onSubmit={onSubmit}>
      <TextInput name="name" label="Name" maxLength={50} counter />
      <EmailInput name="email" label="Email" />
      <PhoneInput name="phone" label="Phone" />
      <MoneyInput name="fee" label="Fee" />
      <PasswordInput name="password" label="Password" isNew />
      <SubmitButton />
    </Form>
  );
}

const user = userEvent.setup();
const save = () => user.click(screen.getByRole('button', { name: 'Save' }));

test('submit: sends the values in the contract’s format', async () => {
  const onSubmit = vi.fn(async () => undefined);
  renderScreen(<Screen onSubmit={onSubmit} />);
  await user.type(screen.getByLabelText('Name'), 'Ada');
  expect(screen.getByText('3/50')).toBeDefined();
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.type(screen.getByLabelText('Fee'), '1250.507');
  await user.type(screen.getByLabelText('Password'), 'long enough');
  await user.type(screen.getByLabelText('Phone'), '2125550100');
  expect(screen.getByText('10/10')).toBeDefined();
  expect(screen.getByLabelText<HTMLInputElement>('Phone').value).toBe('(212) 555-0100');
  await save();
  await waitFor(() =>
    expect(onSubmit).toHaveBeenCalledWith({
      name: 'Ada',
      email: 'ada@example.com',
      phone: '2125550100',
      fee: '1250.50',
      password: 'long enough',
    }),
  );
});

test('phone: is exactly ten US digits, area code and exchange from 2 @VALID-24', async () => {
  const onSubmit = vi.fn(async () => undefined);
  renderScreen(<Screen start={{ ...filled, phone: '' }} onSubmit={onSubmit} />);
  const field = screen.getByLabelText('Phone');
  const describedBy = () => document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent;
  await save();
  await waitFor(() => expect(describedBy()).toBe('Required0/10'));
  for (const [digits, count] of [
    ['212555010', '9/10'],
    ['1125550100', '10/10'],
    ['2121550100', '10/10'],
  ] as const) {
    await user.clear(field);
    await user.type(field, digits);
    await waitFor(() => expect(describedBy()).toBe(`Not valid${count}`));
  }
  expect(onSubmit).not.toHaveBeenCalled();
  await user.clear(field);
  await user.type(field, '2125550100');
  await save();
  await waitFor(() => expect(onSubmit).toHaveBeenCalledOnce());
});

test('failed submit: lists the errors, each with a link to its field', async () => {
  renderScreen(<Screen start={{ ...filled, name: '', email: 'no' }} onSubmit={async () => undefined} />);
  await save();
  const summary = await screen.findByRole('alert');
  expect(summary.textContent).toBe("Please fix the fields below.Name: RequiredEmail: Doesn't seem valid");
  await user.click(screen.getByRole('button', { name: "Email: Doesn't seem valid" }));
  expect(document.activeElement).toBe(screen.getByLabelText('Email'));
});

test('the server’s errors: are shown at their fields, others above them', async () => {
  const refuse = async () => {
    throw new ProblemError({
      status: 422,
      code: 'invalid',
      title: refusals.invalid.text,
      fields: { email: 'This email is already in use.', 'else.where': 'Too late.' },
    });
  };
  renderScreen(<Screen start={filled} onSubmit={refuse} />);
  await save();
  const summary = await screen.findByRole('alert');
  expect(summary.textContent).toContain('Please fix the fields below. Too late.');
  expect(screen.getByLabelText('Email').getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(screen.getByLabelText('Email'));
});

test('the server’s errors: a sentence that stands at a field is not repeated above it', async () => {
  let fields: Record<string, string> = { email: 'This email is already in use.' };
  const refuse = async () => {
    throw new ProblemError({ status: 422, code: 'email-taken', title: refusals['email-taken'].text, fields });
  };
  renderScreen(<Screen start={filled} onSubmit={refuse} />);
  await save();
  const summary = await screen.findByRole('alert');
  expect(summary.textContent).toBe('Please fix the fields below.Email: This email is already in use.');
  fields = { 'user.email': 'This email is already in use.' };
  await save();
  await waitFor(() => expect(screen.getByRole('alert').textContent).toBe('This email is already in use.'));
});

test('password: can be shown, and generated with 12 characters', async () => {
  renderScreen(<Screen onSubmit={async () => undefined} />);
  const field = screen.getByLabelText<HTMLInputElement>('Password');
  expect(field.type).toBe('password');
  await user.click(screen.getByRole('button', { name: 'Show password' }));
  expect(field.type).toBe('text');
  await user.click(screen.getByRole('button', { name: 'Generate a password' }));
  expect(field.value).toMatch(/^\S{12}$/);
  expect(new Set(Array.from({ length: 100 }, generatePassword)).size).toBe(100);
});

test('unsaved input: blocks leaving the page until the user confirms', async () => {
  const { router } = renderScreen(<Screen onSubmit={async () => undefined} />, '/here');
  await user.type(screen.getByLabelText('Name'), 'A');
  void router.navigate('/there');
  await user.click(await screen.findByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(router.state.location.pathname).toBe('/here');
  void router.navigate('/there');
  const leave = await screen.findByRole('button', { name: 'Leave' });
  // As in every question whose yes discards something.
  expect(leave.className).toContain('colorError');
  await user.click(leave);
  await waitFor(() => expect(router.state.location.pathname).toBe('/there'));
});

test('text typed while a save runs: stays, and is not saved yet', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  function Saver() {
    const form = useContractForm(z.object({ name: z.string(), fee: z.string(), password: z.string() }), {
      defaultValues: { name: 'Ada', fee: '10', password: '' },
    });
    return (
      <Form
        form={form}
        onSubmit={async () => {
          const { shown, takeOver } = beginSave(form);
          await promise;
          takeOver({ ...shown, name: shown.name.trim(), password: '' });
        }}
      >
        <TextInput name="name" label="Name" />
        <MoneyInput name="fee" label="Fee" />
        <PasswordInput name="password" label="Password" />
        <SubmitButton />
        <output>{Object.keys(form.formState.dirtyFields).join()}</output>
      </Form>
    );
  }
  renderScreen(<Saver />);
  const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
  await user.type(screen.getByLabelText('Name'), ' ');
  await user.type(screen.getByLabelText('Password'), 'long enough');
  await save();
  await user.type(screen.getByLabelText('Fee'), '0');
  resolve();
  await waitFor(() => expect(value('Password')).toBe(''));
  expect([value('Name'), value('Fee')]).toEqual(['Ada', '100']);
  expect(screen.getByRole('status').textContent).toBe('fee');
});
