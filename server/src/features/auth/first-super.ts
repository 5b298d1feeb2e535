import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { makeOneTimeToken } from './one-time-token.ts';
import { hashPassword } from './passwords.ts';

/**
 * The first start of an empty installation makes its administrator: from SUPER_EMAIL and SUPER_PASSWORD, or with a link
 * that is printed once (the only place where a token may be printed).
 */
export async function makeFirstSuper(context: Context): Promise<void> {
  const { SUPER_EMAIL, SUPER_PASSWORD } = context.settings;
  const now = isoNow(context.clock);
  const empty = await context.db.open({ kind: 'door' }, async (tx) => {
    const { rows } = await sql<{ empty: boolean }>`select installation_is_empty() as empty`.execute(tx);
    return rows[0]?.empty === true;
  });
  if (!empty) return;
  const password_hash = SUPER_PASSWORD === null ? null : await hashPassword(SUPER_PASSWORD);
  const { user_id } = await context.db.open({ kind: 'super' }, (tx) =>
    tx
      .insertInto('users')
      .values({
        is_super: true,
        role_id: 'A',
        first_name: 'Super',
        last_name: 'Administrator',
        email: SUPER_EMAIL ?? 'super@roomside.invalid',
        password_hash,
        created_at: now,
      })
      .returning('user_id')
      .executeTakeFirstOrThrow(),
  );
  if (SUPER_EMAIL !== null) return;
  const token = await context.db.open({ kind: 'door' }, (tx) => makeOneTimeToken(tx, context, 'reset', user_id, now));
  process.stdout.write(`Set the administrator's password within an hour at ${context.publicUrl}/#/reset/${token}\n`);
}
