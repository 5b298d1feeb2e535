import { getLicense as getCall, saveRenewal as saveCall } from '@roomside/contract/licenses/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { resolveCompanyId } from '../companies/get-company.ts';
import { readLicense } from './license-rows.ts';

export const getLicense = forUsers(getCall, async ({ context, caller, params, tx, now }) => {
  const companyId = resolveCompanyId(caller, params.companyId);
  return (await readLicense(tx, context, { companyId, now })).license;
});

export const saveRenewal = forUsers(saveCall, async ({ context, caller, params, body, tx, now, touched }) => {
  const companyId = resolveCompanyId(caller, params.companyId);
  await readLicense(tx, context, { companyId, now, lock: true });
  touched('companyId', companyId);
  await tx.updateTable('companies').set({ auto_renew: body.autoRenew }).where('company_id', '=', companyId).execute();
  return undefined;
});
