import { HubError } from '@roomside/signalr';
import { audit } from '../../platform/audit.ts';
import type { PatientCaller, StaffCaller } from '../../platform/caller.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { openSignIn } from '../../platform/open-sign-in.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { MessagingContext } from './hub-types.ts';
import type { Room } from './visit-rows.ts';

type Participant = StaffCaller | PatientCaller;

interface Traced {
  readonly caller: Participant;
  readonly appointmentId: number;
  /** The hub's method, or what it meant. */
  readonly action: string;
  /** ISO 8601. */
  readonly at: string;
}

/** An audit row of a visit: one for a coming, a going or a message, none for a signal. */
export function auditHubCall(tx: Tx, ctx: MessagingContext, { caller, appointmentId, action, at }: Traced): void {
  audit(tx, {
    ...{ caller, at, action, path: '/messaging', objects: { appointmentId } },
    ...{ address: ctx.claims.address, requestId: ctx.connectionId },
  });
}

/** Work on a room that needs nobody's rights: what follows from somebody's coming or going. */
export function asJob<T>(
  { db }: Context,
  room: Room,
  work: (tx: Tx, afterCommit: AfterCommit) => Promise<T>,
): Promise<T> {
  return db.open({ kind: 'job', companyId: room.company_id }, work);
}

/**
 * A hub's method as an HTTP call: the session as it stands now, the work, the audit row, one transaction.
 * Throws `sign-in-ended`; for a Super, who has no rooms, `not-found`.
 */
export async function withSignIn<T>(
  { db, clock }: Context,
  ctx: MessagingContext,
  action: string,
  work: (tx: Tx, caller: Participant) => Promise<{ result: T; appointmentId: number }>,
): Promise<T> {
  const at = isoNow(clock);
  return db.begin(async (tx) => {
    const caller = await openSignIn(tx, ctx.claims.signInId, at);
    if (!caller) throw new Refusal('sign-in-ended');
    if (caller.kind === 'super') throw new HubError('not-found');
    const { result, appointmentId } = await work(tx, caller);
    auditHubCall(tx, ctx, { caller, appointmentId, action, at });
    return result;
  });
}
