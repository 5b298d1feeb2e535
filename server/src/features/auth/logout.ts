import { logout as call } from '@roomside/contract/auth/calls.ts';
import { audit } from '../../platform/audit.ts';
import { endSignIn, endSignIns } from '../../platform/end-sign-ins.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { clearCookie, readCookie } from './cookies.ts';
import { requireOwnPage } from './own-page.ts';
import { isGenuine, readRefreshToken } from './refresh-token.ts';
import { actorOfRow } from './renew.ts';
import { companyOfUser } from './sign-in.ts';

/** Revokes this sign-in, or with `everywhere` all of the user's. Without a sign-in it only clears the cookie. */
export const logout = forAnyone(call, async ({ context, body, request, reply, now, address }) => {
  requireOwnPage(context, request);
  const token = readCookie(context, request, body.kind);
  clearCookie(context, reply, body.kind);
  const read = token === undefined ? null : readRefreshToken(token);
  if (!read) return undefined;
  await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const row = await tx
      .selectFrom('sign_ins')
      .select(['sign_in_id', 'seed', 'user_id', 'patient_id', 'guest_id', 'company_id', 'revoked_at'])
      .where('sign_in_id', '=', read.signInId)
      .where('kind', '=', body.kind)
      .executeTakeFirst();
    if (!row || !isGenuine(context.keys, read, row.seed)) return;
    await endSignIn({ tx, context, now }, row.sign_in_id);
    if (body.everywhere && row.user_id !== null) await endSignIns({ tx, context, now }, row.user_id);
    if (row.revoked_at !== null && !body.everywhere) return;
    audit(tx, {
      caller: null,
      actor: actorOfRow(row),
      companyId: row.company_id ?? (await companyOfUser(tx, row.user_id)),
      at: now,
      action: body.everywhere ? 'logoutEverywhere' : call.name,
      path: call.path,
      objects: { signIn: row.sign_in_id },
      address,
      requestId: request.id,
    });
  });
  return undefined;
});
