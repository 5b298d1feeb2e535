import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from './database/database.ts';
import { type DataKey, openBytes, sealBytes, UnreadableValue } from './envelope.ts';
import { Refusal } from './refusal.ts';

/** The companies' keys. A transaction can read those of its company only. */
export interface DataKeys {
  /** Returns the company's current key. Creates it when there is none. */
  current(tx: Tx, companyId: number, now: string): Promise<DataKey>;
  /**
   * Returns the key that a sealed value was sealed by.
   *
   * @throws UnreadableValue when the transaction's company has none of that number
   */
  byId(tx: Tx, companyId: number, keyId: number): Promise<DataKey>;
  /** The current key, or one by its number, if this process has read it within the last minute. */
  cached(companyId: number, keyId?: number): DataKey | undefined;
  /** Creates a new current key. The previous one only opens values from then on. */
  supersede(tx: Tx, companyId: number, now: string): Promise<void>;
}

/** How long a process caches a key, ms. A deleted or superseded key may still be used for this long. */
const cacheMs = 60_000;
/** The cache is cleared when it has this many keys. */
const maxCachedKeys = 2_000;

export const placeOfKey = (companyId: number, keyId: number): string => `data_keys.sealed ${companyId}/${keyId}`;

interface CachedKey {
  readonly key: DataKey;
  readonly until: number;
}

/** Reads the companies' keys from the database, opens them by the master key, and caches them. */
export function createDataKeys(master: DataKey): DataKeys {
  const currents = new Map<number, CachedKey>();
  const known = new Map<string, CachedKey>();

  async function createKey(tx: Tx, companyId: number, now: string): Promise<void> {
    const { rows } = await sql<{ id: number }>`select nextval('ids') as id`.execute(tx);
    const key = { id: rows[0]?.id as number, bytes: randomBytes(32) };
    const sealed = sealBytes(master, key.bytes, placeOfKey(companyId, key.id));
    await tx
      .insertInto('data_keys')
      .values({ key_id: key.id, company_id: companyId, sealed, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  const read = (tx: Tx, companyId: number) =>
    tx
      .selectFrom('data_keys')
      .select([
        'key_id',
        'sealed',
        sql<boolean>`coalesce(made_in = pg_current_xact_id_if_assigned(), false)`.as('may_vanish'),
      ])
      .where('company_id', '=', companyId);

  function open(row: { key_id: number; sealed: Buffer }, companyId: number): DataKey {
    return { id: row.key_id, bytes: openBytes(master, row.sealed, placeOfKey(companyId, row.key_id)) };
  }

  return {
    async current(tx, companyId, now) {
      const cached = readCache(currents, companyId);
      if (cached) return cached;
      const select = () => read(tx, companyId).where('superseded_at', 'is', null).executeTakeFirst();
      let row = await select();
      if (!row) {
        await createKey(tx, companyId, now);
        row = await select();
      }
      if (!row) throw new Refusal('unavailable', { retryAfter: 1 });
      const key = open(row, companyId);
      if (!row.may_vanish) writeCache(currents, companyId, key);
      return key;
    },
    async byId(tx, companyId, keyId) {
      const name = `${companyId}/${keyId}`;
      const cached = readCache(known, name);
      if (cached) return cached;
      const row = await read(tx, companyId).where('key_id', '=', keyId).executeTakeFirst();
      if (!row) throw new UnreadableValue('The key of a sealed value is gone.');
      const key = open(row, companyId);
      if (!row.may_vanish) writeCache(known, name, key);
      return key;
    },
    cached: (companyId, keyId) =>
      keyId === undefined ? readCache(currents, companyId) : readCache(known, `${companyId}/${keyId}`),
    async supersede(tx, companyId, now) {
      await tx
        .updateTable('data_keys')
        .set({ superseded_at: now })
        .where('company_id', '=', companyId)
        .where('superseded_at', 'is', null)
        .execute();
      await createKey(tx, companyId, now);
      currents.delete(companyId);
    },
  };
}

function readCache<Name>(cache: Map<Name, CachedKey>, name: Name): DataKey | undefined {
  const found = cache.get(name);
  if (!found) return undefined;
  if (performance.now() < found.until) return found.key;
  cache.delete(name);
  return undefined;
}

function writeCache<Name>(cache: Map<Name, CachedKey>, name: Name, key: DataKey): void {
  if (cache.size >= maxCachedKeys) cache.clear();
  cache.set(name, { key, until: performance.now() + cacheMs });
}
