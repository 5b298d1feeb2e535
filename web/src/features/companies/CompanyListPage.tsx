import DeleteOutlineIcon from '@mui/icons-material/DeleteOutlined';
import DomainOutlinedIcon from '@mui/icons-material/DomainOutlined';
import { Chip, IconButton, Link, Tooltip } from '@mui/material';
import { type CompanyRow, deleteCompany, listCompanies } from '@roomside/contract/companies/calls.ts';
import { Link as RouterLink } from 'react-router';
import type { Column } from '../../list/column.ts';
import { ListTable } from '../../list/ListTable.tsx';
import { useListState } from '../../list/list-state.ts';
import { RefreshButton } from '../../list/RefreshButton.tsx';
import { useDelete } from '../../list/use-delete.ts';
import { useList } from '../../list/use-list.ts';
import { to } from '../../paths.ts';
import { dateOf, formatDate, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { texts as all } from './texts.ts';

const texts = all.list;

/** COMPANY-1 to COMPANY-3, for a Super. */
export function CompanyListPage() {
  const state = useListState('companies');
  const list = useList(listCompanies, state);
  const add = { label: texts.add, to: to.adminCompanyEdit({ id: 0 }) };
  const remove = useDelete(deleteCompany, list, {
    input: ({ companyId }) => ({ params: { companyId } }),
    isSame: (a, b) => a.companyId === b.companyId,
    details: ({ companyName }) => [companyName],
    onDeleted: () => toast.success(texts.deleted),
  });
  return (
    <Page
      title={texts.title}
      add={add}
      actions={<RefreshButton onRefresh={state.refresh} />}
      search={{ value: state.text, onChange: state.setText, label: texts.search }}
    >
      <ListTable
        label={texts.title}
        list={list}
        columns={columns}
        rowKey={({ companyId }) => companyId}
        actions={(row) => (
          <Tooltip title={texts.remove(row.companyName)}>
            <IconButton aria-label={texts.remove(row.companyName)} onClick={() => void remove(row)}>
              <DeleteOutlineIcon fontSize="small" />
            </IconButton>
          </Tooltip>
        )}
        empty={{
          text: texts.empty,
          hint: texts.emptyHint,
          icon: <DomainOutlinedIcon />,
          action: (
            <Button look="primary" to={add.to}>
              {add.label}
            </Button>
          ),
        }}
      />
    </Page>
  );
}

const statusColors = { Healthy: 'success', Expired: 'warning', Disabled: 'default' } as const;

const columns: Column<CompanyRow>[] = [
  {
    header: texts.columns.companyName,
    sort: 'companyName',
    cell: ({ companyId, companyName }) => (
      <Link component={RouterLink} to={to.adminCompanyEdit({ id: companyId })}>
        {companyName}
      </Link>
    ),
  },
  {
    header: texts.columns.created,
    sort: 'created',
    cell: ({ created }) => formatDate(dateOf(created, ownZone())),
    wideOnly: true,
  },
  { header: texts.columns.providerCount, sort: 'providerCount', cell: ({ providerCount }) => providerCount },
  {
    header: texts.columns.expirationDate,
    sort: 'expirationDate',
    cell: ({ expirationDate }) => formatDate(expirationDate),
  },
  {
    header: texts.columns.status,
    cell: ({ status }) => <Chip size="small" variant="outlined" color={statusColors[status]} label={status} />,
  },
];
