import { limits } from '@roomside/contract/limits.ts';
import { checkPromo } from '@roomside/contract/payments/calls.ts';
import { useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { send } from '../../api/send.ts';
import { Button } from '../../ui/light/Button.tsx';
import { TextField } from '../../ui/light/TextField.tsx';
import { texts } from './texts.ts';
import type { Promo } from './use-payment.ts';

/** The promo code of a payment: what is typed, and what it takes off once it was checked. */
export function usePromo(uid: string) {
  const [typed, setTyped] = useState('');
  const [applied, setApplied] = useState<Promo>();
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);

  return {
    typed,
    applied,
    error,
    busy,
    type(code: string): void {
      setTyped(code);
      setError('');
    },
    /** Removes the applied code; `why` is shown below the field. */
    remove(why = ''): void {
      setApplied(undefined);
      setError(why);
    },
    /** Checks the typed code. Returns whether it is valid. */
    async apply(): Promise<boolean> {
      const code = typed.trim();
      if (busy) return false;
      if (code === '') {
        setError(texts.promoMissing);
        return false;
      }
      setBusy(true);
      setError('');
      try {
        setApplied(await send(checkPromo, { params: { uid }, body: { code } }));
        setTyped('');
        return true;
      } catch (failed) {
        setError(wordsFor(failed));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

const fieldId = 'promo-code';

/** Gives the focus to the field, so that its error is read. */
export const focusPromo = (): void => document.getElementById(fieldId)?.focus();

/** The field of a promo code with its button. */
export function PromoField({ promo, disabled }: { promo: ReturnType<typeof usePromo>; disabled: boolean }) {
  return (
    <form
      className="pay-promo"
      onSubmit={(event) => {
        event.preventDefault();
        void promo.apply();
      }}
    >
      <TextField
        id={fieldId}
        label={texts.promo}
        value={promo.typed}
        onChange={promo.type}
        error={promo.error}
        maxLength={limits.promoCode}
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        readOnly={disabled}
        end={
          <Button type="submit" look="secondary" busy={promo.busy} disabled={disabled}>
            {texts.apply}
          </Button>
        }
      />
    </form>
  );
}
