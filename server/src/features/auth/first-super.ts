import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { createOneTimeToken } from '../../platform/one-time-token.ts';
import { searchTextOf } from '../../platform/user-search.ts';
import { isEasyToGuess } from './password-strength.ts';

/**
 * Creates the first Super of an installation that has none who can sign in: from SUPER_EMAIL and SUPER_PASSWORD, or with a
 * link that is printed. No other code may print a token.
 *
 * @throws Error (one sentence) when SUPER_PASSWORD is too easy to guess
 */
export async function createFirstSuper(context: Context): Promise<void> {
  const { SUPER_EMAIL, SUPER_PASSWORD } = context.settings;
  const now = isoNow(context.clock);
  const pendingId = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{ id: number | null }>`select super_to_welcome() as id`.execute(tx);
    return rows[0]?.id ?? null;
  });
  if (pendingId === null) return;
  if (pendingId !== 0) return printLink(pendingId);
  if (SUPER_PASSWORD !== null && (await isEasyToGuess(SUPER_PASSWORD, [SUPER_EMAIL ?? '']))) {
    throw new Error('SUPER_PASSWORD is too easy to guess: choose another one.');
  }
  const password_hash = SUPER_PASSWORD === null ? null : await context.passwords.hash(SUPER_PASSWORD, 'known');
  const [firstName, lastName, email] = ['Super', 'Administrator', SUPER_EMAIL ?? 'super@roomside.invalid'];
  const { user_id } = await context.db.open({ kind: 'super' }, (tx) =>
    tx
      .insertInto('users')
      .values({
        is_super: true,
        role_id: 'A',
        first_name: firstName,
        last_name: lastName,
        email,
        search: searchTextOf({ firstName, lastName, email }),
        password_hash,
        created_at: now,
      })
      .returning('user_id')
      .executeTakeFirstOrThrow(),
  );
  if (SUPER_EMAIL === null) await printLink(user_id);

  /** Prints a link at every start until one was used, since the first may have been missed. */
  async function printLink(userId: number): Promise<void> {
    const token = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      createOneTimeToken(tx, context, 'reset', userId, now),
    );
    process.stdout.write(`Set the administrator's password within an hour at ${context.publicUrl}/#/reset/${token}\n`);
  }
}
