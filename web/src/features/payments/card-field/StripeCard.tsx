import type { StripeCardElement } from '@stripe/stripe-js';
import { useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react';
import type { CardResult } from '../../../frames/messages.ts';
import type { ProcessorFieldProps } from './card-handle.ts';
import { stripeOf } from './stripe-client.ts';
import { texts } from './texts.ts';

/** Stripe's own field, in its own frame. */
export function StripeCard({ processor: { publicKey }, busy, ref }: ProcessorFieldProps) {
  const place = useRef<HTMLDivElement>(null);
  const element = useRef<StripeCardElement>(undefined);
  const [error, setError] = useState('');
  const startError = useEffectEvent((text: string) => setError(text));

  useEffect(() => {
    let isOpen = true;
    void stripeOf(publicKey)
      .then((stripe) => {
        if (!isOpen || !place.current) return;
        const card = stripe.elements().create('card', { style: lookOf(place.current), disableLink: true });
        card.on('change', (change) => startError(change.error?.message ?? ''));
        card.mount(place.current);
        element.current = card;
      })
      .catch(() => isOpen && startError(texts.notLoaded));
    return () => {
      isOpen = false;
      element.current?.destroy();
      element.current = undefined;
    };
  }, [publicKey]);
  useEffect(() => element.current?.update({ disabled: busy }), [busy]);
  useImperativeHandle(ref, () => ({
    async tokenize() {
      // Pressed before its code was loaded.
      await stripeOf(publicKey).catch(() => undefined);
      const result = await tokenOf(publicKey, element.current);
      setError('error' in result ? result.error : '');
      if ('error' in result) element.current?.focus();
      return result;
    },
  }));
  return (
    <div className="rs-field">
      <div ref={place} className="rs-input card-stripe" />
      <div className="rs-field-foot">{error && <span className="rs-field-error">{error}</span>}</div>
    </div>
  );
}

async function tokenOf(publicKey: string, card: StripeCardElement | undefined): Promise<CardResult> {
  if (!card) return { error: texts.notLoaded };
  const { paymentMethod, error } = await (await stripeOf(publicKey)).createPaymentMethod({ type: 'card', card });
  if (error) return { error: error.message ?? texts.failed };
  const { brand = '', last4 = '', exp_month: month = 0, exp_year: year = 0 } = paymentMethod.card ?? {};
  return { token: paymentMethod.id, brand, last4, expiry: `${String(month).padStart(2, '0')}/${year}` };
}

/** The page's colors, which Stripe's frame cannot read. */
function lookOf(place: HTMLElement) {
  const style = getComputedStyle(place);
  const color = (name: string) => style.getPropertyValue(name);
  return {
    base: { color: color('--rs-text'), fontSize: style.fontSize, '::placeholder': { color: color('--rs-text-soft') } },
    invalid: { color: color('--rs-danger') },
  };
}
