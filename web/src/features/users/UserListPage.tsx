import ManageAccountsOutlinedIcon from '@mui/icons-material/ManageAccountsOutlined';
import { Box, Chip, Link, MenuItem } from '@mui/material';
import { deleteUser, getUser, listUsers, saveUser, type UserRow } from '@roomside/contract/users/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Link as RouterLink, useLocation, useNavigate, useParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { invalidate } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import type { Column } from '../../list/column.ts';
import { DeleteAction } from '../../list/DeleteAction.tsx';
import { focusedRow, leaveRow } from '../../list/leave-row.ts';
import { useListState } from '../../list/list-state.ts';
import { RecordListPage } from '../../list/RecordListPage.tsx';
import { texts as listTexts } from '../../list/texts.ts';
import { type List, useList } from '../../list/use-list.ts';
import { to } from '../../paths.ts';
import { dateOf, formatDate, ownZone } from '../../time/time.ts';
import { confirm } from '../../ui/confirm.ts';
import { ToolSelect } from '../../ui/ToolSelect.tsx';
import { toast } from '../../ui/toast.ts';
import { CompanyFilter } from './CompanyFilter.tsx';
import { userReads } from './user-reads.ts';
import { texts as all } from './user-texts.ts';
import { withoutFactor } from './without-factor.ts';

const texts = all.list;

/** USERS-1 to USERS-3: the users of the own company; for a Super of all, or of the company in the path. */
export function UserListPage() {
  const session = useSignIn();
  const isSuper = session.status === 'in' && session.caller === 'Super';
  const company = Number(useParams()['company'] ?? 0) || undefined;
  const { search } = useLocation();
  const isFiltered = search === `?${withoutFactor}`;
  const state = useListState('users', { scope: `${company ?? ''}${search}` });
  const list = useList(listUsers, state, {
    ...(company !== undefined && { companyId: company }),
    ...(isFiltered && { withoutFactor: true }),
  });
  const zone = useCompany()?.timeZone ?? ownZone();
  const remove = useRemove(list);
  const ownId = session.status === 'in' ? Number(session.claims.sub) : 0;
  return (
    <RecordListPage
      texts={isFiltered ? { ...texts, empty: texts.noneWithout, emptyHint: '' } : texts}
      list={list}
      columns={columnsFor(isSuper, zone)}
      rowKey={({ userId }) => userId}
      actions={(row) =>
        row.userId !== ownId && <DeleteAction label={texts.remove(nameOf(row))} onDelete={() => void remove(row)} />
      }
      addTo={company === undefined ? to.adminUserEdit({ id: 0 }) : to.adminUserEditIn({ id: 0, company })}
      icon={<ManageAccountsOutlinedIcon />}
    >
      {isSuper && <CompanyFilter companyId={company} />}
      <FactorFilter isFiltered={isFiltered} />
    </RecordListPage>
  );
}

/** All users, or those who sign in with a password alone. The choice is in the address. */
function FactorFilter({ isFiltered }: { isFiltered: boolean }) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return (
    <Box sx={{ display: 'flex', mb: 2 }}>
      <ToolSelect
        label={texts.show}
        value={isFiltered ? withoutFactor : ''}
        onChange={(value) => void navigate({ pathname, search: value })}
      >
        <MenuItem value="">{texts.all}</MenuItem>
        <MenuItem value={withoutFactor}>{texts.withoutFactor}</MenuItem>
      </ToolSelect>
    </Box>
  );
}

const nameOf = ({ firstName, lastName }: UserRow) => `${firstName} ${lastName}`;

function columnsFor(isSuper: boolean, zone: string): Column<UserRow>[] {
  const link = ({ userId }: UserRow, name: string) => (
    <Link component={RouterLink} to={to.adminUserEdit({ id: userId })}>
      {name}
    </Link>
  );
  return [
    {
      header: texts.columns.firstName,
      sort: 'firstName',
      cell: (row) => link(row, row.firstName),
      card: (row) => link(row, nameOf(row)),
    },
    { header: texts.columns.lastName, sort: 'lastName', cell: ({ lastName }) => lastName, wideOnly: true },
    ...(isSuper
      ? [
          {
            header: texts.columns.company,
            sort: 'company',
            cell: ({ company }: UserRow) => company?.companyName ?? texts.installation,
          },
        ]
      : []),
    { header: texts.columns.email, sort: 'email', cell: ({ email }) => email },
    {
      header: texts.columns.role,
      sort: 'role',
      cell: ({ role, disabled, invited, hasSecondFactor }) => (
        <>
          {role.roleName}
          {disabled && <Chip size="small" label={texts.disabled} sx={{ ml: 1 }} />}
          {hasSecondFactor && <Chip size="small" variant="outlined" label={texts.secondFactor} sx={{ ml: 1 }} />}
          {!disabled && invited && <Chip size="small" variant="outlined" label={texts.invited} sx={{ ml: 1 }} />}
        </>
      ),
    },
    {
      header: texts.columns.created,
      sort: 'created',
      cell: ({ created }) => formatDate(dateOf(created, zone)),
    },
  ];
}

/** Deletes after yes. A user with records can be disabled in the same step. */
function useRemove(list: List<UserRow>) {
  const client = useQueryClient();
  return async (row: UserRow) => {
    const { userId } = row;
    const place = focusedRow();
    const details = [nameOf(row), row.email];
    if (
      !(await confirm({ text: listTexts.deleteRecord, details, yes: listTexts.delete, no: texts.keep, danger: true }))
    )
      return;
    try {
      await send(deleteUser, { params: { userId } });
      leaveRow(place);
      list.remove((other) => other.userId === userId);
      await invalidate(client, userReads);
      toast.success(texts.deleted);
    } catch (error) {
      if (!isRefusal(error, 'user-has-records') || row.disabled) return void toast.error(wordsFor(error));
      const yes = await confirm({ text: wordsFor(error), details, yes: texts.disable, no: texts.keep, danger: true });
      if (yes) await disable(userId).catch((failed: unknown) => toast.error(wordsFor(failed)));
      await invalidate(client, userReads);
    }
  };
}

async function disable(userId: number): Promise<void> {
  const user = await send(getUser, { params: { userId } });
  const { company: _company, created: _created, isExternal: _ex, hasPassword: _has, invitedAt: _at, ...body } = user;
  await send(saveUser, { body: { ...body, disabled: true } });
  toast.success(texts.wasDisabled);
}
