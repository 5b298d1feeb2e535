import { type Calculated, calculateLicense, type License } from '@roomside/contract/licenses/calls.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import { useEffect, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { useRead } from '../../api/use-call.ts';

/** How long an order is unchanged before its total is calculated again, ms (CONST-12). */
const recalculateDebounceMs = 500;

/** What is typed on the page. */
export interface Order {
  providers: string;
  promoCode: string;
}

/** VALID-27: digits, 1 to 4 of them. A license is for one provider at least. */
export const isProviderCount = (typed: string): boolean => /^\d{1,4}$/.test(typed) && Number(typed) > 0;

/** What an order costs, calculated again when it has not changed for a moment (CONST-12). */
export function useCalculated({ companyId, expirationDate }: License, order: Order) {
  const [settled, setSettled] = useState(order);
  const { providers, promoCode } = order;
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ providers, promoCode }), recalculateDebounceMs);
    return () => clearTimeout(timer);
  }, [providers, promoCode]);
  const isTyped = isProviderCount(settled.providers);
  const code = settled.promoCode.trim();
  const read = (of: string | null) => ({
    body: {
      user: { company: { companyId, providerCount: Number(settled.providers) } },
      promoCode: of === null ? null : { code: of },
    },
  });
  // A payment moves the date from which it is calculated.
  const options = { staleTime: 0, keepPrevious: true };
  const enabled = isTyped && expirationDate !== '';
  const plain = useRead(calculateLicense, read(null), { ...options, enabled });
  const reduced = useRead(calculateLicense, read(code || 'none'), { ...options, enabled: isTyped && code !== '' });
  const isPromoWrong = code !== '' && reduced.error !== null && !isRefusal(reduced.error, 'providers-in-use');
  const shown: Calculated | undefined =
    code === '' || isPromoWrong ? plain.data : reduced.isPlaceholderData ? undefined : reduced.data;
  const isCurrent = settled.providers === providers && settled.promoCode === promoCode;
  const isReading = plain.isFetching || (code !== '' && reduced.isFetching);
  return {
    /** The first total was read, or cannot be. */
    isRead: plain.isFetched || !enabled,
    /** Undefined while nothing is known. */
    calculated: isTyped ? (shown ?? plain.data) : undefined,
    /** What is shown is for what is typed. */
    isReady: isCurrent && isTyped && !isReading && shown !== undefined && !isPromoWrong && !plain.error,
    providersError: !isProviderCount(providers) ? fieldTexts.notValid : plain.error ? wordsFor(plain.error) : '',
    promoError: isPromoWrong && isCurrent ? wordsFor(reduced.error) : '',
  };
}
