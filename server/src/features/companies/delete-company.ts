import { deleteCompany as call } from '@roomside/contract/companies/calls.ts';
import { sql } from 'kysely';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { recheckSignIns } from '../../platform/end-sign-ins.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { resolveCompanyId } from './get-company.ts';

/** Deletes a company of which nothing but users is stored, e.g. one that was created by mistake. */
export const deleteCompany = forUsers(call, async ({ context, caller, params, tx, touched }) => {
  const companyId = resolveCompanyId(caller, params.companyId);
  touched('companyId', companyId);
  const { rows } = await sql<{ deleted: boolean }>`select delete_company(${companyId}) as deleted`
    .execute(tx)
    .catch((error: { code?: string }) => {
      throw error.code === sqlStates.foreignKeyViolation ? new Refusal('company-has-records') : error;
    });
  if (!rows[0]?.deleted) throw new Refusal('not-found');
  recheckSignIns({ tx, context }, { companyId });
  return undefined;
});
