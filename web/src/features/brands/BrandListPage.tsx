import PaletteOutlinedIcon from '@mui/icons-material/PaletteOutlined';
import { Link } from '@mui/material';
import { type BrandRow, deleteBrand, listBrands } from '@roomside/contract/brands/calls.ts';
import { Link as RouterLink } from 'react-router';
import type { Column } from '../../list/column.ts';
import { DeleteAction } from '../../list/DeleteAction.tsx';
import { useListState } from '../../list/list-state.ts';
import { RecordListPage } from '../../list/RecordListPage.tsx';
import { useDelete } from '../../list/use-delete.ts';
import { useList } from '../../list/use-list.ts';
import { to } from '../../paths.ts';
import { dateOf, formatDate, ownZone } from '../../time/time.ts';
import { texts as all } from './texts.ts';

const texts = all.list;

/** The brands of the installation, for a Super. */
export function BrandListPage() {
  const state = useListState('brands');
  const list = useList(listBrands, state);
  const remove = useDelete(deleteBrand, list, {
    input: ({ brandId }) => ({ params: { brandId } }),
    isSame: (a, b) => a.brandId === b.brandId,
    details: ({ brandName, hosts }) => [brandName, ...hosts],
    success: texts.deleted,
  });
  return (
    <RecordListPage
      texts={texts}
      list={list}
      columns={columns}
      rowKey={({ brandId }) => brandId}
      actions={(row) => <DeleteAction label={texts.remove(row.brandName)} onDelete={() => void remove(row)} />}
      addTo={to.adminBrandEdit({ id: 0 })}
      icon={<PaletteOutlinedIcon />}
    />
  );
}

const columns: Column<BrandRow>[] = [
  {
    header: texts.columns.brandName,
    sort: 'brandName',
    cell: ({ brandId, brandName }) => (
      <Link component={RouterLink} to={to.adminBrandEdit({ id: brandId })}>
        {brandName}
      </Link>
    ),
  },
  { header: texts.columns.hosts, cell: ({ hosts }) => hosts.join(', ') },
  { header: texts.columns.signUp, cell: ({ strictMode }) => (strictMode ? texts.closed : texts.open) },
  { header: texts.columns.providers, cell: ({ providerCount }) => providerCount },
  {
    header: texts.columns.created,
    sort: 'created',
    cell: ({ created }) => formatDate(dateOf(created, ownZone())),
  },
];
