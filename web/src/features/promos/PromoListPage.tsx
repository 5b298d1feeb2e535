import DeleteOutlineIcon from '@mui/icons-material/DeleteOutlined';
import LocalOfferOutlinedIcon from '@mui/icons-material/LocalOfferOutlined';
import { IconButton, Link, Tooltip } from '@mui/material';
import { deletePromo, listPromos, type PromoRow } from '@roomside/contract/promos/calls.ts';
import { Link as RouterLink } from 'react-router';
import { useSignIn } from '../../api/sign-in.ts';
import type { Column } from '../../list/column.ts';
import { ListTable } from '../../list/ListTable.tsx';
import { useListState } from '../../list/list-state.ts';
import { RefreshButton } from '../../list/RefreshButton.tsx';
import { useDelete } from '../../list/use-delete.ts';
import { useList } from '../../list/use-list.ts';
import { to } from '../../paths.ts';
import { formatDate } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { texts } from './texts.ts';

/** PROMO-1: of the company, or for a Super of the installation. */
export function PromoListPage() {
  const session = useSignIn();
  const isSuper = session.status === 'in' && session.caller === 'Super';
  const state = useListState('promos');
  const list = useList(listPromos, state);
  const add = { label: texts.add, to: to.adminPromoEdit({ id: 0 }) };
  const remove = useDelete(deletePromo, list, {
    input: ({ patientPromoId }) => ({ params: { patientPromoId } }),
    isSame: (a, b) => a.patientPromoId === b.patientPromoId,
    details: ({ code }) => [code],
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
        rowKey={({ patientPromoId }) => patientPromoId}
        actions={(row) => (
          <Tooltip title={texts.remove(row.code)}>
            <IconButton aria-label={texts.remove(row.code)} onClick={() => void remove(row)}>
              <DeleteOutlineIcon fontSize="small" />
            </IconButton>
          </Tooltip>
        )}
        empty={{
          text: texts.empty,
          hint: isSuper ? texts.emptyHintSuper : texts.emptyHint,
          icon: <LocalOfferOutlinedIcon />,
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

const columns: Column<PromoRow>[] = [
  {
    header: texts.columns.code,
    sort: 'code',
    cell: ({ patientPromoId, code }) => (
      <Link component={RouterLink} to={to.adminPromoEdit({ id: patientPromoId })}>
        {code}
      </Link>
    ),
  },
  { header: texts.columns.discountRate, sort: 'discountRate', cell: ({ discountRate }) => `${discountRate}%` },
  {
    header: texts.columns.expirationDate,
    sort: 'expirationDate',
    cell: ({ expirationDate }) => (expirationDate ? formatDate(expirationDate) : texts.noEnd),
  },
  { header: texts.columns.disabled, sort: 'disabled', cell: ({ disabled }) => (disabled ? texts.yes : texts.no) },
];
