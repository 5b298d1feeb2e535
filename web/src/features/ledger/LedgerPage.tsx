import PaymentsOutlinedIcon from '@mui/icons-material/PaymentsOutlined';
import { Box, Link } from '@mui/material';
import {
  downloadLedger,
  getLedgerTotals,
  type LedgerEntry,
  listLedger,
  listOpenBalances,
  type OpenBalance,
} from '@roomside/contract/ledger/calls.ts';
import { toCents } from '@roomside/contract/money.ts';
import { useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { sendForFile } from '../../api/send.ts';
import { useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import type { Column } from '../../list/column.ts';
import { DownloadButton } from '../../list/DownloadButton.tsx';
import { ListTable } from '../../list/ListTable.tsx';
import { useListState } from '../../list/list-state.ts';
import { RefreshButton } from '../../list/RefreshButton.tsx';
import { useList } from '../../list/use-list.ts';
import { When } from '../../list/When.tsx';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone, today } from '../../time/time.ts';
import { formatMoney } from '../../ui/money.ts';
import { Page } from '../../ui/Page.tsx';
import { CardsSkeleton } from '../../ui/Skeletons.tsx';
import { WhenRead } from '../../ui/WhenRead.tsx';
import { LedgerFilters } from './LedgerFilters.tsx';
import { LedgerSums } from './LedgerSums.tsx';
import { type Filters, isPeriod, type Query, queryOf } from './ledger-query.ts';
import { texts } from './texts.ts';

/** /admin/ledger: what was collected and what is owed in a period, with sums by provider and by processor. */
export function LedgerPage() {
  const company = useCompany();
  if (!company) return null;
  return <Ledger zone={company.timeZone} currency={company.currency} />;
}

interface Place {
  readonly zone: string;
  readonly currency: string;
}

function Ledger(place: Place) {
  const day = today(place.zone);
  const [filters, setFilters] = useState<Filters>({ from: day, to: day, doctorId: 0, kind: 'all', view: 'entries' });
  const [used, setUsed] = useState(filters);
  const change = (next: Filters) => {
    setFilters(next);
    // An incomplete date shows the last period.
    if (isPeriod(next)) setUsed(next);
  };
  const query = queryOf(used);
  const scope = JSON.stringify(query);
  const entries = useListState('ledger', { scope });
  const balances = useListState('balances', { scope });
  const totals = useRead(getLedgerTotals, { query }, { staleTime: 0, keepPrevious: true });
  const refresh = () => {
    void totals.refetch();
    entries.refresh();
    balances.refresh();
  };

  return (
    <Page
      title={texts.title}
      actions={
        <>
          <DownloadButton label={texts.download} open={() => sendForFile(downloadLedger, { query })} />
          <RefreshButton onRefresh={refresh} />
        </>
      }
    >
      <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <LedgerFilters
          filters={filters}
          zone={place.zone}
          onChange={change}
          error={isPeriod(filters) ? undefined : texts.range}
        />
        <LedgerSums totals={totals} currency={place.currency} />
        <WhenRead isRead={totals.isFetched} waiting={<CardsSkeleton />}>
          {used.view === 'entries' ? (
            <Entries {...place} query={query} state={entries} />
          ) : (
            <Balances {...place} query={query} state={balances} />
          )}
        </WhenRead>
      </Box>
    </Page>
  );
}

interface ListProps extends Place {
  readonly query: Query;
  readonly state: ReturnType<typeof useListState>;
}

const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }) => `${firstName} ${lastName}`;

/** Leads to the appointment of a row. */
function PatientLink({ row }: { row: Pick<LedgerEntry, 'appointmentId' | 'patientId' | 'patient'> }) {
  const { patientId: patient, appointmentId: id } = row;
  return (
    <Link component={RouterLink} to={to.appointmentEdit({ patient, id })} aria-label={texts.edit(nameOf(row.patient))}>
      {nameOf(row.patient)}
    </Link>
  );
}

function Entries({ zone, currency, query, state }: ListProps) {
  const list = useList(listLedger, state, query);
  const columns: Column<LedgerEntry>[] = [
    { header: texts.columns.at, sort: 'at', cell: ({ at }) => <When>{formatDateTime(at, zone, ownZone())}</When> },
    { header: texts.columns.patient, cell: (row) => <PatientLink row={row} /> },
    { header: texts.columns.doctor, cell: ({ doctor }) => nameOf(doctor) },
    { header: texts.columns.kind, cell: kindOf },
    { header: texts.columns.by, cell: ({ user }) => (user ? nameOf(user) : ''), wideOnly: true },
    {
      header: texts.columns.amount,
      sort: 'amount',
      align: 'right',
      cell: ({ amount }) => formatMoney(amount, currency),
    },
  ];
  return (
    <ListTable
      label={texts.entries}
      list={list}
      columns={columns}
      rowKey={({ ledgerId }) => ledgerId}
      empty={{ text: texts.empty, hint: texts.emptyHint, icon: <PaymentsOutlinedIcon /> }}
    />
  );
}

function Balances({ zone, currency, query, state }: ListProps) {
  const list = useList(listOpenBalances, state, query);
  const money = (amount: string) => formatMoney(amount, currency);
  const columns: Column<OpenBalance>[] = [
    {
      header: texts.columns.start,
      sort: 'startDate',
      cell: ({ startDate }) => <When>{formatDateTime(startDate, zone, ownZone())}</When>,
    },
    { header: texts.columns.patient, cell: (row) => <PatientLink row={row} /> },
    { header: texts.columns.doctor, cell: ({ doctor }) => nameOf(doctor) },
    { header: texts.columns.fee, align: 'right', cell: ({ fee }) => money(fee) },
    { header: texts.columns.collected, align: 'right', cell: ({ collected }) => money(collected) },
    { header: texts.columns.balance, sort: 'balance', align: 'right', cell: ({ balance }) => money(balance) },
  ];
  return (
    <ListTable
      label={texts.balances}
      list={list}
      columns={columns}
      rowKey={({ appointmentId }) => appointmentId}
      empty={{ text: texts.noBalances, hint: texts.noBalancesHint, icon: <PaymentsOutlinedIcon /> }}
    />
  );
}

/** 'Card: Visa 4242'. */
function kindOf({ kind, amount, cardBrand, cardLast4, disputed }: LedgerEntry): string {
  const brand = cardBrand.charAt(0).toUpperCase() + cardBrand.slice(1);
  const name = kind === 'refund' && cardLast4 !== '' && toCents(amount) > 0 ? texts.failedRefund : texts.kinds[kind];
  const words = cardLast4 ? `${name}: ${brand} ${cardLast4}` : name;
  return disputed ? texts.disputed(words) : words;
}
