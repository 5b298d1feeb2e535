import { getLedgerTotals } from './get-totals.ts';
import { downloadLedger, listLedger } from './list-ledger.ts';
import { listOpenBalances } from './list-open-balances.ts';

export const ledgerCalls = [listLedger, getLedgerTotals, downloadLedger, listOpenBalances];
