import { Box, Card, Table, TableBody, TableCell, TableContainer, TableHead, TableRow, Typography } from '@mui/material';
import type { ResultOf } from '@roomside/contract/call.ts';
import { type getLedgerTotals, ledgerKinds, type LedgerSums as Sums } from '@roomside/contract/ledger/calls.ts';
import { toCents } from '@roomside/contract/money.ts';
import { processors } from '@roomside/contract/payments/processors.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useId } from 'react';
import { LoadError } from '../../ui/LoadError.tsx';
import { formatMoney } from '../../ui/money.ts';
import './ledger.css';
import { texts } from './texts.ts';

interface Props {
  totals: UseQueryResult<ResultOf<typeof getLedgerTotals>>;
  currency: string;
}

/** The sums of a period: in all, by provider and by processor. */
export function LedgerSums({ totals, currency }: Props) {
  if (totals.error && !totals.data) return <LoadError error={totals.error} onRetry={() => void totals.refetch()} />;
  const { total, open, providers = [], processors: used = [] } = totals.data ?? {};
  const money = (amount: string | undefined) => (amount === undefined ? '–' : formatMoney(amount, currency));
  return (
    <Box
      aria-busy={totals.isFetching}
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: 'minmax(0, 1fr)',
        opacity: totals.isPlaceholderData ? 0.6 : 1,
        transition: 'opacity 120ms',
      }}
    >
      <Card component="section" aria-label={texts.sums} sx={{ p: 2 }}>
        <dl className="ledger-tiles">
          <div>
            <dt>{texts.collected}</dt>
            <dd>{money(total?.collected)}</dd>
          </div>
          {ledgerKinds.map((kind) => (
            <div key={kind}>
              <dt>{texts.kinds[kind]}</dt>
              <dd>{money(total?.[kind])}</dd>
            </div>
          ))}
          <div>
            <dt>{texts.open}</dt>
            <dd>{money(open?.balance)}</dd>
            {open && <dd className="ledger-note">{texts.openCount(open.count)}</dd>}
          </div>
        </dl>
      </Card>
      {providers.length > 0 && (
        <Box
          sx={{
            display: 'grid',
            gap: 2,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', xl: 'repeat(2, minmax(0, 1fr))' },
          }}
        >
          <SumsTable
            title={texts.byProvider}
            first={texts.columns.doctor}
            rows={providers.map(({ userId, firstName, lastName, sums }) => ({
              key: String(userId),
              name: `${firstName} ${lastName}`,
              sums,
            }))}
            money={money}
          />
          <SumsTable
            title={texts.byProcessor}
            first={texts.processor}
            rows={used.map(({ processor, sums }) => ({ key: processor, name: processorName(processor), sums }))}
            money={money}
          />
        </Box>
      )}
    </Box>
  );
}

function processorName(processor: string): string {
  if (processor === '') return texts.noProcessor;
  return Object.hasOwn(processors, processor)
    ? processors[processor as keyof typeof processors].displayName
    : texts.none;
}

interface TableProps {
  title: string;
  first: string;
  rows: readonly { key: string; name: string; sums: Sums }[];
  money: (amount: string) => string;
}

function SumsTable({ title, first, rows, money }: TableProps) {
  const id = useId();
  // Kinds that the period does not have take no room.
  const kinds = ledgerKinds.filter((kind) => rows.some(({ sums }) => toCents(sums[kind]) !== 0));
  const columns = [...kinds, 'collected'] as const;
  return (
    <Card component="section" aria-labelledby={id} sx={{ minWidth: 0 }}>
      <Typography id={id} variant="h3" sx={{ px: 2, pt: 2, pb: 1 }}>
        {title}
      </Typography>
      {/* Scrolls by the keyboard, too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolled region must be reachable. */}
      <TableContainer tabIndex={0} role="region" aria-labelledby={id}>
        <Table
          size="small"
          sx={{
            '& td, & th': { fontVariantNumeric: 'tabular-nums', verticalAlign: 'bottom', px: { xs: 1, sm: 2 } },
            '& td': { whiteSpace: 'nowrap' },
            '& th:first-of-type': { pl: 2 },
            '& td:last-of-type, & th:last-of-type': { pr: 2 },
          }}
        >
          <TableHead>
            <TableRow>
              <TableCell>{first}</TableCell>
              {columns.map((column) => (
                <TableCell key={column} align="right">
                  {column === 'collected' ? texts.collected : texts.kinds[column]}
                </TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {rows.map(({ key, name, sums }) => (
              <TableRow key={key}>
                <TableCell component="th" scope="row">
                  {name}
                </TableCell>
                {columns.map((column) => (
                  <TableCell key={column} align="right">
                    {money(sums[column])}
                  </TableCell>
                ))}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
    </Card>
  );
}
