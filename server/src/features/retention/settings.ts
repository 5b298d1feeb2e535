import {
  countOverdue as countCall,
  getRetention as getCall,
  saveRetention as saveCall,
} from '@roomside/contract/retention/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { checkVersion } from '../../platform/refusal.ts';
import { readOverdue, readRetention } from './overdue.ts';

export const getRetention = forStaff(getCall, ({ caller, tx }) => readRetention(tx, caller.companyId));

export const countOverdue = forStaff(countCall, ({ caller, query, tx, now }) => {
  const { chats = null, files = null, recordings = null } = query;
  return readOverdue(tx, caller.companyId, { chats, files, recordings }, now);
});

/** Needs the password again: the next run deletes for good. */
export const saveRetention = forStaff(saveCall, async ({ caller, body, tx, now, touched }) => {
  await requireConfirmed(tx, caller, now);
  const { companyId } = caller;
  const stored = await tx
    .selectFrom('companies')
    .select('version')
    .where('company_id', '=', companyId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  checkVersion(stored, body.version);
  const version = stored.version + 1;
  await tx
    .updateTable('companies')
    .set({
      keep_chats_months: body.chats,
      keep_files_months: body.files,
      keep_recordings_months: body.recordings,
      version,
    })
    .where('company_id', '=', companyId)
    .execute();
  touched('companyId', companyId);
  const months = (term: number | null) => (term === null ? 'for ever' : `${term} months`);
  touched('keep', [
    `chats ${months(body.chats)}`,
    `files ${months(body.files)}`,
    `recordings ${months(body.recordings)}`,
  ]);
  return { version };
});
