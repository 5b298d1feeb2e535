import { texts } from './protocol/texts.ts';
import type { Connection } from './session/connection.ts';
import type { Clock } from './types.ts';

/** Two connections with one identity on two nodes count as simultaneous while younger than this, ms. */
const concurrentMs = 2_000;

/** The message to other nodes that a connection has an identity. */
export interface Claim {
  readonly key: string;
  readonly connectionId: string;
  readonly activatedAt: number;
}

/** Keeps only the newest connection with an identity, on this node and on the others (SPEC.md, E3). */
export class Identities {
  readonly #newest = new Map<string, Connection>();
  readonly #clock: Clock;
  readonly #publish: (claim: Claim) => void;

  constructor(clock: Clock, publish: (claim: Claim) => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  /** Makes this connection the newest with the identity, and closes an older one. */
  claim(connection: Connection, identity: string): void {
    connection.identity = identity;
    const key = keyOf(connection);
    const older = this.#newest.get(key);
    this.#newest.set(key, connection);
    older?.end({ error: texts.replaced, reason: 'replaced' });
    this.#publishClaim(key, connection);
  }

  /** A connection of another node has claimed an identity: closes a connection of this node that has the same one. */
  onRemoteClaim({ key, connectionId, activatedAt }: Claim): void {
    const own = this.#newest.get(key);
    if (!own) return;
    // Both may be new, and the clocks differ. Both nodes compare the same values; the node with the newer connection repeats its claim.
    const isSimultaneous = this.#clock.now() - own.activatedAt < concurrentMs;
    const isNewer = own.activatedAt === activatedAt ? own.id > connectionId : own.activatedAt > activatedAt;
    if (isSimultaneous && isNewer) this.#publishClaim(key, own);
    else own.end({ error: texts.replaced, reason: 'replaced' });
  }

  /** The connection has ended. */
  release(connection: Connection): void {
    if (connection.identity === undefined) return;
    const key = keyOf(connection);
    if (this.#newest.get(key) === connection) this.#newest.delete(key);
  }

  #publishClaim(key: string, { id, activatedAt }: Connection): void {
    this.#publish({ key, connectionId: id, activatedAt });
  }
}

/** The key includes the user, so that users cannot replace each other's connections. */
function keyOf(connection: Connection): string {
  return `${connection.user.userId ?? ''}\n${connection.identity}`;
}
