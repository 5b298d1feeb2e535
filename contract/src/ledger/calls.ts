import * as z from 'zod/mini';
import { call } from '../call.ts';
import { dayRange, id, listQuery, listResult, maxDays } from '../shape.ts';

/** The longest period that the money pages show, days. */
export const maxLedgerDays = 366;
/** The newest entries that a download has. */
export const maxLedgerDownload = 50_000;

/** The kinds of entries: in another way than by card, by card, returned, taken off by a promo code. */
export const ledgerKinds = ['manual', 'charge', 'refund', 'promo'] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/** Days are the company's, inclusive. */
const filter = { ...dayRange, doctorId: z.optional(id), kind: z.optional(z.enum(ledgerKinds)) };

const person = z.object({ firstName: z.string(), lastName: z.string() });

/** Sums of entries; decimals. `collected` is the sum of all: what the appointments have as collected. */
const sums = z.object({
  charge: z.string(),
  manual: z.string(),
  promo: z.string(),
  refund: z.string(),
  collected: z.string(),
});
export type LedgerSums = z.infer<typeof sums>;

const entry = z.object({
  ledgerId: z.int(),
  at: z.string(),
  kind: z.enum(ledgerKinds),
  amount: z.string(),
  appointmentId: z.int(),
  patientId: z.int(),
  patient: person,
  doctor: person,
  /** '' without a card. */
  processor: z.string(),
  cardBrand: z.string(),
  cardLast4: z.string(),
  /** The card's holder has disputed the charge at the bank. */
  disputed: z.boolean(),
  /** Who entered or refunded it; null = the patient or the clinic's rule. */
  user: z.nullable(person),
});
export type LedgerEntry = z.infer<typeof entry>;

/** What was collected, newest first. */
export const listLedger = call({
  name: 'listLedger',
  summary: 'The entries of the ledger of some days.',
  method: 'GET',
  path: '/api/ledger',
  who: ['A'],
  query: z.object({ ...listQuery(['at', 'amount']), ...filter }).check(maxDays(maxLedgerDays)),
  result: listResult(entry),
});

export const getLedgerTotals = call({
  name: 'getLedgerTotals',
  summary: 'Sums of the ledger of some days, by provider and by processor, and what is still open.',
  method: 'GET',
  path: '/api/ledger/totals',
  who: ['A'],
  query: z.object(filter).check(maxDays(maxLedgerDays)),
  result: z.object({
    currency: z.string(),
    timeZone: z.string(),
    total: sums,
    providers: z.array(z.object({ userId: z.int(), ...person.shape, sums })),
    /** `processor` '' = not by card. */
    processors: z.array(z.object({ processor: z.string(), sums })),
    /** Appointments of these days whose fee was not fully collected. */
    open: z.object({ count: z.int(), balance: z.string() }),
  }),
});

export const downloadLedger = call({
  name: 'downloadLedger',
  summary: 'The entries of the ledger of some days as CSV.',
  method: 'GET',
  path: '/api/ledger/csv',
  who: ['A'],
  query: z.object(filter).check(maxDays(maxLedgerDays)),
  format: 'text/csv',
});

const openBalance = z.object({
  appointmentId: z.int(),
  patientId: z.int(),
  patient: person,
  doctor: person,
  startDate: z.string(),
  fee: z.string(),
  collected: z.string(),
  balance: z.string(),
});
export type OpenBalance = z.infer<typeof openBalance>;

/** Appointments that start on these days and are not cancelled. `kind` does not matter. */
export const listOpenBalances = call({
  name: 'listOpenBalances',
  summary: 'Appointments of some days whose fee was not fully collected.',
  method: 'GET',
  path: '/api/ledger/open',
  who: ['A'],
  query: z.object({ ...listQuery(['startDate', 'balance']), ...filter }).check(maxDays(maxLedgerDays)),
  result: listResult(openBalance),
});
