import { providers } from '@roomside/contract/permissions.ts';
import { listDoctors as call } from '@roomside/contract/users/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { byName } from '../../platform/lists.ts';

/** CALL-18, LIST-4: the enabled administrators and providers of the company, by name. */
export const listDoctors = forStaff(call, async ({ caller, tx }) => {
  const rows = await tx
    .selectFrom('users')
    .select(['user_id', 'first_name', 'last_name'])
    .where('company_id', '=', caller.companyId)
    .where('role_id', 'in', providers)
    .where('disabled', '=', false)
    .orderBy(byName('last_name'))
    .orderBy(byName('first_name'))
    .orderBy('user_id')
    .execute();
  return { data: rows.map((row) => ({ userId: row.user_id, firstName: row.first_name, lastName: row.last_name })) };
});
