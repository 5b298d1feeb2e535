import { limits } from '@roomside/contract/limits.ts';
import { listPaymentProcessors } from '@roomside/contract/payments/calls.ts';
import { useWatch } from 'react-hook-form';
import { useRead } from '../../api/use-call.ts';
import { SelectInput } from '../../form/SelectInput.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import type { CompanyValues } from './company-form.ts';
import { texts } from './texts.ts';

const rules = Object.entries(texts.refundRules).map(([value, label]) => ({ value, label }));

/** The company's account at a payment processor (ENTITY-6, VALID-19), and what patients get who cancel. */
export function PaymentFields({ hasPassword }: { hasPassword: boolean }) {
  const processors = useRead(listPaymentProcessors, {}).data?.data ?? [];
  const chosen = useWatch<CompanyValues, 'paymentProcessor'>({ name: 'paymentProcessor' });
  const processor = processors.find((one) => one.processor === chosen);
  const options = [
    { value: '', label: texts.noProcessor },
    ...processors.map((one) => ({ value: one.processor, label: one.displayName })),
  ];
  return (
    <Section title={texts.payments}>
      <Pair>
        <SelectInput
          name="paymentProcessor"
          label={texts.paymentProcessor}
          options={options}
          hint={chosen === 'sandbox' ? texts.sandboxHint : texts.paymentProcessorHint}
        />
        {chosen !== '' && <SelectInput name="refundRule" label={texts.refundRule} options={rules} />}
      </Pair>
      {processor && (
        <Pair>
          <TextInput name="pmtUser" label={processor.userLabel} maxLength={limits.processorKey} />
          <TextInput
            name="pmtPassword"
            label={processor.passwordLabel}
            hint={hasPassword ? texts.pmtPasswordKept : texts.pmtPasswordHint}
            maxLength={limits.processorKey}
            type="password"
            autoComplete="new-password"
          />
        </Pair>
      )}
    </Section>
  );
}
