import DomainOutlinedIcon from '@mui/icons-material/DomainOutlined';
import { Chip, Link } from '@mui/material';
import {
  type CompanyRow,
  deleteCompany,
  getCompany,
  listCompanies,
  saveCompany,
} from '@roomside/contract/companies/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Link as RouterLink } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { invalidate } from '../../api/use-call.ts';
import type { Column } from '../../list/column.ts';
import { DeleteAction } from '../../list/DeleteAction.tsx';
import { useListState } from '../../list/list-state.ts';
import { RecordListPage } from '../../list/RecordListPage.tsx';
import { useDelete } from '../../list/use-delete.ts';
import { useList } from '../../list/use-list.ts';
import { to } from '../../paths.ts';
import { dateOf, formatDate, ownZone } from '../../time/time.ts';
import { toast } from '../../ui/toast.ts';
import { toBody, toForm } from './company-form.ts';
import { texts as all } from './texts.ts';

const texts = all.list;

/** COMPANY-1 to COMPANY-3, for a Super. */
export function CompanyListPage() {
  const state = useListState('companies');
  const list = useList(listCompanies, state);
  const client = useQueryClient();
  const remove = useDelete(deleteCompany, list, {
    input: ({ companyId }) => ({ params: { companyId } }),
    isSame: (a, b) => a.companyId === b.companyId,
    details: ({ companyName }) => [companyName],
    success: texts.deleted,
    instead: {
      refusal: 'company-has-records',
      isOffered: ({ status }) => status !== 'Disabled',
      yes: texts.disable,
      details: [all.disabledHint],
      run: ({ companyId }) => disable(companyId),
    },
    onDone: () => invalidate(client, [listCompanies, getCompany]),
  });
  return (
    <RecordListPage
      texts={texts}
      list={list}
      columns={columns}
      rowKey={({ companyId }) => companyId}
      actions={(row) => <DeleteAction label={texts.remove(row.companyName)} onDelete={() => void remove(row)} />}
      addTo={to.adminCompanyEdit({ id: 0 })}
      icon={<DomainOutlinedIcon />}
    />
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

/** Tries once more when the company was changed meanwhile, or when the response to this change was lost. */
async function disable(companyId: number): Promise<void> {
  await saveDisabled(companyId).catch((error: unknown) => {
    if (!isRefusal(error, 'stale')) throw error;
    return saveDisabled(companyId);
  });
  toast.success(texts.wasDisabled);
}

async function saveDisabled(companyId: number): Promise<void> {
  const company = await send(getCompany, { params: { companyId } });
  await send(saveCompany, { body: toBody({ ...toForm(company), disabled: true }, true) });
}
