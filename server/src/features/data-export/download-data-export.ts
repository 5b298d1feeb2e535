import { Readable } from 'node:stream';
import { downloadDataExport as call } from '@roomside/contract/data-export/calls.ts';
import { audit } from '../../platform/audit.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { deleteParts, readParts } from './archive-parts.ts';

/**
 * Sends the archive. It can be had once: when its last byte was sent, and all before it in this or an earlier response, it is deleted. A
 * response that breaks off before leaves it where it is.
 */
export const downloadDataExport = forStaff(
  call,
  async ({ context, caller, params, tx, now, touched, reply, request, address }) => {
    const { exportId } = params;
    const row = await tx
      .selectFrom('data_exports')
      .select(['size', 'snapshot_at'])
      .where('export_id', '=', exportId)
      .where('state', '=', 'ready')
      .where('expires_at', '>', now)
      .where('download_sign_in', '=', caller.signInId)
      .where('download_until', '>', now)
      .executeTakeFirst();
    if (!row || row.size === null) throw notFound();
    touched('patients', 'all');
    const parts = await tx
      .selectFrom('data_export_parts')
      .select(['blob_uid', 'size'])
      .where('export_id', '=', exportId)
      .orderBy('part_no')
      .execute();
    const { size } = row;
    const stored = parts.map((part) => ({ blob_uid: part.blob_uid, size: part.size ?? 0 }));
    return {
      fileName: `clinic-data-${(row.snapshot_at ?? now).slice(0, 10)}.zip`,
      mediaType: 'application/zip',
      size,
      etag: `export-${exportId}`,
      everyRange: true as const,
      open: async (range = { start: 0, end: size - 1 }) => {
        let sent = range.start;
        const content = async function* () {
          for await (const chunk of readParts(context, caller.companyId, stored, range)) {
            sent += chunk.length;
            yield chunk;
          }
        };
        reply.raw.once('close', () => {
          const isLast = reply.raw.writableFinished && sent === size;
          const delivery = { exportId, from: range.start, to: sent, isLast, address, requestId: request.id };
          noteDelivery(context, caller, delivery).catch((error: Error) => {
            context.log.error({ error: error.message, exportId }, 'the download of an export could not be noted');
          });
        });
        return Readable.from(content(), { objectMode: false });
      },
    };
  },
);

interface Delivery {
  readonly exportId: number;
  /** The first byte that was sent, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The response was sent completely, up to the end of the archive. */
  readonly isLast: boolean;
  readonly address: string;
  readonly requestId: string;
}

/** Notes what was sent without a gap from the beginning. After the last byte the archive is deleted. */
async function noteDelivery(context: Context, caller: StaffCaller, delivery: Delivery): Promise<void> {
  const { companyId } = caller;
  const { exportId, from, to, isLast, address, requestId } = delivery;
  const now = isoNow(context.clock);
  const isComplete = await context.db.open({ kind: 'company', companyId }, async (tx) => {
    const noted = await tx
      .updateTable('data_exports')
      .set(({ fn, ref, val }) => ({
        delivered: fn<number>('greatest', [ref('delivered'), val(to)]),
        ...(isLast && { state: 'downloaded', downloaded_at: now }),
      }))
      .where('export_id', '=', exportId)
      .where('state', '=', 'ready')
      .where('delivered', '>=', from)
      .executeTakeFirst();
    if (!isLast || Number(noted.numUpdatedRows) === 0) return false;
    const action = 'completeDataExport';
    const objects = { exportId, patients: 'all' };
    audit(tx, { caller, at: now, action, path: call.path, objects, address, requestId });
    return true;
  });
  if (isComplete) await deleteParts(context, { companyId, exportId });
}
