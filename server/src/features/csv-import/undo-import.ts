import { undoDays } from '@roomside/contract/csv-import/calls.ts';
import { isoNow } from '../../platform/clock.ts';
import { type Claimed, change, inStep, type Parts, released } from './claimed.ts';
import { note } from './import-file.ts';
import { kindOf } from './kinds.ts';

/** Takes an import back, as far as what it has written was not changed and is not in use since. @throws ClaimLost */
export async function undoImport(context: Parts, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const row = await change(context, claimed, {});
  const kind = kindOf(row);
  if (row.position === 0) await countLeft(context, claimed);
  for (const undo of kind.undo) {
    for (let isMore = true; isMore; ) {
      signal.throwIfAborted();
      isMore = await inStep(context, claimed, async (tx, row, afterCommit) => {
        const undone = await undo(tx, context, row, afterCommit);
        const { archived, restored, kept, last } = undone;
        if (archived.length + restored.length > 0)
          note(tx, context, row, kind.audited.undo, kind.audited.undone(undone));
        const done = archived.length + restored.length + kept;
        const changes = {
          attempts: 0,
          kept: row.kept + kept,
          amount_done: row.amount_done + done,
          // Never back: a worker that goes on begins with the first kind of undoing, which must not count what it has counted.
          ...(last !== undefined && { position: Math.max(row.position, last) }),
        };
        return { changes, result: last !== undefined };
      });
    }
  }
  const now = isoNow(context.clock);
  const { company_id: companyId, file_uid: uid } = await change(context, claimed, {});
  await inStep(context, claimed, async (_tx, row, afterCommit) => {
    afterCommit(() => {
      context.push.schedule(companyId);
      void context.blobs.delete({ companyId, uid }).catch(() => undefined);
    });
    const undoUntil = row.undo_until ?? new Date(Date.parse(now) + undoDays * 86_400_000).toISOString();
    return { changes: { state: 'undone', finished_at: now, undo_until: undoUntil, ...released }, result: undefined };
  });
}

/** Counts the patients that an earlier undoing of the same import has left. @throws ClaimLost */
async function countLeft(context: Parts, claimed: Claimed): Promise<void> {
  const { companyId, importId } = claimed;
  await inStep(context, claimed, async (tx) => {
    const { kept } = await tx
      .selectFrom('import_changes')
      .select((eb) => eb.fn.countAll<string>().as('kept'))
      .where('company_id', '=', companyId)
      .where('import_id', '=', importId)
      .where('left_as_is', '=', true)
      .executeTakeFirstOrThrow();
    return { changes: { kept: Number(kept), amount_done: Number(kept) }, result: undefined };
  });
}
