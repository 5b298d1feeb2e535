import {
  Box,
  Skeleton,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TablePagination,
  TableRow,
  TableSortLabel,
  useMediaQuery,
} from '@mui/material';
import type { Theme } from '@mui/material/styles';
import { pageSizes } from '@roomside/contract/limits.ts';
import type { ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { LoadError } from '../ui/LoadError.tsx';
import { useReached } from '../ui/use-reached.ts';
import type { Column } from './column.ts';
import { ListCards } from './ListCards.tsx';
import { texts } from './texts.ts';
import type { List } from './use-list.ts';

interface Props<Row> {
  /** Accessible name, e.g. 'Patients'. */
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
  /** Icon buttons at the end of a row. */
  actions?: (row: Row) => ReactNode;
  empty: { text: string; hint?: string; action?: ReactNode; icon?: ReactNode };
}

/** A server-paged list: a table, or cards on a phone, with loading, empty and error states and paging. */
export function ListTable<Row>(props: Props<Row>) {
  const { list, empty } = props;
  const phone = useMediaQuery('(max-width: 599px)', { noSsr: true });
  const { state, rows, error } = list;
  // The first rows would move the pager. Later it stays, with the focus.
  const hasPager = useReached(rows !== undefined);

  if (error && !rows) return <LoadError error={error} onRetry={list.retry} />;
  if (rows?.length === 0) {
    if (!state.filter) return <EmptyState {...empty} />;
    const clear = (
      <Button
        look="quiet"
        onClick={() => {
          // The button goes with the empty list.
          document.querySelector<HTMLElement>('input[type="search"]')?.focus();
          state.setText('');
        }}
      >
        {texts.clearSearch}
      </Button>
    );
    return (
      <EmptyState
        {...empty}
        hint={texts.noMatch(state.filter)}
        action={
          <>
            {clear} {empty.action}
          </>
        }
      />
    );
  }
  return (
    <Box
      aria-busy={rows === undefined || list.isStale}
      sx={{ opacity: list.isStale ? 0.6 : 1, transition: 'opacity 120ms' }}
    >
      {error && <LoadError error={error} onRetry={list.retry} />}
      {phone ? <ListCards {...props} /> : <WideTable {...props} />}
      {hasPager && (
        <TablePagination
          component="div"
          count={list.total ?? -1}
          page={
            list.total === null
              ? state.pageIndex
              : Math.min(state.pageIndex, Math.max(0, Math.ceil(list.total / state.pageSize) - 1))
          }
          rowsPerPage={state.pageSize}
          rowsPerPageOptions={pageSizes}
          labelRowsPerPage={phone ? '' : texts.rowsPerPage}
          labelDisplayedRows={({ from, to, count }) =>
            // No range while rows are loading.
            count === -1 && (rows === undefined || list.isStale) ? '' : texts.range(from, to, count)
          }
          onPageChange={(_, page) => state.setPage(page)}
          onRowsPerPageChange={(event) => state.setPageSize(Number(event.target.value))}
          showFirstButton={!phone}
          showLastButton={!phone && list.total !== null}
          slotProps={{ select: { inputProps: { 'aria-label': texts.rowsPerPage } } }}
          sx={{ fontVariantNumeric: 'tabular-nums', '& .MuiTablePagination-toolbar': { px: 0 } }}
        />
      )}
    </Box>
  );
}

function WideTable<Row>({ label, list, columns, rowKey, actions }: Props<Row>) {
  return (
    <TableContainer
      sx={{
        border: '1px solid var(--rs-line)',
        borderRadius: 1,
        bgcolor: 'background.paper',
        containerType: 'inline-size',
      }}
    >
      <Table
        aria-label={label}
        sx={{
          '& td, & th': { height: 44, py: 0.25, px: 1.25, fontVariantNumeric: 'tabular-nums' },
          // Within a form the table has half a page, even on a wide screen.
          '@container (min-width: 840px)': { '& td, & th': { px: 2 } },
          // All columns stay: beside the menu of a tablet they scroll together.
          '@container (max-width: 839px)': {
            '& td, & th': { px: 0.5, fontSize: 'var(--rs-size-xs)', lineHeight: 1.35 },
            '& td:first-of-type, & th:first-of-type': { pl: 1 },
            '& td .MuiIconButton-root': { p: 0.75 },
            '& .MuiTableSortLabel-root:not(.Mui-active) .MuiTableSortLabel-icon': { display: 'none' },
          },
          '& tbody tr:last-of-type td': { border: 0 },
        }}
      >
        <TableHead>
          <TableRow>
            {columns.map((column) => (
              <HeadCell key={column.header} column={column} list={list} />
            ))}
            {actions && (
              <TableCell align="right" sx={lastColumn}>
                {texts.actions}
              </TableCell>
            )}
          </TableRow>
        </TableHead>
        <TableBody>
          {list.rows
            ? list.rows.map((row) => (
                <TableRow key={rowKey(row)} hover>
                  {columns.map((column) => (
                    <TableCell key={column.header} align={column.align ?? 'left'}>
                      {column.cell(row)}
                    </TableCell>
                  ))}
                  {actions && (
                    <TableCell align="right" sx={{ ...lastColumn, whiteSpace: 'nowrap', width: 0 }}>
                      {actions(row)}
                    </TableCell>
                  )}
                </TableRow>
              ))
            : skeletonRows.map((row) => (
                <TableRow key={row}>
                  {columns.map((column) => (
                    <TableCell key={column.header}>
                      <Skeleton width={`${45 + ((row * 17) % 40)}%`} />
                    </TableCell>
                  ))}
                  {actions && <TableCell />}
                </TableRow>
              ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

/** In a table that is wider than its place, the actions stay visible above the rest, also in a hovered row. */
const lastColumn = {
  position: 'sticky',
  right: 0,
  bgcolor: 'background.paper',
  'tbody tr:hover > &': (theme: Theme) => {
    const { hover } = (theme.vars ?? theme).palette.action;
    return { backgroundImage: `linear-gradient(${hover}, ${hover})` };
  },
} as const;

const skeletonRows = [0, 1, 2, 3, 4];

function HeadCell<Row>({ column, list }: { column: Column<Row>; list: List<Row> }) {
  const { header, sort, align = 'left' } = column;
  if (!sort) return <TableCell align={align}>{header}</TableCell>;
  const [sorted, direction = 'asc'] = list.state.sort.split(' ') as [string, ('asc' | 'desc')?];
  const active = sorted === sort;
  return (
    <TableCell align={align} {...(active ? { sortDirection: direction } : {})}>
      <TableSortLabel
        active={active}
        direction={active ? direction : 'asc'}
        onClick={() => list.state.setSort(nextSort(list.state.sort, sort))}
      >
        {header}
      </TableSortLabel>
    </TableCell>
  );
}

/** Ascending, descending, none: a third click clears the sort (ABOUT-8). */
export function nextSort(current: string, column: string): string {
  if (current === `${column} asc`) return `${column} desc`;
  return current === `${column} desc` ? '' : `${column} asc`;
}
