import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildRecords } from '../../../test/build-records.ts';
import { startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildPatient } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import { sealedColumns } from '../upkeep/reseal.ts';
import { type ErasedValue, listedTables } from './record-tables.ts';

const app = await startTestApp();
const { context } = app;
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
afterAll(() => owner.end());

const names = listedTables.map(([table]) => table).toSorted();

async function column<T>(text: string, values: unknown[] = []): Promise<T[]> {
  const { rows } = await owner.query<{ value: T }>(text, values);
  return rows.map(({ value }) => value);
}

describe('recordTables', () => {
  test('has every table with a patient or an appointment', async () => {
    const found = await column<string>(`
      select distinct c.relname::text as value from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and (
        exists (select from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
          and a.attname ~ '(patient|appointment)_?(id|uid)$')
        or exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'
          and k.confrelid in ('patients'::regclass, 'appointments'::regclass)))`);
    expect(found.toSorted()).toEqual(names);
  });

  test('merge `follows`: the foreign key to the appointment carries the patient and cascades', async () => {
    const cascading = await column<string>(`
      select k.conrelid::regclass::text as value from pg_constraint k
      where k.contype = 'f' and k.confrelid = 'appointments'::regclass and k.confupdtype = 'c'
        and (select array_agg(a.attname::text order by a.attname) from pg_attribute a
          where a.attrelid = k.conrelid and a.attnum = any(k.conkey)) = '{appointment_id,company_id,patient_id}'`);
    expect(cascading.toSorted()).toEqual(namesOf(({ merge }) => merge === 'follows'));
  });

  test('merge `moves`: the function names exactly these tables', async () => {
    const [body = ''] = await column<string>(`select prosrc as value from pg_proc where proname = 'merge_patient'`);
    const updated = [...body.matchAll(/update (\w+) set[^;]*patient_id = target/g)].map(([, table = '']) => table);
    expect(updated.toSorted()).toEqual(namesOf(({ merge }) => merge === 'moves'));
  });

  test('the rows of a patient or appointment: are found by an index, so that no operation reads a whole table', async () => {
    const without: string[] = [];
    for (const [table, { by, merge }] of listedTables) {
      const needed = new Set([...(merge === 'moves' ? ['patient_id'] : []), by]);
      for (const searched of needed) {
        const leading = await column<string>(
          `select string_agg(a.attname, ',' order by k.place) as value
           from pg_index i, unnest(i.indkey::int2[]) with ordinality k(attnum, place)
             join pg_attribute a on a.attnum = k.attnum
           where i.indrelid = $1::regclass and a.attrelid = i.indrelid group by i.indexrelid`,
          [table],
        );
        if (!leading.some((columns) => new RegExp(`^(company_id,)?${searched}(,|$)`).test(columns)))
          without.push(`${table} by ${searched}`);
      }
    }
    expect(without).toEqual([]);
  });

  test('texts and bytes: every column is erased, or is listed here with the reason why it is kept', async () => {
    const kept: Record<string, readonly string[]> = {
      // Random ids and keys.
      appointments: ['appointment_uid', 'code_hash', 'pre_merge_code', 'external_transaction'],
      holds: ['hold_uid', 'holder', 'address', 'site'],
      visit_guests: ['guest_uid', 'link_hash', 'role'],
      // The device is described for users only; for patients and guests it is empty.
      sign_ins: ['kind', 'serial', 'seed', 'browser', 'system', 'network'],
      peers: ['peer_id', 'role_id', 'connection_id', 'instance_id'],
      visit_quality: ['peer_id', 'role_id'],
      chat_messages: ['author', 'key'],
      // One of a few values.
      ledger: ['kind', 'attempt_key'],
      // Of the payment, for the books: what the processor calls it, and what a statement shows of the card.
      charges: [
        ...['account', 'action_token', 'card_brand', 'card_last4', 'charge_key', 'currency', 'external_id', 'failure'],
        ...['method', 'processor', 'purpose', 'state'],
      ],
      notification_logs: ['kind', 'method', 'state'],
      recording_runs: ['peer_id'],
      recording_consents: ['peer_id', 'stream_id'],
    };
    for (const [table, { erase }] of listedTables) {
      const columns = await column<string>(
        `select column_name::text as value from information_schema.columns where table_schema = 'public'
         and table_name = $1 and (data_type in ('text', 'bytea', 'jsonb') or column_name = 'birth_date')`,
        [table],
      );
      const values = Object.entries<ErasedValue>(typeof erase === 'string' ? {} : erase);
      const texts = values.filter(([, value]) => value === null || typeof value === 'string' || Buffer.isBuffer(value));
      const erased = erase === 'delete' ? columns : texts.map(([name]) => name);
      expect([table, columns.toSorted()]).toEqual([
        table,
        [...new Set([...erased, ...(kept[table] ?? [])])].toSorted(),
      ]);
    }
  });

  test('bytes: every column is withheld from exports or is opened for them', async () => {
    for (const [table, { withheld }] of listedTables) {
      if (withheld === 'all') continue;
      const columns = await column<string>(
        `select column_name::text as value from information_schema.columns where table_schema = 'public'
         and table_name = $1 and data_type = 'bytea'`,
        [table],
      );
      const opened = sealedColumns.filter((sealed) => sealed.table === table).map((sealed) => sealed.column);
      const exported = columns.filter((name) => !withheld.some((one: string) => one === name));
      expect([table, exported.filter((name) => !opened.includes(name))]).toEqual([table, []]);
    }
  });

  const namesOf = (is: (entry: (typeof listedTables)[number][1]) => boolean) =>
    listedTables
      .filter(([, entry]) => is(entry))
      .map(([table]) => table)
      .toSorted();
});

describe('merge_patient', () => {
  test('moves the rows of every table as the list says', async () => {
    const { companyId } = await buildCompany(context);
    const [{ patientId: source }, { patientId: target }] = [
      await buildPatient(context, { companyId, phones: ['2125551234'] }),
      await buildPatient(context, { companyId }),
    ];
    await buildRecords(context, { companyId, patientId: source });
    const count = (table: string, patientId: number) =>
      column<number>(`select count(*)::int as value from ${table} where patient_id = $1`, [patientId]);
    for (const name of names) expect([name, (await count(name, source))[0]]).not.toEqual([name, 0]);
    await context.db.open({ kind: 'company', companyId }, (tx) =>
      sql`select merge_patient(${source}, ${target}, ${isoNow(context.clock)})`.execute(tx),
    );
    for (const [table, { merge }] of listedTables) {
      const [left = -1] = await count(table, source);
      const [there = -1] = await count(table, target);
      expect([table, left > 0, there > (table === 'patients' ? 1 : 0)]).toEqual([
        table,
        merge === 'stays',
        merge !== 'stays',
      ]);
    }
  });
});
