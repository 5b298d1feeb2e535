import { newUid } from '../../platform/access-code.ts';
import type { Context } from '../../platform/context.ts';

type Parts = Pick<Context, 'db' | 'blobs'>;

export interface ExportId {
  readonly companyId: number;
  readonly exportId: number;
}

/** An export that a worker has claimed. */
export interface Claimed extends ExportId {
  /** A uuid. Without it, nothing of the export is written any more: it was cancelled, or another worker has it. */
  readonly claim: string;
}

export interface ArchivePart {
  readonly blob_uid: string;
  /** Bytes. */
  readonly size: number;
}

/** The worker does not have the export any more. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/**
 * Stores an archive in sealed blobs of `partBytes` each, the last one shorter. Returns its size, bytes.
 *
 * @throws ClaimLost
 */
export async function writeParts(
  context: Parts,
  claimed: Claimed,
  bytes: AsyncIterable<Buffer>,
  partBytes: number,
): Promise<number> {
  const chunks = bytes[Symbol.asyncIterator]();
  let rest = await nextChunk(chunks);
  let total = 0;
  const part = async function* () {
    for (let left = partBytes; rest && left > 0; ) {
      const piece = rest.subarray(0, left);
      yield piece;
      left -= piece.length;
      rest = piece.length < rest.length ? rest.subarray(piece.length) : await nextChunk(chunks);
    }
  };
  for (let partNo = 0; rest; partNo += 1) total += await writePart(context, claimed, partNo, part(), partBytes);
  return total;
}

async function nextChunk(chunks: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  for (;;) {
    const next = await chunks.next();
    if (next.done) return undefined;
    if (next.value.length > 0) return next.value;
  }
}

/** The row is there before the blob, so that the end of the export finds both. */
async function writePart(
  { db, blobs }: Parts,
  { companyId, exportId, claim }: Claimed,
  partNo: number,
  content: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<number> {
  const name = { companyId, uid: newUid() };
  await db.open({ kind: 'job', companyId }, async (tx) => {
    const owned = tx.selectFrom('data_exports').select('export_id').where('export_id', '=', exportId);
    if (!(await owned.where('claim', '=', claim).forShare().executeTakeFirst())) throw new ClaimLost();
    const row = { company_id: companyId, export_id: exportId, part_no: partNo, blob_uid: name.uid };
    await tx.insertInto('data_export_parts').values(row).execute();
  });
  const { size } = await blobs.put(name, content, { maxBytes });
  const { numUpdatedRows } = await db.open({ kind: 'job', companyId }, (tx) =>
    tx.updateTable('data_export_parts').set({ size }).where('blob_uid', '=', name.uid).executeTakeFirst(),
  );
  if (Number(numUpdatedRows) === 1) return size;
  // The export was ended meanwhile.
  await blobs.delete(name);
  throw new ClaimLost();
}

/** Yields the bytes of an archive from `start` to `end`, inclusive. @throws Error when a part is gone */
export async function* readParts(
  { blobs }: Pick<Context, 'blobs'>,
  companyId: number,
  parts: readonly ArchivePart[],
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Buffer> {
  let at = 0;
  for (const { blob_uid: uid, size } of parts) {
    const [from, to] = [Math.max(start - at, 0), Math.min(end - at, size - 1)];
    if (from < size && to >= from) {
      const content = await blobs.read({ companyId, uid }, { start: from, end: to });
      if (!content) throw new Error('A part of an archive is gone.');
      yield* content as AsyncIterable<Buffer>;
    }
    at += size;
  }
}

/** Deletes what is stored of an archive. With a claim only while it stands: later parts are those of another worker. */
export async function deleteParts(
  { db, blobs }: Parts,
  { companyId, exportId, claim }: ExportId & Partial<Claimed>,
): Promise<void> {
  const rows = await db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .deleteFrom('data_export_parts')
      .where('export_id', '=', exportId)
      .$if(claim !== undefined, (query) =>
        query.where(({ exists, selectFrom }) =>
          exists(
            selectFrom('data_exports as e')
              .select('e.export_id')
              .where('e.export_id', '=', exportId)
              .where('e.claim', '=', claim as string),
          ),
        ),
      )
      .returning('blob_uid')
      .execute(),
  );
  for (const { blob_uid: uid } of rows) await blobs.delete({ companyId, uid });
}
