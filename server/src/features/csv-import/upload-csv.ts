import { uploadCsv as call, maxCsvBytes } from '@roomside/contract/csv-import/calls.ts';
import { problemText } from '@roomside/contract/csv-import/problems.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { newUid } from '../../platform/access-code.ts';
import { BlobDiffers, BlobTooLarge } from '../../platform/blobs.ts';
import type { Context } from '../../platform/context.ts';
import type { CsvRecord } from '../../platform/csv-reader.ts';
import { deleteBlobs } from '../../platform/delete-blobs.ts';
import { fileOf } from '../../platform/http/form.ts';
import { forStaffUpload } from '../../platform/http/handler.ts';
import { withRow } from '../../platform/http/store-upload.ts';
import { Refusal } from '../../platform/refusal.ts';
import { sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import { reserveIds } from '../patients/patient-rows.ts';
import { describeColumns } from './columns.ts';
import { firstRecords, guessSeparator, readHead, UploadWatch } from './csv-file.ts';
import { discardDrafts } from './discard-drafts.ts';

/** CALL-30, VALID-29. The earlier file of the caller that was not imported is deleted. */
export const uploadCsv = forStaffUpload(call, async ({ context, query, upload, now, look, commit, touched }) => {
  const companyId = await look(async (_tx, signedIn) => signedIn.companyId);
  const form = await fileOf(upload);
  const { type = 'Patient' } = query;
  const fileName = (query.name ?? form.fileName ?? '').trim().slice(-200);
  if (!/\.csv$/i.test(fileName)) throw new Refusal('not-csv');
  const name = { companyId, uid: newUid() };
  const watch = new UploadWatch();
  const { size } = await store(context, name, watch, form.upload);
  const work = async () => {
    const head = await readHead(context.blobs, name);
    const isWhole = head.length === size;
    const { encoding } = watch;
    const separator = await guessSeparator(head, encoding, isWhole);
    refuseFirst(await firstRecords(head, { encoding, separator }, isWhole));
    return await commit(async (tx, signedIn, afterCommit) => {
      const [fileId = 0] = await reserveIds(tx, 1);
      touched('fileId', fileId);
      const { timeZone } = signedIn;
      const { day: today } = instantToWall(now, timeZone);
      const of = { fileId, head, isWhole, today, timeZone, type };
      const columns = await describeColumns(of, { encoding, separator });
      const replaced = await discardDrafts(tx, { companyId, byUserId: signedIn.userId });
      await tx
        .insertInto('imports')
        .values({
          import_id: fileId,
          company_id: companyId,
          type,
          by_user_id: signedIn.userId,
          uploaded_at: now,
          file_uid: name.uid,
          file_name: await sealText(
            tx,
            context.keys,
            { companyId, now },
            fileName,
            sealedPlaces.importFileName(name.uid),
          ),
          file_size: size,
          has_end: watch.hasEnd,
          definition: JSON.stringify(columns.definition),
        })
        .execute();
      afterCommit(() => deleteBlobs(context, 'file', companyId, replaced));
      return columns;
    });
  };
  return withRow(context.blobs, name, work, () => name.uid);
});

/** Without its first row, a file has no columns. @throws Refusal `first-row` with the line */
function refuseFirst([first]: readonly CsvRecord[]): void {
  if (!first?.fault) return;
  const problem = problemText({ code: first.fault, detail: 0 });
  throw new Refusal('first-row', {
    text: `Line ${first.line} of this file can’t be read. ${problem} Please correct it and upload the file again.`,
  });
}

/** @throws Refusal `not-csv`, `too-large`, `cut-off` or `too-slow` */
async function store(
  { blobs }: Context,
  name: { companyId: number; uid: string },
  watch: UploadWatch,
  upload: {
    readonly content: AsyncIterable<Buffer>;
    readonly size: number | undefined;
    readonly sha256: string | undefined;
  },
) {
  const { size, sha256 } = upload;
  const announced = { maxBytes: maxCsvBytes, ...(size !== undefined && { size }), ...(sha256 && { sha256 }) };
  return blobs.put(name, watch.watch(upload.content), announced).catch((error: unknown) => {
    if (error instanceof BlobTooLarge) throw new Refusal('too-large');
    throw error instanceof BlobDiffers ? new Refusal('cut-off') : error;
  });
}
