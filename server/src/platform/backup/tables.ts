import type pg from 'pg';
import { DEFINER_ROLE } from '../database/migrate.ts';

/** A table with its stored columns; generated ones are computed when it is restored. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Returns all tables except those about the schema, parents before children. */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; parents: string[] }>(`
    select c.relname as name,
      array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = '' order by a.attnum) as columns,
      array(select distinct p.relname::text from pg_constraint k join pg_class p on p.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> k.conrelid) as parents
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname not in ('schema_migrations', 'schema_functions')
    order by c.relname`);
  const ordered: Table[] = [];
  const placed = new Set<string>();
  let remaining = rows;
  while (remaining.length > 0) {
    const ready = remaining.filter(({ parents }) => parents.every((parent) => placed.has(parent)));
    if (ready.length === 0)
      throw new Error(`Tables refer to each other: ${remaining.map(({ name }) => name).join(', ')}.`);
    for (const { name, columns } of ready) {
      placed.add(name);
      ordered.push({ name, columns });
    }
    remaining = remaining.filter(({ name }) => !placed.has(name));
  }
  return ordered;
}

/** Returns the months (YYYY-MM) with a partition of the audit log. */
export async function listAuditMonths(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ month: string }>(
    `select replace(substring(c.relname from '^audit_log_(\\d{4}_\\d{2})$'), '_', '-') as month
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'audit_log'::regclass and c.relname ~ '^audit_log_\\d{4}_\\d{2}$' order by 1`,
  );
  return rows.map(({ month }) => month);
}

export interface Sequence {
  readonly name: string;
  /** The last value, as text, since it may exceed a number's range; '0' = none yet. */
  readonly last: string;
}

export async function listSequences(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(
    `select sequencename as name, coalesce(last_value, 0)::text as last from pg_sequences where schemaname = 'public'
     order by sequencename`,
  );
  return rows;
}

/**
 * Lets the rest of the transaction access all rows. The owner is bound by row-level policies; the definer's role is not, and
 * is granted the missing rights in this transaction.
 */
export async function passPolicies(client: pg.Client, rights: 'select' | 'select, insert, delete'): Promise<void> {
  await client.query(`grant ${rights} on all tables in schema public to ${DEFINER_ROLE}`);
  await client.query(`set local role ${DEFINER_ROLE}`);
}

export const quote = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
