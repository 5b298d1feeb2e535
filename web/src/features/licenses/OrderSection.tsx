import { Box, TextField, Typography } from '@mui/material';
import type { License } from '@roomside/contract/licenses/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import type { ReactNode } from 'react';
import { formatMoney } from '../../ui/money.ts';
import { Pair, Section } from '../../ui/Section.tsx';
import { texts } from './texts.ts';
import type { Order, useCalculated } from './use-calculated.ts';

interface Props {
  license: License;
  order: Order;
  total: ReturnType<typeof useCalculated>;
  onChange: (order: Order) => void;
  disabled: boolean;
}

/** How many providers for which price: the count, a promo code, and the total, which follows what is typed. */
export function OrderSection({ license, order, total, onChange, disabled }: Props) {
  const { calculated, isReady, providersError, promoError } = total;
  const money = (amount: string) => formatMoney(amount, license.currency);
  return (
    <Section title={texts.order}>
      <Pair>
        <TextField
          label={texts.providers}
          value={order.providers}
          onChange={({ target }) => onChange({ ...order, providers: target.value })}
          error={providersError !== ''}
          helperText={providersError || texts.providersHint(license.providersInUse)}
          required
          fullWidth
          disabled={disabled}
          slotProps={{ htmlInput: { inputMode: 'numeric', maxLength: 4, autoComplete: 'off' } }}
        />
        <TextField
          label={texts.promo}
          value={order.promoCode}
          onChange={({ target }) => onChange({ ...order, promoCode: target.value })}
          error={promoError !== ''}
          helperText={
            promoError ||
            (calculated && isReady && calculated.discountRate > 0 ? texts.promoApplied(calculated.discountRate) : ' ')
          }
          fullWidth
          disabled={disabled}
          slotProps={{
            htmlInput: {
              maxLength: limits.promoCode,
              autoComplete: 'off',
              autoCapitalize: 'characters',
              spellCheck: false,
            },
          }}
        />
      </Pair>
      {calculated && (
        <Box>
          <dl className="license-amounts" aria-busy={!isReady}>
            <Amount name={texts.subtotal(Number(order.providers) || 0, money(license.price))}>
              {money(calculated.subtotal)}
            </Amount>
            {calculated.discountRate > 0 && (
              <Amount name={`${texts.discount} (${calculated.discountRate}%)`}>−{money(calculated.discount)}</Amount>
            )}
            <Amount name={texts.total} isTotal>
              {money(calculated.total)}
            </Amount>
          </dl>
          <Typography variant="body2" color="textSecondary" role="status" sx={{ mt: 1.5 }}>
            {isReady || providersError || promoError ? texts.newEnd(calculated.expirationDate) : texts.calculating}
          </Typography>
        </Box>
      )}
    </Section>
  );
}

function Amount({ name, isTotal = false, children }: { name: string; isTotal?: boolean; children: ReactNode }) {
  return (
    <div {...(isTotal && { className: 'license-total' })}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
