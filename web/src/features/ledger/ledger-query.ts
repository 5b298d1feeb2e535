import { type LedgerKind, maxLedgerDays } from '@roomside/contract/ledger/calls.ts';
import { date as dateShape } from '@roomside/contract/shape.ts';

/** What the page shows. */
export interface Filters {
  /** 'YYYY-MM-DD', '' or what is typed so far. */
  readonly from: string;
  readonly to: string;
  /** 0 = all. */
  readonly doctorId: number;
  readonly kind: LedgerKind | 'all';
  readonly view: 'entries' | 'balances';
}

/** Whether the filters name a period that can be shown. */
export function isPeriod({ from, to: until }: Filters): boolean {
  const isDate = (text: string) => dateShape.safeParse(text).success;
  const days = (Date.parse(until) - Date.parse(from)) / 86_400_000 + 1;
  return isDate(from) && isDate(until) && days >= 1 && days <= maxLedgerDays;
}

/** The query of the calls. */
export const queryOf = ({ from, to: until, doctorId, kind }: Filters) => ({
  from,
  to: until,
  ...(doctorId !== 0 && { doctorId }),
  ...(kind !== 'all' && { kind }),
});
export type Query = ReturnType<typeof queryOf>;
