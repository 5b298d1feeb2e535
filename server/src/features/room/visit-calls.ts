import { HubError } from '@roomside/signalr';
import { audit } from '../../platform/audit.ts';
import type { RoomCaller } from '../../platform/caller.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { openSignIn } from '../../platform/open-sign-in.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { MessagingContext } from './hub-types.ts';
import type { Room } from './visit-rows.ts';

interface HubCallAudit {
  readonly caller: RoomCaller;
  readonly appointmentId: number;
  /** The hub's method, or its effect (`Ready`, `EndVisit`). */
  readonly action: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Writes an audit row for entering, leaving, video or a chat message. Signaling is not audited. */
export function auditHubCall(tx: Tx, ctx: MessagingContext, { caller, appointmentId, action, at }: HubCallAudit): void {
  audit(tx, {
    caller,
    at,
    action,
    path: '/messaging',
    objects: { appointmentId },
    address: ctx.claims.address,
    requestId: ctx.connectionId,
  });
}

/** Records a refused hub method or connection, which may be part of an attack. */
export function recordHubRefusal(
  { security }: Pick<Context, 'security'>,
  { claims, connectionId }: Pick<MessagingContext, 'claims' | 'connectionId'>,
  action: string,
  reason: string,
): void {
  const { role, personId, companyId = null, address } = claims;
  const actor = `${role}_${personId}`;
  security.record({ action, path: '/messaging', reason, actor, companyId, address, requestId: connectionId });
}

/** Runs work on a room without a person's rights: what follows when a peer enters or leaves. */
export function asJob<T>(
  { db }: Context,
  room: Room,
  work: (tx: Tx, afterCommit: AfterCommit) => Promise<T>,
): Promise<T> {
  return db.open({ kind: 'job', companyId: room.company_id }, work);
}

/**
 * Runs a hub method like an HTTP call, in one transaction: reads the sign-in, runs the work, writes the audit row.
 *
 * @throws Refusal `sign-in-ended` or `second-factor-required`; HubError `not-found` for a Super, who has no rooms
 */
export async function withSignIn<T>(
  { db, clock }: Context,
  ctx: MessagingContext,
  action: string,
  work: (tx: Tx, caller: RoomCaller) => Promise<{ result: T; appointmentId: number }>,
): Promise<T> {
  const at = isoNow(clock);
  return db.begin(async (tx) => {
    const caller = await openSignIn(tx, ctx.claims.signInId, at);
    if (!caller) throw new Refusal('sign-in-ended');
    if (caller.kind === 'super') throw new HubError('not-found');
    if (caller.kind === 'staff' && caller.secondFactor === 'missing') throw new Refusal('second-factor-required');
    const { result, appointmentId } = await work(tx, caller);
    auditHubCall(tx, ctx, { caller, appointmentId, action, at });
    return result;
  });
}
