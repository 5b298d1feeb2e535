import { limits } from '@roomside/contract/limits.ts';
import type { Ref } from 'react';
import { TextField } from '../../ui/light/TextField.tsx';
import type { Person } from './booking-state.ts';
import { texts } from './texts.ts';

const words = texts.details;

interface Props {
  person: Person;
  onChange: (person: Person) => void;
  /** Error texts by field: firstName, lastName, doB, phone, email. */
  errors: Readonly<Record<string, string>>;
  firstField?: Ref<HTMLInputElement>;
}

/** Name, date of birth and contact. */
export function PersonFields({ person, onChange, errors, firstField }: Props) {
  const field = (name: keyof Person) => ({
    id: `bk-${name}`,
    value: person[name],
    onChange: (value: string) => onChange({ ...person, [name]: value }),
  });
  return (
    <>
      <TextField
        {...field('firstName')}
        ref={firstField}
        label={words.firstName}
        error={errors['firstName']}
        autoComplete="given-name"
        maxLength={limits.name}
        required
      />
      <TextField
        {...field('lastName')}
        label={words.lastName}
        error={errors['lastName']}
        autoComplete="family-name"
        maxLength={limits.name}
        required
      />
      <fieldset className="bk-birth" aria-describedby={errors['doB'] ? 'bk-birth-error' : undefined}>
        <legend>{words.birth}</legend>
        <div className="bk-birth-parts">
          <Part
            {...field('month')}
            label={words.month}
            size={2}
            invalid={Boolean(errors['doB'])}
            autoComplete="bday-month"
          />
          <Part {...field('day')} label={words.day} size={2} invalid={Boolean(errors['doB'])} autoComplete="bday-day" />
          <Part
            {...field('year')}
            label={words.year}
            size={4}
            invalid={Boolean(errors['doB'])}
            autoComplete="bday-year"
          />
        </div>
        <div className="rs-field-foot" id="bk-birth-error">
          {errors['doB'] && <span className="rs-field-error">{errors['doB']}</span>}
        </div>
      </fieldset>
      <p className="bk-contact">{words.contact}</p>
      <TextField
        {...field('phone')}
        label={words.phone}
        error={errors['phone']}
        hint={words.phoneHint}
        type="tel"
        inputMode="tel"
        autoComplete="tel-national"
        maxLength={20}
      />
      <TextField
        {...field('email')}
        label={words.email}
        error={errors['email']}
        type="email"
        autoComplete="email"
        maxLength={limits.email}
      />
    </>
  );
}

interface PartProps {
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  size: number;
  invalid: boolean;
  autoComplete: string;
}

function Part({ id, label, value, onChange, size, invalid, autoComplete }: PartProps) {
  return (
    <label className={`bk-part bk-part-${size}`} htmlFor={id}>
      {label}
      <input
        id={id}
        className="rs-input"
        value={value}
        inputMode="numeric"
        maxLength={size}
        autoComplete={autoComplete}
        aria-invalid={invalid || undefined}
        onChange={(event) => onChange(event.target.value.replace(/\D/g, ''))}
      />
    </label>
  );
}
