import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from './database/database.ts';
import { type DataKey, openBytes, sealBytes, UnreadableValue } from './envelope.ts';
import { Refusal } from './refusal.ts';

/** The companies' keys. A transaction reads those of its own company only. */
export interface DataKeys {
  /** The key that seals what a company writes now; made when it has none. */
  current(tx: Tx, companyId: number, now: string): Promise<DataKey>;
  /**
   * A key that a sealed value names.
   *
   * @throws UnreadableValue when the transaction's company has none of that number
   */
  byId(tx: Tx, companyId: number, keyId: number): Promise<DataKey>;
  /** Makes a new key; the present one only opens from now on. */
  supersede(tx: Tx, companyId: number, now: string): Promise<void>;
}

/** For how long a process remembers a key, ms: so long an erased one may live on, and a superseded one still seal. */
const rememberedMs = 60_000;
/** More companies than this at a time are not remembered. */
const maxRemembered = 2_000;

/** The row that stands for values of an earlier format. */
export const isLegacyKey = sql<boolean>`octet_length(data_keys.sealed) = 0`;

export const placeOfKey = (companyId: number, keyId: number): string => `data_keys.sealed ${companyId}/${keyId}`;

interface Remembered {
  readonly key: DataKey;
  readonly until: number;
}

/** The companies' keys, opened by the master key and remembered for a while. */
export function holdDataKeys(master: DataKey): DataKeys {
  const currents = new Map<number, Remembered>();
  const known = new Map<string, Remembered>();

  async function make(tx: Tx, companyId: number, now: string): Promise<void> {
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
      const remembered = recall(currents, companyId);
      if (remembered) return remembered;
      const select = () => read(tx, companyId).where('superseded_at', 'is', null).executeTakeFirst();
      let row = await select();
      if (!row) {
        await make(tx, companyId, now);
        row = await select();
      }
      if (!row) throw new Refusal('unavailable', { retryAfter: 1 });
      const key = open(row, companyId);
      if (!row.may_vanish) remember(currents, companyId, key);
      return key;
    },
    async byId(tx, companyId, keyId) {
      const name = `${companyId}/${keyId}`;
      const remembered = recall(known, name);
      if (remembered) return remembered;
      const row = await read(tx, companyId).where('key_id', '=', keyId).executeTakeFirst();
      if (!row || row.sealed.length === 0) throw new UnreadableValue('The key of a sealed value is gone.');
      const key = open(row, companyId);
      if (!row.may_vanish) remember(known, name, key);
      return key;
    },
    async supersede(tx, companyId, now) {
      await tx
        .updateTable('data_keys')
        .set({ superseded_at: now })
        .where('company_id', '=', companyId)
        .where('superseded_at', 'is', null)
        .execute();
      await make(tx, companyId, now);
      currents.delete(companyId);
    },
  };
}

function recall<Name>(memory: Map<Name, Remembered>, name: Name): DataKey | undefined {
  const found = memory.get(name);
  if (!found) return undefined;
  if (performance.now() < found.until) return found.key;
  memory.delete(name);
  return undefined;
}

function remember<Name>(memory: Map<Name, Remembered>, name: Name, key: DataKey): void {
  if (memory.size >= maxRemembered) memory.clear();
  memory.set(name, { key, until: performance.now() + rememberedMs });
}
