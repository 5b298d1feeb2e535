import { randomUUID } from 'node:crypto';
import { isoNow } from '../../platform/clock.ts';
import { repeat } from '../../platform/repeat.ts';
import { checkFile } from './check-file.ts';
import { type Claimed, ClaimLost, change, claimNext, type Parts, released, renew } from './claimed.ts';
import { finishImport, importFile } from './import-file.ts';
import { undoImport } from './undo-import.ts';

const renewMs = 5_000;
/** An import that has ended this often without any progress has failed. */
const maxAttempts = 5;

const works: Readonly<Record<string, (context: Parts, claimed: Claimed, signal: AbortSignal) => Promise<void>>> = {
  checking: checkFile,
  importing: importFile,
  undoing: undoImport,
};

/** Works on the imports that wait, one after another. Stops at `signal`; the next run goes on where this one was. */
export async function runImports(context: Parts, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
  while (!options.signal?.aborted) {
    const found = await claimNext(context, randomUUID());
    if (!found) return;
    await runOne(context, found, found.attempts, options.signal);
  }
}

async function runOne(
  context: Parts,
  claimed: Claimed,
  attempts: number,
  stop: AbortSignal | undefined,
): Promise<void> {
  const { log } = context;
  const { companyId, importId } = claimed;
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, ...(stop ? [stop] : [])]);
  const stopRenewing = repeat(context, 'the claim of an import', renewMs, async () => {
    if (!(await renew(context, claimed))) lost.abort(new ClaimLost());
  });
  try {
    if (attempts > maxAttempts) await fail(context, claimed);
    else {
      const { state } = await change(context, claimed, {});
      await works[state]?.(context, claimed, signal);
    }
  } catch (error) {
    if (stop?.aborted) await change(context, claimed, released).catch(() => undefined);
    // Otherwise the claim ends by itself, and the next attempt goes on.
    else if (!(error instanceof ClaimLost))
      log.error({ companyId, importId, error: (error as Error).message }, 'an import was interrupted');
  } finally {
    await stopRenewing();
  }
}

/** Of an import that cannot end stays what is done so far. */
async function fail(context: Parts, claimed: Claimed): Promise<void> {
  const { companyId, importId } = claimed;
  context.log.error({ companyId, importId }, 'an import has failed too often');
  const { state } = await change(context, claimed, {});
  // endImports deletes the file.
  if (state === 'checking')
    await change(context, claimed, { state: 'failed', undo_until: isoNow(context.clock), ...released });
  else await finishImport(context, claimed, { state: 'failed', wrong_uid: null, wrong_size: null });
}
