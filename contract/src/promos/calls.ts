import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits, maxPromoUses } from '../limits.ts';
import { date, id, idOrZero, listQuery, listResult, requiredLine, version } from '../shape.ts';
import { fieldTexts } from '../texts.ts';

/** The callers who manage promo codes: of a company for what its patients pay, of the installation for licenses. */
const who = ['A', 'Super'] as const;

/** ENTITY-8, VALID-31. `discountRate` in whole percent. */
const fields = {
  code: requiredLine(limits.promoCode),
  discountRate: z
    .int({ error: ({ input }) => (input == null ? fieldTexts.required : fieldTexts.notValid) })
    .check(z.gte(1, fieldTexts.notValid), z.lte(100, fieldTexts.notValid)),
  /** The last day on which the code can be used, in the company's time zone (UTC for the installation's); null: no end. */
  expirationDate: z.nullable(date),
  /** How often it can be used in all; null: without a limit. */
  maxUses: z.nullable(z.int().check(z.gte(1, fieldTexts.notValid), z.lte(maxPromoUses, fieldTexts.notValid))),
  disabled: z.boolean(),
};

export const promoColumns = ['code', 'discountRate', 'expirationDate', 'disabled'] as const;

const promoRow = z.object({
  patientPromoId: z.int(),
  code: z.string(),
  discountRate: z.int(),
  expirationDate: z.nullable(z.string()),
  disabled: z.boolean(),
});
/** A row of the list (PROMO-1). */
export type PromoRow = z.infer<typeof promoRow>;

/** CALL-31. `filter` matches parts of codes. */
export const listPromos = call({
  name: 'listPromos',
  summary: 'The promo codes of the company, or of the installation.',
  method: 'GET',
  path: '/api/promos',
  who,
  query: z.object(listQuery(promoColumns)),
  result: listResult(promoRow),
});

export const getPromo = call({
  name: 'getPromo',
  summary: 'One promo code.',
  method: 'GET',
  path: '/api/promos/:patientPromoId',
  who,
  params: z.object({ patientPromoId: id }),
  result: z.object({ patientPromoId: z.int(), version: z.int(), ...fields, uses: z.int() }),
});

export const promoBody = z.object({ patientPromoId: idOrZero, version, ...fields });
export type PromoBody = z.infer<typeof promoBody>;

/** CALL-31: returns the id. A code is unique in the company, whatever its letters' case. */
export const savePromo = call({
  name: 'savePromo',
  summary: 'Creates a promo code (patientPromoId 0) or saves one.',
  method: 'POST',
  path: '/api/promos',
  who,
  body: promoBody,
  result: z.object({ patientPromoId: z.int(), version: z.int() }),
  creates: true,
  refusals: ['stale', 'promo-taken', 'card-number', 'key-reused'],
});

/** What it has already discounted stays. */
export const deletePromo = call({
  name: 'deletePromo',
  summary: 'Deletes a promo code.',
  method: 'DELETE',
  path: '/api/promos/:patientPromoId',
  who,
  params: z.object({ patientPromoId: id }),
});
