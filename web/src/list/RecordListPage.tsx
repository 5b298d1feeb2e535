import type { ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { Page } from '../ui/Page.tsx';
import type { Column } from './column.ts';
import { ListTable } from './ListTable.tsx';
import { RefreshButton } from './RefreshButton.tsx';
import type { List } from './use-list.ts';

interface Props<Row> {
  texts: { title: string; search: string; add: string; empty: string; emptyHint: string };
  list: List<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => number;
  /** Icon buttons at the end of a row. */
  actions: (row: Row) => ReactNode;
  /** Address of the editor of a new record; without it none can be added. */
  addTo?: string | undefined;
  /** Icon of the empty list. */
  icon: ReactNode;
  /** Above the list. */
  children?: ReactNode;
}

/** The page of a list of records: search, refresh, add, and the list. */
export function RecordListPage<Row>({ texts, list, addTo, icon, children, ...table }: Props<Row>) {
  const { state } = list;
  return (
    <Page
      title={texts.title}
      {...(addTo !== undefined && { add: { label: texts.add, to: addTo } })}
      actions={<RefreshButton onRefresh={state.refresh} />}
      search={{ value: state.text, onChange: state.setText, label: texts.search }}
    >
      {children}
      <ListTable
        {...table}
        label={texts.title}
        list={list}
        empty={{
          text: texts.empty,
          hint: texts.emptyHint,
          icon,
          action: addTo !== undefined && (
            <Button look="primary" to={addTo}>
              {texts.add}
            </Button>
          ),
        }}
      />
    </Page>
  );
}
