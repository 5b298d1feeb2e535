import type { Context } from './context.ts';

/**
 * Deletes the content of deleted rows. Call after the commit. A content that cannot be deleted is logged; the daily sweep
 * deletes it.
 *
 * @param kind what the rows are, for the log
 */
export function deleteBlobs(
  { blobs, log }: Pick<Context, 'blobs' | 'log'>,
  kind: 'file' | 'photo' | 'recording',
  companyId: number,
  uids: readonly string[],
): void {
  for (const uid of uids) {
    blobs.delete({ companyId, uid }).catch((error: Error) => {
      log.error({ error: error.message, uid }, `a deleted ${kind} is still stored`);
    });
  }
}
