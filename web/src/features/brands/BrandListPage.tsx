import DeleteOutlineIcon from '@mui/icons-material/DeleteOutlined';
import PaletteOutlinedIcon from '@mui/icons-material/PaletteOutlined';
import { IconButton, Link, Tooltip } from '@mui/material';
import { type BrandRow, deleteBrand, listBrands } from '@roomside/contract/brands/calls.ts';
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

/** The brands of the installation, for a Super. */
export function BrandListPage() {
  const state = useListState('brands');
  const list = useList(listBrands, state);
  const add = { label: texts.add, to: to.adminBrandEdit({ id: 0 }) };
  const remove = useDelete(deleteBrand, list, {
    input: ({ brandId }) => ({ params: { brandId } }),
    isSame: (a, b) => a.brandId === b.brandId,
    details: ({ brandName, hosts }) => [brandName, ...hosts],
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
        rowKey={({ brandId }) => brandId}
        actions={(row) => (
          <Tooltip title={texts.remove(row.brandName)}>
            <IconButton aria-label={texts.remove(row.brandName)} onClick={() => void remove(row)}>
              <DeleteOutlineIcon fontSize="small" />
            </IconButton>
          </Tooltip>
        )}
        empty={{
          text: texts.empty,
          hint: texts.emptyHint,
          icon: <PaletteOutlinedIcon />,
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
    wideOnly: true,
  },
];
