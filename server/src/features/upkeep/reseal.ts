import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { type DataKey, keyIdOf, openBytes, sealBytes, sealedHeader, UnreadableValue } from '../../platform/envelope.ts';
import { sealedPlaces } from '../../platform/sealed-text.ts';

type Parts = Pick<Context, 'db' | 'keys' | 'blobs' | 'clock' | 'log'>;

/** A column of sealed values. `names` are the columns that its place consists of. */
interface SealedColumn {
  readonly table: string;
  readonly id: string;
  readonly column: string;
  readonly names: readonly string[];
  place(...names: (string | number)[]): string;
}

/** All columns with sealed values. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'appointments',
    id: 'appointment_id',
    column: 'code_cipher',
    names: ['appointment_uid'],
    place: (uid) => sealedPlaces.code(String(uid)),
  },
  {
    table: 'appointments',
    id: 'appointment_id',
    column: 'notes',
    names: ['appointment_uid'],
    place: (uid) => sealedPlaces.notes(String(uid)),
  },
  {
    table: 'appointments',
    id: 'appointment_id',
    column: 'cancellation_notes',
    names: ['appointment_uid'],
    place: (uid) => sealedPlaces.cancellationNotes(String(uid)),
  },
  {
    table: 'chat_messages',
    id: 'message_id',
    column: 'payload',
    names: ['appointment_id', 'author', 'key'],
    place: (appointmentId, author, key) => sealedPlaces.chat(Number(appointmentId), String(author), String(key)),
  },
  {
    table: 'visit_guests',
    id: 'guest_id',
    column: 'link_cipher',
    names: ['guest_uid'],
    place: (uid) => sealedPlaces.guestLink(String(uid)),
  },
  {
    table: 'visit_guests',
    id: 'guest_id',
    column: 'contact',
    names: ['guest_uid'],
    place: (uid) => sealedPlaces.guestContact(String(uid)),
  },
  {
    table: 'files',
    id: 'file_id',
    column: 'name',
    names: ['file_uid'],
    place: (uid) => sealedPlaces.fileName(String(uid)),
  },
  {
    table: 'companies',
    id: 'company_id',
    column: 'payment_password',
    names: ['company_id'],
    place: (companyId) => sealedPlaces.paymentPassword(Number(companyId)),
  },
  {
    table: 'companies',
    id: 'company_id',
    column: 'payment_webhook',
    names: ['company_id'],
    place: (companyId) => sealedPlaces.paymentWebhook(Number(companyId)),
  },
  {
    table: 'imports',
    id: 'import_id',
    column: 'file_name',
    names: ['file_uid'],
    place: (uid) => sealedPlaces.importFileName(String(uid)),
  },
  {
    table: 'imports',
    id: 'import_id',
    column: 'problems',
    names: ['file_uid'],
    place: (uid) => sealedPlaces.importProblems(String(uid)),
  },
  {
    table: 'import_changes',
    id: 'change_id',
    column: 'before',
    names: ['import_id', 'patient_id'],
    place: (importId, patientId) => sealedPlaces.importChange(Number(importId), Number(patientId)),
  },
  {
    table: 'external_calendars',
    id: 'calendar_id',
    column: 'address',
    names: ['user_id'],
    place: (userId) => sealedPlaces.externalCalendar(Number(userId)),
  },
];

/** Rows per transaction, so that locks are short. */
const batchSize = 200;
/** How long a superseded key is kept: processes cache keys for a minute (data-keys.ts) and may still seal with it, ms. */
const gracePeriodMs = 3_600_000;

export interface Resealed {
  /** Values that were sealed again by the company's current key. */
  readonly done: number;
  /** Values that could not be opened and were not changed. */
  readonly unreadable: number;
  /** Superseded keys that remain: in use, or younger than an hour; null when it was stopped before. */
  readonly kept: number | null;
}

/** Returns companies with superseded keys. */
export async function companiesToReseal({ db }: Parts): Promise<number[]> {
  const rows = await db.open({ kind: 'installation' }, (tx) =>
    tx
      .selectFrom('data_keys')
      .select('company_id')
      .distinct()
      .where('superseded_at', 'is not', null)
      .orderBy('company_id')
      .execute(),
  );
  return rows.map((row) => row.company_id);
}

/**
 * Seals a company's values by its current key, in batches, and deletes keys that are no longer used. It may be stopped at
 * any point (`signal`), run again, and run in several processes at the same time. Locked rows are left for the next run.
 */
