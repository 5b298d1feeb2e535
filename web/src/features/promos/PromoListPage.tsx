import LocalOfferOutlinedIcon from '@mui/icons-material/LocalOfferOutlined';
import { Link } from '@mui/material';
import { deletePromo, listPromos, type PromoRow } from '@roomside/contract/promos/calls.ts';
import { Link as RouterLink } from 'react-router';
import { useSignIn } from '../../api/sign-in.ts';
import type { Column } from '../../list/column.ts';
import { DeleteAction } from '../../list/DeleteAction.tsx';
import { useListState } from '../../list/list-state.ts';
import { RecordListPage } from '../../list/RecordListPage.tsx';
import { useDelete } from '../../list/use-delete.ts';
import { useList } from '../../list/use-list.ts';
import { to } from '../../paths.ts';
import { formatDate } from '../../time/time.ts';
import { texts } from './texts.ts';

/** PROMO-1: of the company, or for a Super of the installation. */
export function PromoListPage() {
  const signIn = useSignIn();
  const isSuper = signIn.status === 'in' && signIn.caller === 'Super';
  const state = useListState('promos');
  const list = useList(listPromos, state);
  const remove = useDelete(deletePromo, list, {
    input: ({ patientPromoId }) => ({ params: { patientPromoId } }),
    isSame: (a, b) => a.patientPromoId === b.patientPromoId,
    details: ({ code }) => [code],
    success: texts.deleted,
  });
  return (
    <RecordListPage
      texts={isSuper ? { ...texts, emptyHint: texts.emptyHintSuper } : texts}
      list={list}
      columns={columns}
      rowKey={({ patientPromoId }) => patientPromoId}
      actions={(row) => <DeleteAction label={texts.remove(row.code)} onDelete={() => void remove(row)} />}
      addTo={to.adminPromoEdit({ id: 0 })}
      icon={<LocalOfferOutlinedIcon />}
    />
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
