import type { BlobKeys } from './blobs.ts';
import { isoNow } from './clock.ts';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';

/** The companies' keys for files. Files are sealed outside of a transaction, so one is opened for a key that is not cached. */
export function blobKeys({ db, keys, clock }: Pick<Context, 'db' | 'keys' | 'clock'>): BlobKeys {
  const open = <T>(companyId: number, work: (tx: Tx) => Promise<T>) => db.open({ kind: 'job', companyId }, work);
  return {
    current: async (companyId) =>
      keys.data.cached(companyId) ?? open(companyId, (tx) => keys.data.current(tx, companyId, isoNow(clock))),
    byId: async (companyId, keyId) =>
      keys.data.cached(companyId, keyId) ?? open(companyId, (tx) => keys.data.byId(tx, companyId, keyId)),
  };
}
