import { Box, Card, MenuItem, Skeleton } from '@mui/material';
import type { ReactNode } from 'react';
import { ToolSelect } from '../ui/ToolSelect.tsx';
import type { Column } from './column.ts';
import { texts } from './texts.ts';
import type { List } from './use-list.ts';

interface Props<Row> {
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
  actions?: (row: Row) => ReactNode;
}

/** A list on a phone: the first column that a card shows is its heading, the others are its lines. */
export function ListCards<Row>({ label, list, columns, rowKey, actions }: Props<Row>) {
  const [first, ...lines] = columns.filter(({ wideOnly }) => !wideOnly);
  return (
    <Box sx={{ display: 'grid', gap: 1.5 }}>
      <SortSelect list={list} columns={columns} />
      <Box component="ul" aria-label={label} sx={{ display: 'grid', gap: 1.5, m: 0, p: 0, listStyle: 'none' }}>
        {list.rows
          ? list.rows.map((row) => (
              <Card component="li" key={rowKey(row)} sx={{ position: 'relative', p: 2, pb: actions ? 0.5 : 2 }}>
                <Box sx={heading}>{first && (first.card ?? first.cell)(row)}</Box>
                <Box
                  component="dl"
                  sx={{
                    display: 'grid',
                    gridTemplateColumns: 'auto 1fr',
                    columnGap: 2,
                    rowGap: 1,
                    m: 0,
                    fontSize: 'var(--rs-size-md)',
                  }}
                >
                  {lines.map((column) => (
                    <Line key={column.header} header={column.header} value={(column.card ?? column.cell)(row)} />
                  ))}
                </Box>
                {actions && (
                  <Box sx={{ ...above, display: 'flex', justifyContent: 'flex-end', mt: 0.5, mr: -1 }}>
                    {actions(row)}
                  </Box>
                )}
              </Card>
            ))
          : [0, 1, 2].map((card) => (
              <Card component="li" key={card} sx={{ p: 2 }}>
                <Skeleton width="60%" />
                <Skeleton width="80%" />
              </Card>
            ))}
      </Box>
    </Box>
  );
}

/** The heading's link covers the whole card. */
const heading = {
  fontWeight: 600,
  mb: 1,
  '& a::after': { content: '""', position: 'absolute', inset: 0, borderRadius: 1 },
  '& a:focus-visible': { outline: 'none' },
  '& a:focus-visible::after': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: '-2px' },
} as const;
/** Above the heading's link. */
const above = { position: 'relative', zIndex: 1 } as const;
/** Links are 32 px high, without taking more room than their text. */
const line = {
  m: 0,
  overflowWrap: 'anywhere',
  '& a': { ...above, display: 'inline-block', py: 0.5, my: -0.5 },
} as const;

/** A line; none without a value. */
function Line({ header, value }: { header: string; value: ReactNode }) {
  if (value === null || value === undefined || value === '') return null;
  return (
    <Box sx={{ display: 'contents' }}>
      <Box component="dt" sx={{ color: 'text.secondary' }}>
        {header}
      </Box>
      <Box component="dd" sx={line}>
        {value}
      </Box>
    </Box>
  );
}

function SortSelect<Row>({ list, columns }: Pick<Props<Row>, 'list' | 'columns'>) {
  const sortable = columns.filter(({ sort }) => sort);
  if (sortable.length === 0) return null;
  return (
    <ToolSelect label={texts.sortBy} value={list.state.sort} onChange={list.state.setSort}>
      <MenuItem value="">{texts.unsorted}</MenuItem>
      {sortable.flatMap(({ header, sort }) => [
        <MenuItem key={`${sort} asc`} value={`${sort} asc`}>
          {texts.ascending(header)}
        </MenuItem>,
        <MenuItem key={`${sort} desc`} value={`${sort} desc`}>
          {texts.descending(header)}
        </MenuItem>,
      ])}
    </ToolSelect>
  );
}
