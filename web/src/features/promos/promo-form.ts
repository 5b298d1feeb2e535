import type { ResultOf } from '@roomside/contract/call.ts';
import { limits, maxPromoUses } from '@roomside/contract/limits.ts';
import type { getPromo, PromoBody } from '@roomside/contract/promos/calls.ts';
import { date, requiredLine } from '@roomside/contract/shape.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import * as z from 'zod/mini';

export type StoredPromo = ResultOf<typeof getPromo>;

const whole = (max: number) =>
  z.refine<string>((digits) => Number(digits) >= 1 && Number(digits) <= max, fieldTexts.notValid);

/** The typed values: numbers are digits, '' is none (VALID-31). */
export const promoSchema = z.object({
  code: requiredLine(limits.promoCode),
  discountRate: z.string().check(z.minLength(1, fieldTexts.required), whole(100)),
  expirationDate: z.union([z.literal(''), date]),
  maxUses: z.union([z.literal(''), z.string().check(whole(maxPromoUses))]),
  disabled: z.boolean(),
});
export type PromoForm = z.infer<typeof promoSchema>;

export const blankPromo: StoredPromo = {
  patientPromoId: 0,
  version: 0,
  code: '',
  discountRate: Number.NaN,
  expirationDate: null,
  maxUses: null,
  disabled: false,
  uses: 0,
};

export function toForm({ code, discountRate, expirationDate, maxUses, disabled }: StoredPromo): PromoForm {
  return {
    code,
    discountRate: Number.isNaN(discountRate) ? '' : String(discountRate),
    expirationDate: expirationDate ?? '',
    maxUses: maxUses === null ? '' : String(maxUses),
    disabled,
  };
}

export function toBody(values: PromoForm, { patientPromoId, version }: StoredPromo): PromoBody {
  return {
    patientPromoId,
    version,
    code: values.code,
    discountRate: Number(values.discountRate),
    expirationDate: values.expirationDate || null,
    maxUses: values.maxUses === '' ? null : Number(values.maxUses),
    disabled: values.disabled,
  };
}
