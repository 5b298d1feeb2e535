import EventBusyOutlinedIcon from '@mui/icons-material/EventBusyOutlined';
import PeopleAltOutlinedIcon from '@mui/icons-material/PeopleAltOutlined';
import { Badge, Box, Divider, Link, MenuItem, Tab, Tabs } from '@mui/material';
import { statuses } from '@roomside/contract/appointments/status.ts';
import { useState } from 'react';
import type { Column } from '../../list/column.ts';
import { DeleteAction } from '../../list/DeleteAction.tsx';
import { DownloadButton } from '../../list/DownloadButton.tsx';
import { ListCards } from '../../list/ListCards.tsx';
import { ListTable } from '../../list/ListTable.tsx';
import { RefreshButton } from '../../list/RefreshButton.tsx';
import type { List } from '../../list/use-list.ts';
import { When } from '../../list/When.tsx';
import { formatDate, formatDateTime } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyField } from '../../ui/CopyField.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { SearchBox } from '../../ui/SearchBox.tsx';
import { Section } from '../../ui/Section.tsx';
import { ToolSelect } from '../../ui/ToolSelect.tsx';
import { WaitingRoomButton } from '../../ui/WaitingRoomLink.tsx';
import { StatusBadge } from '../appointments/StatusBadge.tsx';
import { row, Shape, Still } from './parts.tsx';
import { texts } from './texts.ts';

export function Lists() {
  const [provider, setProvider] = useState('0');
  const [tab, setTab] = useState(0);
  return (
    <Section title="Lists">
      <Box sx={row}>
        <ToolSelect label={texts.provider} value={provider} onChange={setProvider}>
          <MenuItem value="0">{texts.allProviders}</MenuItem>
          <MenuItem value="1">Maya Reyes</MenuItem>
        </ToolSelect>
        <Badge badgeContent={3} color="error">
          <Link href="#/dev/design">{texts.link}</Link>
        </Badge>
      </Box>
      <Tabs value={tab} onChange={(_event, next: number) => setTab(next)}>
        {texts.tabs.map((label) => (
          <Tab key={label} label={label} />
        ))}
      </Tabs>
      <Box sx={{ display: 'grid', gap: 1, justifyItems: 'start' }}>
        {statuses.map((status) => (
          <StatusBadge key={status} status={status} statusTooltip="" />
        ))}
      </Box>
      <Divider />
      <EmptyState
        icon={<EventBusyOutlinedIcon />}
        text={texts.empty}
        hint={texts.emptyHint}
        action={<Button look="primary">{texts.add}</Button>}
      />
    </Section>
  );
}

/** What stands in the title bars and beside lists. */
export function Tools() {
  const nothing = () => undefined;
  return (
    <Section title="Tools">
      {/* A search takes the focus when it appears. */}
      <Still>
        <Box sx={row}>
          <SearchBox value="" onChange={nothing} />
          <SearchBox value="Zoe" onChange={nothing} />
        </Box>
      </Still>
      <Box sx={row}>
        <WaitingRoomButton count={0} isHere={false} />
        <WaitingRoomButton count={3} isHere={false} />
        <WaitingRoomButton count={0} isHere />
      </Box>
      <Box sx={row}>
        <RefreshButton onRefresh={nothing} />
        <DownloadButton label={texts.download} open={() => Promise.reject(new Error('made up'))} />
        <DeleteAction label={texts.remove} onDelete={nothing} />
      </Box>
      <CopyField
        label={texts.copy.label}
        value="https://clinic.test/link/Wq7Rk2"
        hint={texts.copy.hint}
        copy={texts.copy.copy}
        copied={texts.copy.copied}
      />
    </Section>
  );
}

interface Patient {
  id: number;
  name: string;
  doB: string;
  /** Null = none. */
  next: string | null;
}

const patients: readonly Patient[] = [
  { id: 1, name: 'García, Noah', doB: '1984-03-09', next: '2026-11-24T14:30:00Z' },
  { id: 2, name: 'O’Brien, Zoe', doB: '1991-12-30', next: null },
  { id: 3, name: 'Wójcik, Alexandra', doB: '2001-07-04', next: '2026-12-01T21:00:00Z' },
];

const columns: readonly Column<Patient>[] = [
  { header: texts.columns.name, sort: 'name', cell: ({ name }) => <Link href="#/dev/design">{name}</Link> },
  { header: texts.columns.doB, sort: 'doB', cell: ({ doB }) => formatDate(doB) },
  {
    header: texts.columns.next,
    cell: ({ next }) => next && <When>{formatDateTime(next, 'America/New_York')}</When>,
  },
];

/** A list as one of the server, in the middle of several pages. */
export function useMadeUpList(
  part: Partial<List<Patient>> = { rows: patients },
  filter: string = '',
): Parameters<typeof ListTable<Patient>>[0] {
  const [sort, setSort] = useState('name asc');
  const [pageIndex, setPage] = useState(1);
  const [pageSize, setPageSize] = useState(5);
  const nothing = () => undefined;
  const total = 23;
  return {
    label: texts.patients,
    list: {
      state: {
        filter,
        sort,
        total,
        pageIndex,
        pageSize,
        scope: '',
        text: filter,
        asked: 0,
        setText: nothing,
        setSort,
        setPage,
        setPageSize,
        setTotal: nothing,
        refresh: nothing,
      },
      rows: undefined,
      total,
      error: null,
      isStale: false,
      retry: nothing,
      remove: nothing,
      ...part,
    },
    columns,
    rowKey: ({ id }) => id,
    actions: ({ name }) => <DeleteAction label={texts.removeOne(name)} onDelete={nothing} />,
    empty: { icon: <PeopleAltOutlinedIcon />, text: texts.noPatients },
  };
}

/** Lists of records; on a phone they are cards. */
export function Tables() {
  const whole = useMadeUpList();
  const stale = useMadeUpList({ rows: patients.slice(0, 1), isStale: true });
  const failed = useMadeUpList({ error: new Error('unreachable') });
  const unmatched = useMadeUpList({ rows: [] }, 'Zoltan');
  return (
    <Section title="Tables and cards">
      <ListTable {...whole} />
      <Shape name={texts.cards}>
        <ListCards {...whole} />
      </Shape>
      <Shape name={texts.stale}>
        {/* It is grayed, and can't be read well, for as long as the page loads. */}
        <Still>
          <ListTable {...stale} />
        </Still>
      </Shape>
      <Shape name={texts.failed}>
        <ListTable {...failed} />
      </Shape>
      <Shape name={texts.unmatched}>
        <ListTable {...unmatched} />
      </Shape>
    </Section>
  );
}
