import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { createDataKeys, type DataKeys, placeOfKey } from './data-keys.ts';
import type { Database, Tx } from './database/database.ts';
import { type DataKey, openBytes, sealBytes, UnreadableValue } from './envelope.ts';
import { SettingsError } from './settings.ts';

/** All keys of the server. SECRET_KEY only seals these keys in the database, so that it can be changed. */
export interface Keys {
  /** Signs access tokens. */
  readonly token: Uint8Array;
  /** Chains the audit log. */
  readonly audit: Uint8Array;
  /** A keyed hash, for looking up values that are not stored themselves. */
  mac(
    purpose:
      | 'code'
      | 'guest'
      | 'refresh'
      | 'one-time'
      | 'address'
      | 'subject'
      | 'uid'
      | 'contact'
      | 'device'
      | 'body'
      | 'import'
      | 'calendar-feed'
      | 'ticket'
      | 'external'
      | 'recovery'
      | 'trust'
      | 'handle',
    data: string | Uint8Array,
  ): Buffer;
  /** Seals requests of people who have no company yet. Becomes invalid with the sign-in key. */
  readonly signUps: DataKey;
  /** The companies' keys, which seal their data. */
  readonly data: DataKeys;
  /** Seals what belongs to a user and not to a company. It lasts as long as the installation: no command replaces it. */
  readonly users: DataKey;
  /** Seals the secrets of external providers, as long as {@link users}. */
  readonly providers: DataKey;
  /** Seals what an external sign-in needs until its end. Becomes invalid with the sign-in key. */
  readonly externalSignIns: DataKey;
}

const purposes = ['audit', 'lookup', 'sign-in'] as const;
type Purpose = (typeof purposes)[number];

/** Derives a key of 32 bytes for one purpose (HKDF, RFC 5869). */
const derive = (from: string | Uint8Array, info: string) =>
  new Uint8Array(hkdfSync('sha256', from, 'roomside', info, 32));

/** The key that seals keys. It has no row; its id is 0. */
const masterKeyOf = (secret: string): DataKey => ({ id: 0, bytes: derive(secret, 'master') });

const wrongSecret = new SettingsError(
  'SECRET_KEY is not the one that this database was set up with: start with that one, or see "Keys" in docs/operations.md.',
);

const noKeys = new SettingsError('This database has no keys yet: start the server with its SECRET_KEY first.');

const placeOf = (purpose: Purpose) => `installation_keys.sealed ${purpose}`;

/**
 * Reads the installation's keys. The first start creates them; of two simultaneous first starts one does.
 *
 * @throws SettingsError (one sentence) when SECRET_KEY is not the one that sealed them
 */
export async function openKeys(db: Database, secret: string): Promise<Keys> {
  const master = masterKeyOf(secret);
  const rows = await db.open({ kind: 'installation' }, async (tx) => {
    const known = await readRows(tx);
    if (known.length > 0) return known;
    await tx
      .insertInto('installation_keys')
      .values(
        purposes.map((purpose) => ({
          purpose,
          sealed: sealBytes(master, randomBytes(32), placeOf(purpose)),
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return readRows(tx);
  });
  const bytes = new Map(rows.map(({ purpose, sealed }) => [purpose, openOrRefuse(master, sealed, purpose as Purpose)]));
  const lookup = bytes.get('lookup');
  const signIn = bytes.get('sign-in');
  const audit = bytes.get('audit');
  if (!lookup || !signIn || !audit) throw new SettingsError('The table installation_keys is incomplete: restore it.');
  return {
    token: derive(signIn, 'access-token'),
    audit: derive(audit, 'audit'),
    ...macs(lookup, signIn),
    signUps: { id: 0, bytes: derive(signIn, 'sign-ups') },
    data: createDataKeys(master),
    users: { id: 0, bytes: derive(lookup, 'seal:users') },
    providers: { id: 0, bytes: derive(lookup, 'seal:providers') },
    externalSignIns: { id: 0, bytes: derive(signIn, 'external-sign-ins') },
  };
}

function openOrRefuse(master: DataKey, sealed: Buffer, purpose: Purpose): Buffer {
  try {
    return openBytes(master, sealed, placeOf(purpose));
  } catch (error) {
    throw error instanceof UnreadableValue ? wrongSecret : error;
  }
}

/** Purposes of hashes that become invalid with the sign-in key. */
const ofSignIns: ReadonlySet<string> = new Set(['refresh', 'one-time', 'address', 'ticket', 'external']);

function macs(lookup: Uint8Array, signIn: Uint8Array): Pick<Keys, 'mac'> {
  const derived = new Map<string, Uint8Array>();
  return {
    mac(purpose, data) {
      let key = derived.get(purpose);
      if (!key) {
        const from = ofSignIns.has(purpose) ? signIn : lookup;
        derived.set(purpose, (key = derive(from, `mac:${purpose}`)));
      }
      return createHmac('sha256', key).update(data).digest();
    },
  };
}

const readRows = (tx: Tx) =>
  tx.selectFrom('installation_keys').select(['purpose', 'sealed']).orderBy('purpose').execute();

/**
 * Seals all keys under another SECRET_KEY, in one transaction. The keys do not change, so links and sign-ins stay valid.
 * Returns false when this was done before.
 *
 * @throws SettingsError (one sentence) when neither secret opens the keys
 */
export async function changeSecret(db: Database, from: string, to: string): Promise<boolean> {
  const [old, next] = [masterKeyOf(from), masterKeyOf(to)];
  return db.open({ kind: 'installation' }, async (tx) => {
    const rows = await tx.selectFrom('installation_keys').select(['purpose', 'sealed']).forUpdate().execute();
    if (rows.length === 0) throw noKeys;
    const isDone = rows.every(({ purpose, sealed }) => opens(next, sealed, placeOf(purpose as Purpose)));
    if (isDone) return false;
    for (const { purpose, sealed } of rows) {
      const place = placeOf(purpose as Purpose);
      const resealed = sealBytes(next, openOrRefuse(old, sealed, purpose as Purpose), place);
      await tx.updateTable('installation_keys').set({ sealed: resealed }).where('purpose', '=', purpose).execute();
    }
    const keys = await tx.selectFrom('data_keys').select(['key_id', 'company_id', 'sealed']).forUpdate().execute();
    for (const { key_id, company_id, sealed } of keys) {
      if (sealed.length === 0) continue;
      const place = placeOfKey(company_id, key_id);
      const resealed = sealBytes(next, openBytes(old, sealed, place), place);
      await tx.updateTable('data_keys').set({ sealed: resealed }).where('key_id', '=', key_id).execute();
    }
    return true;
  });
}

/**
 * Creates a new key for sign-ins: access tokens, refresh tokens and one-time links become invalid. Servers must restart.
 *
 * @throws SettingsError (one sentence) when SECRET_KEY is not the right one
 */
export async function replaceSignInKey(db: Database, secret: string): Promise<void> {
  await openKeys(db, secret);
  const sealed = sealBytes(masterKeyOf(secret), randomBytes(32), placeOf('sign-in'));
  await db.open({ kind: 'installation' }, (tx) =>
    tx.updateTable('installation_keys').set({ sealed }).where('purpose', '=', 'sign-in').execute(),
  );
}

function opens(key: DataKey, sealed: Buffer, place: string): boolean {
  try {
    openBytes(key, sealed, place);
    return true;
  } catch (error) {
    if (error instanceof UnreadableValue) return false;
    throw error;
  }
}
