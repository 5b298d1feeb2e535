import { useEffect, useEffectEvent } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { DateInput } from '../../form/DateInput.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { addDays, ownZone, today } from '../../time/time.ts';
import { Section } from '../../ui/Section.tsx';
import type { CompanyValues } from './company-form.ts';
import { texts } from './texts.ts';

/** Users have this long to set up their second factor, unless another day is picked. */
const graceDays = 14;

/** Whether the company's users need a second factor, and from which day on. */
export function SecondFactorFields() {
  const { getValues, setValue } = useFormContext<CompanyValues>();
  const isRequired = useWatch<CompanyValues, 'requireFactor'>({ name: 'requireFactor' });
  // When it is switched on: a day that is cleared stays empty until one is picked. It begins in the company's zone, also for a Super elsewhere.
  const suggestDay = useEffectEvent(() => {
    if (getValues('secondFactorFrom') !== '') return;
    setValue('secondFactorFrom', addDays(today(getValues('timeZone') || ownZone()), graceDays));
  });
  useEffect(() => {
    if (isRequired) suggestDay();
  }, [isRequired]);
  return (
    <Section title={texts.signingIn}>
      <SwitchInput name="requireFactor" label={texts.requireFactor} hint={texts.requireFactorHint} />
      {isRequired && <DateInput name="secondFactorFrom" label={texts.secondFactorFrom} required />}
    </Section>
  );
}
