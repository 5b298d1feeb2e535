import { factorError, signedOutError } from '@roomside/contract/room/messages.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context, SignInsOf } from '../../platform/context.ts';
import { onBehalfOf } from '../../platform/database/scope.ts';
import { serverShare } from '../../platform/database/turns.ts';
import { codeLifetime } from '../../platform/open-sign-in.ts';
import type { HubClaims, MessagingControl } from './hub-types.ts';
import { recordHubRefusal } from './visit-calls.ts';

type Claims = Pick<HubClaims, 'signInId' | 'role'>;

/** Open connections per person. People have a few tabs and devices, a script has hundreds. */
const maxConnections = 30;

type Connection = ReturnType<MessagingControl['connections']>[number];

function isOf({ signInId, role, personId, companyId }: HubClaims, of: SignInsOf): boolean {
  if ('signInId' in of) return signInId === of.signInId;
  if ('userId' in of) return role !== 'P' && role !== 'G' && personId === of.userId;
  if ('patientId' in of) return role === 'P' && personId === of.patientId;
  if ('guestId' in of) return role === 'G' && personId === of.guestId;
  return companyId === of.companyId;
}

/** Why connections are closed, by {@link keyOf}. */
type Revoked = ReadonlyMap<string, typeof signedOutError | typeof factorError>;

/** The role that the claims have in the database. */
const storedRole = ({ role }: Claims) => (role === 'Super' ? 'A' : role);

/** Connections of one sign-in may have different roles: the token of an earlier one may be from before the role changed. */
const keyOf = (claims: Claims) => `${claims.signInId} ${storedRole(claims)}`;

interface PendingCheck extends Claims {
  /** Null = the sign-in is valid. */
  resolve(why: typeof signedOutError | typeof factorError | null): void;
  reject(error: unknown): void;
}

/**
 * Closes connections whose sign-in has ended or whose role has changed, or whose user lacks a required second factor, and refuses new
 * ones. Needed because an access token
 * is valid for ten minutes. What ends a sign-in notifies all processes (platform/end-sign-ins.ts). All connections are also
 * checked every ten seconds: for what ends with time, and for messages that were lost. One per process.
 */
export class SignInWatch {
  readonly #context: Context;
  readonly #control: MessagingControl;
  readonly #connections = new Map<string, number>();
  #pending: PendingCheck[] = [];
  #isChecking = false;

  constructor(context: Context, control: MessagingControl) {
    this.#context = context;
    this.#control = control;
  }

  /**
   * Returns whether a new connection may join groups, and closes it otherwise. While the database is down the client is
   * asked to reconnect.
   */
  async admit(connectionId: string, userId: string, claims: HubClaims): Promise<boolean> {
    const control = this.#control;
    // Counted before the query, so that simultaneous connections all count.
    const open = (this.#connections.get(userId) ?? 0) + 1;
    this.#connections.set(userId, open);
    if (open > maxConnections) {
      recordHubRefusal(this.#context, { claims, connectionId }, 'connect', 'too-many');
      control.close(connectionId, { error: 'too-many', reason: 'auth' });
      return false;
    }
    try {
      const error = await this.#check(claims);
      if (error === null) return true;
      const reason = error === signedOutError ? 'sign-in-ended' : error;
      recordHubRefusal(this.#context, { claims, connectionId }, 'connect', reason);
      control.close(connectionId, { error, reason: 'auth' });
    } catch {
      control.close(connectionId, { allowReconnect: true });
    }
    return false;
  }

  /** Call once for each {@link admit}, when the connection has closed. */
  release(userId: string): void {
    const open = (this.#connections.get(userId) ?? 0) - 1;
    if (open > 0) this.#connections.set(userId, open);
    else this.#connections.delete(userId);
  }

  /** Closes all connections whose sign-ins have ended. */
  closeRevoked(): Promise<void> {
    return this.#closeRevokedOf(this.#control.connections());
  }

  /** Closes those connections of these sign-ins that have ended. */
  closeEnded(of: SignInsOf): Promise<void> {
    return this.#closeRevokedOf(this.#control.connections().filter(({ claims }) => isOf(claims, of)));
  }

  async #closeRevokedOf(connections: readonly Connection[]): Promise<void> {
    const control = this.#control;
    if (connections.length === 0) return;
    const revoked = await this.#revokedOf(connections.map(({ claims }) => claims));
    for (const { connectionId, claims } of connections) {
      const error = revoked.get(keyOf(claims));
      if (error) control.close(connectionId, { error, reason: 'auth' });
    }
  }

  /** Checks many connections by one query: after a restart all clients connect within seconds. */
  #check({ signInId, role }: Claims): Promise<Parameters<PendingCheck['resolve']>[0]> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ signInId, role, resolve, reject });
      if (!this.#isChecking) void this.#checkPending();
    });
  }

  async #checkPending(): Promise<void> {
    this.#isChecking = true;
    while (this.#pending.length > 0) {
      const checks = this.#pending;
      this.#pending = [];
      try {
        const revoked = await this.#revokedOf(checks);
        for (const check of checks) check.resolve(revoked.get(keyOf(check)) ?? null);
      } catch (error) {
        for (const { reject } of checks) reject(error);
      }
    }
    this.#isChecking = false;
  }

  #revokedOf(claims: readonly Claims[]): Promise<Revoked> {
    const pairs = [...new Map(claims.map((each) => [keyOf(each), each])).values()];
    const ids = pairs.map(({ signInId }) => signInId);
    const roles = pairs.map(storedRole);
    const { db, clock } = this.#context;
    return onBehalfOf(serverShare, () =>
      db.open({ kind: 'unauthenticated' }, async (tx) => {
        // An ended sign-in takes precedence over a missing factor.
        const { rows } = await sql<{
          key: string;
          lacks_factor: boolean;
        }>`select id || ' ' || role as key, bool_and(lacks_factor) as lacks_factor
          from revoked_sign_ins(${ids}, ${roles}, ${isoNow(clock)}, ${codeLifetime}) group by id, role`.execute(tx);
        return new Map(rows.map(({ key, lacks_factor }) => [key, lacks_factor ? factorError : signedOutError]));
      }),
    );
  }
}
