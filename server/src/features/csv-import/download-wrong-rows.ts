import { downloadWrongRows as call } from '@roomside/contract/csv-import/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { openTextOrSay, sealedPlaces } from '../../platform/sealed-text.ts';

export const downloadWrongRows = forStaff(call, async ({ context, caller, params, tx }) => {
  const { companyId } = caller;
  const row = await tx
    .selectFrom('imports')
    .select(['file_name', 'file_uid', 'wrong_uid', 'wrong_size'])
    .where('import_id', '=', params.fileId)
    .where('state', '<>', 'discarded')
    .executeTakeFirst();
  const uid = row?.wrong_uid;
  if (!row || !uid || row.wrong_size === null) throw notFound();
  const place = sealedPlaces.importFileName(row.file_uid);
  const name = await openTextOrSay(tx, context, companyId, row.file_name, place);
  return {
    fileName: `${name.replace(/\.csv$/i, '')} wrong rows.csv`,
    mediaType: 'text/csv',
    size: row.wrong_size,
    etag: `wrong-${uid}`,
    open: (range) => context.blobs.read({ companyId, uid }, range),
  };
});
