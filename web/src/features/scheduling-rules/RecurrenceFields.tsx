import { FormControl, FormControlLabel, FormLabel, Radio, RadioGroup, TextField } from '@mui/material';
import { maxEvery } from '@roomside/contract/limits.ts';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { Foot } from '../../form/TextInput.tsx';
import { useField } from '../../form/use-field.ts';
import { Section } from '../../ui/Section.tsx';
import { MaskInput } from './MaskInput.tsx';
import type { RuleValues } from './rule-form.ts';
import { dailyTypes, dayTypes, monthDays, months, monthTypes, ruleTypes, weekdays, weeks } from './rule-options.ts';
import { texts } from './texts.ts';

/** When the rule applies (RULES-4); only while it is not disabled (RULES-6). */
export function RecurrenceFields({ disabled }: { disabled: boolean }) {
  const ruleType = useWatch<RuleValues, 'ruleType'>({ name: 'ruleType' });
  return (
    <Section title={texts.recurrence}>
      <Choice name="ruleType" label={texts.type} disabled={disabled} options={ruleTypes} />
      {ruleType === 'D' && <Daily disabled={disabled} />}
      {ruleType === 'W' && (
        <>
          <Interval name="everyNweek" label={texts.intervalWeeks} max={maxEvery.weeks} disabled={disabled} />
          <MaskInput name="weekMask" label={texts.weekdays} options={weekdays} disabled={disabled} />
        </>
      )}
      {ruleType === 'M' && <Monthly disabled={disabled} />}
    </Section>
  );
}

function Daily({ disabled }: { disabled: boolean }) {
  const type = useWatch<RuleValues, 'dailyType'>({ name: 'dailyType' });
  return (
    <>
      <Choice name="dailyType" label={texts.daily} disabled={disabled} options={dailyTypes} />
      {type === 1 && <Interval name="everyNday" label={texts.intervalDays} max={maxEvery.days} disabled={disabled} />}
    </>
  );
}

function Monthly({ disabled }: { disabled: boolean }) {
  const [days, which] = useWatch<RuleValues, ['monthlyType1', 'monthlyType2']>({
    name: ['monthlyType1', 'monthlyType2'],
  });
  return (
    <>
      <Choice name="monthlyType1" label={texts.monthly} disabled={disabled} options={dayTypes} />
      {days === 1 ? (
        <MaskInput name="monthMask" label={texts.monthDays} options={monthDays} disabled={disabled} small />
      ) : (
        <>
          <MaskInput name="weekMonthMask" label={texts.weeks} options={weeks} disabled={disabled} />
          <MaskInput name="weekMask" label={texts.weekdays} options={weekdays} disabled={disabled} />
        </>
      )}
      <Choice name="monthlyType2" label={texts.whichMonths} disabled={disabled} options={monthTypes} />
      {which === 1 ? (
        <Interval name="everyNmonth" label={texts.intervalMonths} max={maxEvery.months} disabled={disabled} />
      ) : (
        <MaskInput name="yearMask" label={texts.months} options={months} disabled={disabled} small />
      )}
    </>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  options: readonly { value: string | number; label: string }[];
  disabled: boolean;
}

/** A radio group. */
function Choice({ name, label, options, disabled }: ChoiceProps): ReactNode {
  const { field } = useField({ name, label });
  const pick = (text: string) => field.onChange(options.find(({ value }) => String(value) === text)?.value);
  return (
    <FormControl disabled={disabled}>
      <FormLabel id={`${name}-label`}>{label}</FormLabel>
      <RadioGroup
        row
        aria-labelledby={`${name}-label`}
        name={name}
        value={String(field.value)}
        onChange={(_, value) => pick(value)}
        onBlur={field.onBlur}
      >
        {options.map(({ value, label: words }) => (
          <FormControlLabel
            key={value}
            value={String(value)}
            label={words}
            control={<Radio />}
            sx={{ minHeight: 44, mr: 3 }}
          />
        ))}
      </RadioGroup>
    </FormControl>
  );
}

/** A whole number; null while the field is empty, which the schema reports as missing. */
function Interval({ name, label, max, disabled }: { name: string; label: string; max: number; disabled: boolean }) {
  const { field, error } = useField({ name, label });
  const value = typeof field.value === 'number' && !Number.isNaN(field.value) ? String(field.value) : '';
  return (
    <TextField
      name={name}
      label={label}
      value={value}
      inputRef={field.ref}
      onBlur={field.onBlur}
      onChange={(event) => {
        const digits = event.target.value.replace(/\D/g, '');
        field.onChange(digits === '' ? null : Number(digits));
      }}
      disabled={disabled}
      required
      error={error !== undefined}
      helperText={<Foot error={error} hint={texts.intervalHint} />}
      slotProps={{
        htmlInput: { inputMode: 'numeric', maxLength: String(max).length },
      }}
      sx={{ maxWidth: 360 }}
    />
  );
}
