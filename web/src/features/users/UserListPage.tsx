import ManageAccountsOutlinedIcon from '@mui/icons-material/ManageAccountsOutlined';
import { Box, Chip, Link, MenuItem } from '@mui/material';
import type { ResultOf } from '@roomside/contract/call.ts';
import { deleteUser, getUser, listUsers, saveUser, type UserRow } from '@roomside/contract/users/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Link as RouterLink, useLocation, useNavigate, useParams } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { invalidate } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import type { Column } from '../../list/column.ts';
import { DeleteAction } from '../../list/DeleteAction.tsx';
import { useListState } from '../../list/list-state.ts';
import { RecordListPage } from '../../list/RecordListPage.tsx';
import { useDelete } from '../../list/use-delete.ts';
import { type List, useList } from '../../list/use-list.ts';
import { to } from '../../paths.ts';
import { dateOf, formatDate, ownZone } from '../../time/time.ts';
import { ToolSelect } from '../../ui/ToolSelect.tsx';
import { toast } from '../../ui/toast.ts';
import { CompanyFilter } from './CompanyFilter.tsx';
import { userReads } from './user-reads.ts';
import { texts as all, upcomingDurationMs } from './user-texts.ts';
import { withoutFactor } from './without-factor.ts';

const texts = all.list;

/** USERS-1 to USERS-3: the users of the own company; for a Super of all, or of the company in the path, 0 = the installation. */
export function UserListPage() {
  const signIn = useSignIn();
  const isSuper = signIn.status === 'in' && signIn.caller === 'Super';
  const company = companyOf(useParams()['company']);
  const { search } = useLocation();
  const isFiltered = search === `?${withoutFactor}`;
  const state = useListState('users', { scope: `${company ?? ''}${search}` });
  const list = useList(listUsers, state, {
    ...(company !== undefined && { companyId: company }),
    ...(isFiltered && { withoutFactor: true }),
  });
  const zone = useCompany()?.timeZone ?? ownZone();
  const remove = useRemove(list);
  const ownId = signIn.status === 'in' ? Number(signIn.claims.sub) : 0;
  return (
    <RecordListPage
      texts={isFiltered ? { ...texts, empty: texts.noneWithout, emptyHint: '' } : texts}
      list={list}
      columns={columnsFor(isSuper, zone)}
      rowKey={({ userId }) => userId}
      actions={(row) =>
        row.userId !== ownId && <DeleteAction label={texts.remove(nameOf(row))} onDelete={() => void remove(row)} />
      }
      addTo={!company ? to.adminUserEdit({ id: 0 }) : to.adminUserEditIn({ id: 0, company })}
      icon={<ManageAccountsOutlinedIcon />}
    >
      {isSuper && <CompanyFilter companyId={company} />}
      <FactorFilter isFiltered={isFiltered} />
    </RecordListPage>
  );
}

/** 0 = the administrators of the installation; undefined = all users. */
function companyOf(param: string | undefined): number | undefined {
  const id = Number(param);
  return Number.isSafeInteger(id) && id >= 0 ? id : undefined;
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
  return useDelete(deleteUser, list, {
    input: ({ userId }) => ({ params: { userId } }),
    isSame: (a, b) => a.userId === b.userId,
    details: (row) => [nameOf(row), row.email],
    success: texts.deleted,
    instead: {
      refusal: 'user-has-records',
      isOffered: ({ disabled }) => !disabled,
      yes: texts.disable,
      run: ({ userId }) => disable(userId),
    },
    onDone: () => invalidate(client, userReads),
  });
}

async function disable(userId: number): Promise<void> {
  // Once more when the user was changed meanwhile, or when the response to this change was lost.
  const { upcoming } = await saveDisabled(userId).catch((error: unknown) => {
    if (!isRefusal(error, 'stale')) throw error;
    return saveDisabled(userId);
  });
  if (upcoming === 0) return void toast.success(texts.wasDisabled);
  toast.warning(`${texts.wasDisabled} ${all.upcoming(upcoming)}`, { duration: upcomingDurationMs });
}

async function saveDisabled(userId: number): Promise<ResultOf<typeof saveUser>> {
  const user = await send(getUser, { params: { userId } });
  const { company: _company, created: _created, isExternal: _ex, hasPassword: _has, invitedAt: _at, ...body } = user;
  return send(saveUser, { body: { ...body, disabled: true } });
}
