import type { Call } from '@roomside/contract/call.ts';
import type { FastifyRequest } from 'fastify';
import { type SqlBool, sql } from 'kysely';
import type { AuditObjects } from '../audit-objects.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../database/database.ts';
import { Refusal } from '../refusal.ts';

/** Keys are unique per company and actor. An administrator of the installation has no company. */
interface KeyOwner {
  companyId: number | null;
  actor: string;
}

interface Input {
  context: Pick<Context, 'keys'>;
  now: string;
  request: FastifyRequest;
  params?: unknown;
  body?: unknown;
}

/**
 * With an `Idempotency-Key` a repeated request returns the result of the first one, and does not run `work` again. `objects` are those of the
 * request's audit row: a repeat, which shows the same data, gets those of the first one.
 *
 * @throws Refusal `key-reused` when the key was used for another call or body
 */
export async function withIdempotency<T>(
  tx: Tx,
  { owner, objects }: { owner: KeyOwner; objects: AuditObjects },
  call: Call,
  input: Input,
  work: () => Promise<T>,
): Promise<T> {
  const key = input.request.headers['idempotency-key'];
  if (key === undefined) return work();
  if (typeof key !== 'string' || key.length < 8 || key.length > 100) throw new Refusal('malformed');
  // A keyed hash, since the plain hash of a short text can be guessed.
  const body_hash = input.context.keys.mac('body', JSON.stringify([input.params ?? null, input.body ?? null]));
  const row = {
    company_id: owner.companyId,
    actor: owner.actor,
    key,
    call: call.name,
    body_hash,
    created_at: input.now,
  };
  const company = owner.companyId === null ? sql`company_id is null` : sql`company_id = ${owner.companyId}`;
  const isOwn = sql<SqlBool>`${company} and actor = ${owner.actor} and key = ${key}`;
  // A simultaneous request with the same key waits here for the other's commit.
  const inserted = await tx
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((c) => c.doNothing())
    .returning('key')
    .execute();
  if (inserted.length === 0) {
    const stored = await tx
      .selectFrom('idempotency_keys')
      .select(['call', 'body_hash', 'result', 'objects'])
      .where(isOwn)
      .executeTakeFirstOrThrow();
    if (stored.call !== call.name || !stored.body_hash.equals(body_hash)) throw new Refusal('key-reused');
    Object.assign(objects, stored.objects);
    return stored.result as T;
  }
  const result = await work();
  await tx
    .updateTable('idempotency_keys')
    .set({ ...(result !== undefined && { result: JSON.stringify(result) }), objects: JSON.stringify(objects) })
    .where(isOwn)
    .execute();
  return result;
}
