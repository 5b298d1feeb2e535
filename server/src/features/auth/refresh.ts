import { refresh as call } from '@roomside/contract/auth/calls.ts';
import { makeAccessToken } from '../../platform/access-token.ts';
import type { Context } from '../../platform/context.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { openSession } from '../../platform/session.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';
import { isGenuine, makeRefreshToken, readRefreshToken } from './refresh-token.ts';
import { requireOwnPage } from './own-page.ts';

/** The previous token stays good so long, and yields the same successor: tabs race, answers get lost. ms */
const graceMs = 30_000;
/** Without input, staff may be renewed this much longer than the screen's own limit, ms. */
const idleSlackMs = 11 * 60_000;

/** Rotation with reuse detection: a replay after the grace ends the whole family at once (decisions, 2). */
export const refresh = forAnyone(call, async ({ context, body, request, reply, now }) => {
  requireOwnPage(context, request);
  const { kind, active } = body;
  const token = readCookie(context, request, kind);
  const read = token === undefined ? null : readRefreshToken(token);
  const renewed =
    read && (await context.db.open({ kind: 'door' }, (tx) => renew(tx, context, read, kind, active, now)));
  if (!renewed) {
    if (token !== undefined) clearCookie(context, reply, kind);
    return { signedIn: false as const };
  }
  setCookie(context, reply, kind, renewed.refreshToken, renewed.remember);
  return { signedIn: true as const, accessToken: await makeAccessToken(context, renewed.caller) };
});

type Read = NonNullable<ReturnType<typeof readRefreshToken>>;
type Tx = Parameters<Parameters<Context['db']['begin']>[0]>[0];

async function renew(tx: Tx, context: Context, read: Read, kind: 'staff' | 'patient', active: boolean, now: string) {
  const row = await tx
    .selectFrom('sign_ins')
    .selectAll()
    .where('sign_in_id', '=', read.signInId)
    .where('kind', '=', kind)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!row || !isGenuine(context.keys, read, row.seed)) return null;
  const since = (at: string) => Date.parse(now) - Date.parse(at);
  const idleMs = context.settings.IDLE_MINUTES * 60_000 + idleSlackMs;
  const idle = kind === 'staff' && !row.remember && !active && since(row.active_at) > idleMs;
  const replayed =
    read.counter !== row.counter && !(read.counter === row.counter - 1 && since(row.rotated_at) <= graceMs);
  const update = tx.updateTable('sign_ins').where('sign_in_id', '=', row.sign_in_id);
  if (replayed || idle) {
    await update.set({ revoked_at: now }).execute();
    if (replayed) context.log.warn({ signIn: row.sign_in_id }, 'a used refresh token came back: sign-in ended');
    return null;
  }
  const counter = read.counter === row.counter ? row.counter + 1 : row.counter;
  await update
    .set({ counter, ...(counter !== row.counter && { rotated_at: now }), ...(active && { active_at: now }) })
    .execute();
  const caller = await openSession(tx, row.sign_in_id, now);
  if (!caller) return null;
  return { caller, remember: row.remember, refreshToken: makeRefreshToken(context.keys, row, counter) };
}
