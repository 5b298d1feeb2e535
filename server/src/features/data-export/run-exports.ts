import { randomUUID } from 'node:crypto';
import { exportHours } from '@roomside/contract/data-export/calls.ts';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { forAll, repeat } from '../../platform/repeat.ts';
import { type ExportReadyJob, exportReadyQueue } from '../notifications/deliver-export-ready.ts';
import { type Claimed, ClaimLost, deleteParts, type ExportId, writeParts } from './archive-parts.ts';
import { fillArchive, type Progress } from './fill-archive.ts';

type Parts = Pick<Context, 'db' | 'blobs' | 'keys' | 'clock' | 'log' | 'jobs'>;

interface Options {
  readonly signal?: AbortSignal;
  /** Bytes of one part of an archive. */
  readonly partBytes?: number;
}

/** Large enough that an archive has few parts, small enough that a bucket takes one at a time. */
const defaultPartBytes = 64 * 1024 * 1024;
/** A worker that has not renewed its claim for this long has vanished, and another one begins again, ms. */
const leaseMs = 60_000;
const renewMs = 5_000;
/** An export that has ended this often without a result has failed. */
const maxAttempts = 5;

/** Makes the exports that wait, one after another. Stops at `signal`; the next run begins the export again. */
export async function runDataExports(context: Parts, options: Options = {}): Promise<void> {
  while (!options.signal?.aborted) {
    const claim = randomUUID();
    const found = await claimNext(context, claim);
    if (!found) return;
    await createExport(context, { ...found, claim }, found.attempts, options);
  }
}

/** Deletes the archives that no one may download any more. */
export async function endExpiredExports(context: Parts): Promise<void> {
  const now = isoNow(context.clock);
  const { rows } = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    sql<{ company_id: number; export_id: number }>`select * from ended_data_exports(${now})`.execute(tx),
  );
  await forAll(rows, async ({ company_id: companyId, export_id: exportId }) => {
    await context.db.open({ kind: 'job', companyId }, (tx) =>
      tx
        .updateTable('data_exports')
        .set({ state: 'expired' })
        .where('export_id', '=', exportId)
        .where('state', '=', 'ready')
        .where('expires_at', '<=', now)
        .execute(),
    );
    await deleteParts(context, { companyId, exportId });
  });
}

async function claimNext({ db, clock }: Parts, claim: string): Promise<(ExportId & { attempts: number }) | undefined> {
  const until = new Date(clock.now() + leaseMs).toISOString();
  const { rows } = await db.open({ kind: 'unauthenticated' }, (tx) =>
    sql<{ company_id: number; export_id: number; attempts: number }>`
      select * from claim_data_export(${isoNow(clock)}, ${until}, ${claim})`.execute(tx),
  );
  return rows[0] && { companyId: rows[0].company_id, exportId: rows[0].export_id, attempts: rows[0].attempts };
}

async function createExport(context: Parts, claimed: Claimed, attempts: number, options: Options): Promise<void> {
  const { clock, log } = context;
  const { companyId, exportId } = claimed;
  // What an attempt that was killed has left.
  await deleteParts(context, claimed);
  if (attempts > maxAttempts) {
    log.error({ companyId, exportId }, 'an export of all data has failed too often');
    await setState(context, claimed, { state: 'failed', claim: null, lease_until: null });
    return;
  }
  const progress: Progress = { rowsTotal: 0, rowsDone: 0, bytesTotal: 0, bytesDone: 0 };
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, ...(options.signal ? [options.signal] : [])]);
  const renew = async () => {
    if (!(await renewClaim(context, claimed, progress))) lost.abort(new ClaimLost());
  };
  const stopRenewing = repeat(context, 'the progress of an export', renewMs, renew);
  const startedAt = isoNow(clock);
  try {
    const size = await writeArchive(context, claimed, {
      at: startedAt,
      progress,
      signal,
      partBytes: options.partBytes,
    });
    await stopRenewing();
    await finish(context, claimed, { progress, size, startedAt });
  } catch (error) {
    await stopRenewing();
    await deleteParts(context, claimed);
    if (options.signal?.aborted) await setState(context, claimed, { state: 'queued', claim: null, lease_until: null });
    // Otherwise the claim ends by itself, and the next attempt begins a minute later.
    else if (!(error instanceof ClaimLost))
      log.error({ companyId, exportId, error: (error as Error).message }, 'an export of all data was interrupted');
  }
}

