import { signedOutError } from '@roomside/contract/room/messages.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { onBehalfOf } from '../../platform/database/scope.ts';
import { serverShare } from '../../platform/database/turns.ts';
import { codeLives } from '../../platform/open-sign-in.ts';
import type { HubClaims, MessagingControl } from './hub-types.ts';

type Claims = Pick<HubClaims, 'signInId' | 'role'>;

/** Live connections of one person; people have a few tabs and devices, a script has hundreds. */
const maxConnections = 30;

interface Asked extends Claims {
  resolve(stands: boolean): void;
  reject(error: unknown): void;
}

/**
 * Keeps connections in step with their sign-ins: a connection whose sign-in has ended, or whose role has changed, joins
 * nothing, and is closed within a second where it is open already. A token alone is good for ten minutes. One per process.
 */
export class SignInWatch {
  readonly #context: Context;
  readonly #control: MessagingControl;
  readonly #connections = new Map<string, number>();
  #asked: Asked[] = [];
  #isAsking = false;

  constructor(context: Context, control: MessagingControl) {
    this.#context = context;
    this.#control = control;
  }

  /**
   * Whether a new connection may join anything; closes it otherwise. While the database is away it is sent to connect
   * again: only the database knows.
   */
  async admit(connectionId: string, userId: string, claims: HubClaims): Promise<boolean> {
    const control = this.#control;
    // Counted before the question, so that many simultaneous ones all count.
    const open = (this.#connections.get(userId) ?? 0) + 1;
    this.#connections.set(userId, open);
    if (open > maxConnections) {
      control.close(connectionId, { error: 'too-many', reason: 'auth' });
      return false;
    }
    try {
      if (await this.#stands(claims)) return true;
      control.close(connectionId, { error: signedOutError, reason: 'auth' });
    } catch {
      control.close(connectionId, { allowReconnect: true });
    }
    return false;
  }

  /** A connection that {@link admit} was asked about is gone. */
  release(userId: string): void {
    const open = (this.#connections.get(userId) ?? 0) - 1;
    if (open > 0) this.#connections.set(userId, open);
    else this.#connections.delete(userId);
  }

  /** Closes the connections whose sign-ins have ended. */
  async closeRevoked(): Promise<void> {
    const control = this.#control;
    const connections = control.connections();
    if (connections.length === 0) return;
    const revoked = await this.#revokedOf(connections.map(({ claims }) => claims));
    for (const { connectionId, claims } of connections) {
      if (revoked.has(claims.signInId)) control.close(connectionId, { error: signedOutError, reason: 'auth' });
    }
  }

  /** Asked for many connections in one query: after a restart all come in a few seconds. */
  #stands({ signInId, role }: Claims): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ signInId, role, resolve, reject });
      if (!this.#isAsking) void this.#askAll();
    });
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    while (this.#asked.length > 0) {
      const asked = this.#asked;
      this.#asked = [];
      try {
        const revoked = await this.#revokedOf(asked);
        for (const { signInId, resolve } of asked) resolve(!revoked.has(signInId));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    this.#isAsking = false;
  }

  #revokedOf(claims: readonly Claims[]): Promise<ReadonlySet<number>> {
    const roles = new Map(claims.map(({ signInId, role }) => [signInId, role === 'Super' ? 'A' : role]));
    const { db, clock } = this.#context;
    return onBehalfOf(serverShare, () =>
      db.open({ kind: 'unauthenticated' }, async (tx) => {
        const { rows } = await sql<{ id: number }>`select revoked_sign_ins as id
          from revoked_sign_ins(${[...roles.keys()]}, ${[...roles.values()]}, ${isoNow(clock)}, ${codeLives})`.execute(
          tx,
        );
        return new Set(rows.map((row) => row.id));
      }),
    );
  }
}
