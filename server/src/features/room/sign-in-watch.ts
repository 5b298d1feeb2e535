import { factorError, signedOutError } from '@roomside/contract/room/messages.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context, SignInsOf } from '../../platform/context.ts';
import { onBehalfOf } from '../../platform/database/scope.ts';
import { serverShare } from '../../platform/database/turns.ts';
import { codeLifetime } from '../../platform/open-sign-in.ts';
import type { HubClaims, MessagingControl } from './hub-types.ts';

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

/** Why a connection is closed, by sign-in. */
type Revoked = ReadonlyMap<number, typeof signedOutError | typeof factorError>;

interface PendingCheck extends Claims {
  /** Null = the sign-in is valid. */
  resolve(why: typeof signedOutError | typeof factorError | null): void;
  reject(error: unknown): void;
}

/**
 * Closes connections whose sign-in has ended or whose role has changed, or whose user lacks a required second factor, and refuses new
 * ones. Needed because an access token
 * is valid for ten minutes. What ends a sign-in tells all processes (platform/end-sign-ins.ts). All connections are also
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
      control.close(connectionId, { error: 'too-many', reason: 'auth' });
      return false;
    }
    try {
      const error = await this.#check(claims);
      if (error === null) return true;
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
      const error = revoked.get(claims.signInId);
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
        for (const { signInId, resolve } of checks) resolve(revoked.get(signInId) ?? null);
      } catch (error) {
        for (const { reject } of checks) reject(error);
      }
    }
    this.#isChecking = false;
  }

  #revokedOf(claims: readonly Claims[]): Promise<Revoked> {
    const roles = new Map(claims.map(({ signInId, role }) => [signInId, role === 'Super' ? 'A' : role]));
    const { db, clock } = this.#context;
    return onBehalfOf(serverShare, () =>
      db.open({ kind: 'unauthenticated' }, async (tx) => {
        // An ended sign-in takes precedence over a missing factor.
        const { rows } = await sql<{
          id: number;
          lacks_factor: boolean;
        }>`select id, bool_and(lacks_factor) as lacks_factor
          from revoked_sign_ins(${[...roles.keys()]}, ${[...roles.values()]}, ${isoNow(clock)}, ${codeLifetime}) group by id`.execute(
          tx,
        );
        return new Map(rows.map(({ id, lacks_factor }) => [id, lacks_factor ? factorError : signedOutError]));
      }),
    );
  }
}
