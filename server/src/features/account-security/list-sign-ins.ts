import { listSignIns as call } from '@roomside/contract/account-security/calls.ts';
import { sql } from 'kysely';
import { forUsers } from '../../platform/http/handler.ts';
import { maxIdleMs } from '../auth/renew.ts';

interface Row {
  sign_in_id: number;
  browser: string;
  system: string;
  network: string;
  remember: boolean;
  created_at: string;
  active_at: string;
}

/** The caller's sign-ins that still work: those that were idle for too long cannot be renewed and are left out. */
export const listSignIns = forUsers(call, async ({ context, caller, tx, now }) => {
  const { rows } = await sql<Row>`select * from user_sign_ins(${caller.userId}, ${now})`.execute(tx);
  const isThis = (row: Row) => row.sign_in_id === caller.signInId;
  const isLive = (row: Row) =>
    isThis(row) || Date.parse(now) - Date.parse(row.active_at) <= maxIdleMs(context.settings, row.remember);
  const byUse = (a: Row, b: Row) => Date.parse(b.active_at) - Date.parse(a.active_at);
  return {
    data: rows
      .filter(isLive)
      .toSorted((a, b) => Number(isThis(b)) - Number(isThis(a)) || byUse(a, b))
      .map((row) => ({
        signInId: row.sign_in_id,
        browser: row.browser,
        system: row.system,
        network: row.network,
        signedInAt: row.created_at,
        lastUsedAt: row.active_at,
        isThis: isThis(row),
      })),
  };
});
