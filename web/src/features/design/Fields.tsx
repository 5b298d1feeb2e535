import { Box, Typography } from '@mui/material';
import { type ReactNode, useEffect } from 'react';
import { useFieldArray, useForm } from 'react-hook-form';
import { CheckboxInput } from '../../form/CheckboxInput.tsx';
import { DateInput, TimeInput } from '../../form/DateInput.tsx';
import { Form } from '../../form/Form.tsx';
import { MoneyInput } from '../../form/MoneyInput.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { AddRow, RemoveRow } from '../../form/RowButtons.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import type { FieldProps } from '../../form/use-field.ts';
import { ZoneInput } from '../../form/ZoneInput.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import { texts } from './texts.ts';

const words = texts.fields;

const people = [
  { value: 'a', label: 'Maya Reyes' },
  { value: 'b', label: 'Jonas Lindqvist' },
];

/** A form with each kind of field. */
export function Fields() {
  const form = useForm({
    defaultValues: {
      empty: '',
      filled: words.name,
      wrong: 'maya@',
      off: words.name,
      fixed: '100',
      long: words.note,
      choice: 'a',
      fee: 60,
      phone: '2125551000',
      password: '',
      date: '2026-11-24',
      time: '09:30',
      yes: true,
      on: true,
    },
  });
  const { setError } = form;
  useEffect(() => setError('wrong', { type: 'server', message: words.error }), [setError]);
  return (
    <Section title="Fields">
      <Form form={form} onSubmit={async () => undefined}>
        <Pair>
          <TextInput name="empty" label={words.empty} hint={words.hint} />
          <TextInput name="filled" label={words.filled} required maxLength={50} counter />
          <TextInput name="wrong" label={words.wrong} required />
          <SelectInput name="choice" label={words.choice} options={people} />
          <TextInput name="off" label={words.off} disabled />
          <TextInput name="fixed" label={words.fixed} readOnly />
          <MoneyInput name="fee" label={words.fee} />
          <PhoneInput name="phone" label={words.phone} />
          <DateInput name="date" label={words.date} required />
          <TimeInput name="time" label={words.time} required />
          <PasswordInput name="password" label={words.password} isNew />
        </Pair>
        <TextInput name="long" label={words.long} multiline rows={2} maxLength={200} counter />
        <CheckboxInput name="yes" label={words.yes} />
        <SwitchInput name="on" label={words.on} hint={words.hint} />
        <div>
          <SubmitButton />
        </div>
      </Form>
    </Section>
  );
}

type State = keyof typeof texts.states;
const states = Object.keys(texts.states) as State[];

interface Kind {
  name: string;
  /** What a filled field has. */
  value: string | boolean;
  field: (props: FieldProps) => ReactNode;
  /** Without the states that the component does not have. */
  states?: readonly State[];
}

const textKinds: readonly Kind[] = [
  { name: words.text, value: words.name, field: (props) => <TextInput {...props} maxLength={50} counter /> },
  { name: words.lines, value: words.note, field: (props) => <TextInput {...props} multiline rows={2} /> },
  { name: words.password, value: 'k7.Rm2qZ-x4P', field: (props) => <PasswordInput {...props} isNew /> },
  { name: words.fee, value: '60', field: MoneyInput },
  { name: words.phone, value: '2125551000', field: PhoneInput },
];

const toggleStates = ['empty', 'filled', 'hint', 'error', 'disabled'] as const;

const choiceKinds: readonly Kind[] = [
  { name: words.choice, value: 'a', field: (props) => <SelectInput {...props} options={people} /> },
  { name: words.date, value: '2026-11-24', field: DateInput },
  { name: words.time, value: '09:30', field: TimeInput },
  {
    name: words.zone,
    value: 'America/New_York',
    field: ({ name }) => <ZoneInput name={name} />,
    states: ['empty', 'filled', 'error'],
  },
  { name: words.checkbox, value: true, field: CheckboxInput, states: toggleStates },
  { name: words.switch, value: true, field: SwitchInput, states: toggleStates },
];

/** Each kind of text field in each of its states. */
export const TextFields = () => <States title="Text fields" kinds={textKinds} />;

/** Each kind of choice in each of its states. */
export const Choices = () => <States title="Choices" kinds={choiceKinds} />;

/** The path of a field in the form. */
const pathOf = (kind: number, state: State) => `kinds.${kind}.${state}` as const;

function States({ title, kinds }: { title: string; kinds: readonly Kind[] }) {
  const form = useForm<{ kinds: Record<State, string | boolean>[] }>({
    defaultValues: { kinds: kinds.map(({ value }) => valuesOf(value)) },
  });
  const { setError } = form;
  useEffect(() => {
    for (const kind of kinds.keys()) setError(pathOf(kind, 'error'), { type: 'server', message: words.error });
  }, [kinds, setError]);
  return (
    <Section title={title}>
      <Form form={form} onSubmit={async () => undefined}>
        {kinds.map(({ name, field: Field, states: own = states }, kind) => (
          <div key={name} role="group" aria-label={name}>
            <Typography variant="h3" sx={{ mb: 1 }}>
              {name}
            </Typography>
            <Box sx={triple}>
              {own.map((state) => (
                <Field
                  key={state}
                  name={pathOf(kind, state)}
                  label={texts.states[state]}
                  hint={state === 'hint' ? words.hint : undefined}
                  disabled={state === 'disabled'}
                  readOnly={state === 'readOnly'}
                />
              ))}
            </Box>
          </div>
        ))}
      </Form>
    </Section>
  );
}

/** Only the field without a value is empty. */
const valuesOf = (value: string | boolean) =>
  Object.fromEntries(
    states.map((state) => [state, state !== 'empty' ? value : typeof value === 'boolean' ? false : '']),
  ) as Record<State, string | boolean>;

const triple = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(3, minmax(0, 1fr))' },
} as const;

const maxRows = 3;

/** Rows that are added and removed: the buttons are disabled at the limits. */
export function Rows() {
  const form = useForm({ defaultValues: { phones: [{ phone: '2125551000' }, { phone: '' }], fixed: [{ phone: '' }] } });
  return (
    <Section title="Rows">
      <Form form={form} onSubmit={async () => undefined}>
        <PhoneRows of="phones" />
        <PhoneRows of="fixed" disabled />
      </Form>
    </Section>
  );
}

function PhoneRows({ of, disabled = false }: { of: 'phones' | 'fixed'; disabled?: boolean }) {
  const { fields, append, remove } = useFieldArray<{ phones: { phone: string }[]; fixed: { phone: string }[] }>({
    name: of,
  });
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
      {fields.map(({ id }, index) => (
        <Box key={id} sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
          <PhoneInput name={`${of}.${index}.phone`} label={words.phoneAt(index + 1)} disabled={disabled} />
          <Box sx={{ mt: 3.25 }}>
            <RemoveRow
              of={of}
              label={words.removePhone(index + 1)}
              disabled={disabled || fields.length === 1}
              onRemove={() => remove(index)}
            />
          </Box>
        </Box>
      ))}
      <AddRow
        of={of}
        label={words.addPhone}
        disabled={disabled || fields.length >= maxRows}
        onAdd={() => append({ phone: '' })}
      />
    </Box>
  );
}
