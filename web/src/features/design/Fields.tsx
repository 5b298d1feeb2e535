import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { CheckboxInput } from '../../form/CheckboxInput.tsx';
import { DateInput, TimeInput } from '../../form/DateInput.tsx';
import { Form } from '../../form/Form.tsx';
import { MoneyInput } from '../../form/MoneyInput.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import { texts } from './texts.ts';

const words = texts.fields;

/** Each kind of field: empty, filled, with a hint, with an error, disabled, read-only. */
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
          <SelectInput
            name="choice"
            label={words.choice}
            options={[
              { value: 'a', label: 'Maya Reyes' },
              { value: 'b', label: 'Jonas Lindqvist' },
            ]}
          />
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