export async function reseal(parts: Parts, companyId: number, signal?: AbortSignal): Promise<Resealed> {
  let done = 0;
  let unreadable = 0;
  for (const column of sealedColumns) {
    for (let after = 0; ; ) {
      const step = await parts.db.open({ kind: 'job', companyId }, (tx) =>
        resealBatch(parts, tx, companyId, column, after),
      );
      done += step.done;
      unreadable += step.unreadable;
      if (step.last === null || signal?.aborted) break;
      after = step.last;
    }
  }
  for await (const uid of parts.blobs.list(companyId)) {
    if (signal?.aborted) break;
    try {
      if (await parts.blobs.reseal({ companyId, uid })) done += 1;
    } catch (error) {
      if (!(error instanceof UnreadableValue)) throw error;
      unreadable += 1;
      parts.log.error({ companyId, uid }, 'a sealed file cannot be read');
    }
  }
  const kept = signal?.aborted ? null : await eraseUnused(parts, companyId);
  return { done, unreadable, kept };
}

/** Creates a new key for a company, unless an earlier change has not finished. Returns whether it created one. */
export async function supersedeKey({ db, keys, clock }: Parts, companyId: number): Promise<boolean> {
  return db.open({ kind: 'job', companyId }, async (tx) => {
    const superseded = await tx
      .selectFrom('data_keys')
      .select('key_id')
      .where('company_id', '=', companyId)
      .where('superseded_at', 'is not', null)
      .limit(1)
      .executeTakeFirst();
    if (superseded) return false;
    await keys.data.supersede(tx, companyId, isoNow(clock));
    return true;
  });
}

async function resealBatch(parts: Parts, tx: Tx, companyId: number, of: SealedColumn, after: number) {
  const key = await parts.keys.data.current(tx, companyId, isoNow(parts.clock));
  const [table, id, column] = [sql.table(of.table), sql.ref(of.id), sql.ref(of.column)];
  const { rows } = await sql<{ id: number; names: (string | number)[]; sealed: Buffer }>`
    select ${id} as id, ${column} as sealed, jsonb_build_array(${sql.join(of.names.map((name) => sql.ref(name)))}) as names
    from ${table}
    where company_id = ${companyId} and ${id} > ${after} and octet_length(${column}) > 0
      and substring(${column} from 1 for ${sql.lit(sealedHeader(key).length)}) <> ${sealedHeader(key)}
    order by ${id} limit ${batchSize} for no key update skip locked`.execute(tx);
  const resealed: { id: number; sealed: Buffer }[] = [];
  for (const row of rows) {
    const place = of.place(...row.names);
    try {
      const plain = await openSealed(parts, tx, companyId, row.sealed, place);
      resealed.push({ id: row.id, sealed: sealBytes(key, plain, place) });
    } catch (error) {
      if (!(error instanceof UnreadableValue)) throw error;
      parts.log.error({ table: of.table, column: of.column, id: row.id }, 'a sealed value cannot be read');
    }
  }
  if (resealed.length > 0)
    await sql`update ${table} as t set ${sql.ref(of.column)} = v.sealed
    from unnest(${resealed.map((row) => row.id)}::bigint[], ${resealed.map((row) => row.sealed)}::bytea[]) as v(id, sealed)
    where t.company_id = ${companyId} and t.${id} = v.id`.execute(tx);
  const last = rows.length < batchSize ? null : (rows.at(-1)?.id ?? null);
  return { done: resealed.length, unreadable: rows.length - resealed.length, last };
}

async function openSealed({ keys }: Parts, tx: Tx, companyId: number, sealed: Buffer, place: string): Promise<Buffer> {
  const key: DataKey = await keys.data.byId(tx, companyId, keyIdOf(sealed));
  return openBytes(key, sealed, place);
}

/** Returns how many superseded keys remain. */
async function eraseUnused({ db, blobs, clock }: Parts, companyId: number): Promise<number> {
  const inCompany = <T>(work: (tx: Tx) => Promise<T>) => db.open({ kind: 'job', companyId }, work);
  const superseded = await inCompany((tx) =>
    tx
      .selectFrom('data_keys')
      .select(['key_id', 'superseded_at'])
      .where('company_id', '=', companyId)
      .where('superseded_at', 'is not', null)
      .execute(),
  );
  const youngSince = new Date(clock.now() - gracePeriodMs).toISOString();
  let kept = 0;
  for (const key of superseded) {
    const isYoung = (key.superseded_at ?? '') > youngSince;
    const isKept =
      isYoung ||
      (await blobs.uses(companyId, key.key_id)) ||
      (await inCompany(async (tx) => {
        if (await isUsed(tx, companyId, key.key_id)) return true;
        await tx.deleteFrom('data_keys').where('key_id', '=', key.key_id).execute();
        return false;
      }));
    if (isKept) kept += 1;
  }
  return kept;
}

/** Returns whether any value uses this key. */
async function isUsed(tx: Tx, companyId: number, keyId: number): Promise<boolean> {
  const header = sealedHeader({ id: keyId });
  for (const { table, column } of sealedColumns) {
    const starts = sql`substring(${sql.ref(column)} from 1 for ${sql.lit(header.length)}) = ${header}`;
    const { rows } = await sql<{ used: boolean }>`
      select exists (select 1 from ${sql.table(table)} where company_id = ${companyId} and ${starts}) as used`.execute(
      tx,
    );
    if (rows[0]?.used) return true;
  }
  return false;
}
