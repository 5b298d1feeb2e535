import { logout as call } from '@roomside/contract/auth/calls.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/database/database.ts';
import { endSignIn, endSignIns } from '../../platform/end-sign-ins.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { clearCookie, readCookie } from './cookies.ts';
import { requireOwnPage } from './own-page.ts';
import { isGenuine, readRefreshToken } from './refresh-token.ts';
import { actorOfRow, validityOf } from './renew.ts';
import { companyOfUser, lockUser } from './sign-in.ts';

/**
 * Revokes this sign-in, or with `everywhere` all of the user's. Without a sign-in, or when it has ended, it only clears the cookie.
 * A token that could not be renewed ends its own sign-in at most, so that a stolen old one cannot sign its user out again and again.
 */
export const logout = forAnyone(call, async ({ context, body, request, reply, now, address }) => {
  requireOwnPage(context, request);
  const token = readCookie(context, request, body.kind);
  clearCookie(context, reply, body.kind);
  const read = token === undefined ? null : readRefreshToken(token);
  if (!read) return undefined;
  await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    if (body.everywhere) await lockUserOf(tx, read.signInId);
    const row = await tx
      .selectFrom('sign_ins')
      .selectAll()
      .where('sign_in_id', '=', read.signInId)
      .where('kind', '=', body.kind)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .forUpdate()
      .executeTakeFirst();
    if (!row || !isGenuine(context.keys, read, row.seed)) return;
    const everywhere = body.everywhere === true && validityOf(context, row, read, now) === 'valid';
    await endSignIn({ tx, context, now }, row.sign_in_id);
    if (everywhere && row.user_id !== null) await endSignIns({ tx, context, now }, row.user_id);
    audit(tx, {
      caller: null,
      actor: actorOfRow(row),
      companyId: row.company_id ?? (await companyOfUser(tx, row.user_id)),
      at: now,
      action: everywhere ? 'logoutEverywhere' : call.name,
      path: call.path,
      objects: { signIn: row.sign_in_id },
      address,
      requestId: request.id,
    });
  });
  return undefined;
});

/** Before the sign-in's row, as all who end the sign-ins of a user. */
async function lockUserOf(tx: Tx, signInId: number): Promise<void> {
  const row = await tx.selectFrom('sign_ins').select('user_id').where('sign_in_id', '=', signInId).executeTakeFirst();
  if (row && row.user_id !== null) await lockUser(tx, row.user_id);
}