interface Writing {
  readonly at: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly partBytes: number | undefined;
}

/** Returns the size of the archive, bytes. */
async function writeArchive(context: Parts, claimed: Claimed, writing: Writing): Promise<number> {
  const { at, progress, signal, partBytes = defaultPartBytes } = writing;
  // Loaded with the first export.
  const { zipArchive } = await import('./zip-archive.ts');
  const zip = zipArchive();
  const abort = () => zip.abort(signal.reason as Error);
  signal.addEventListener('abort', abort);
  // Outside of the transaction that reads the rows: storing a part opens a separate one.
  const written = writeParts(context, claimed, zip.bytes, partBytes).catch((error: Error) => {
    zip.abort(error);
    throw error;
  });
  const filled = fillArchive(context, { companyId: claimed.companyId, at, zip, progress, signal }).catch(
    (error: Error) => {
      zip.abort(error);
      throw error;
    },
  );
  try {
    const [size] = await Promise.all([written, filled]);
    return size;
  } finally {
    signal.removeEventListener('abort', abort);
    await Promise.allSettled([written, filled]);
  }
}

const columnsOf = ({ rowsTotal, rowsDone, bytesTotal, bytesDone }: Progress) => ({
  rows_total: rowsTotal,
  rows_done: rowsDone,
  bytes_total: bytesTotal,
  bytes_done: bytesDone,
});

/** Returns whether the worker still has the export. */
async function renewClaim(context: Parts, claimed: Claimed, progress: Progress): Promise<boolean> {
  const until = new Date(context.clock.now() + leaseMs).toISOString();
  return setState(context, claimed, { ...columnsOf(progress), lease_until: until });
}

type Changes = Partial<
  ReturnType<typeof columnsOf> & { state: 'queued' | 'failed'; claim: null; lease_until: string | null }
>;

async function setState({ db }: Parts, { companyId, exportId, claim }: Claimed, changes: Changes): Promise<boolean> {
  const { numUpdatedRows } = await db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .updateTable('data_exports')
      .set(changes)
      .where('export_id', '=', exportId)
      .where('claim', '=', claim)
      .executeTakeFirst(),
  );
  return Number(numUpdatedRows) === 1;
}

interface Finished {
  readonly progress: Progress;
  readonly size: number;
  readonly startedAt: string;
}

/** The archive can be downloaded. The audit row and the mail are written with that. */
async function finish(context: Parts, claimed: Claimed, { progress, size, startedAt }: Finished): Promise<void> {
  const { companyId, exportId, claim } = claimed;
  const now = isoNow(context.clock);
  await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const expires = new Date(Date.parse(now) + exportHours * 3_600_000).toISOString();
    const row = await tx
      .updateTable('data_exports')
      .set({ ...columnsOf(progress), state: 'ready', claim: null, lease_until: null, size, snapshot_at: startedAt })
      .set({ finished_at: now, expires_at: expires })
      .where('export_id', '=', exportId)
      .where('claim', '=', claim)
      .returning('by_user_id')
      .executeTakeFirst();
    if (!row) throw new ClaimLost();
    const action = 'finishDataExport';
    // Counts are texts: a number would be taken for an id.
    const objects = { exportId, userId: row.by_user_id, patients: 'all', rows: String(progress.rowsDone) };
    audit(tx, { caller: null, companyId, at: now, action, path: '', objects, address: '', requestId: action });
    const job: ExportReadyJob = { companyId, userId: row.by_user_id, exportId };
    await context.jobs.send(tx, exportReadyQueue, job);
  });
}
