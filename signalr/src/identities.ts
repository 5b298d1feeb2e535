import { texts } from './protocol/texts.ts';
import type { Connection } from './session/connection.ts';
import type { Clock } from './types.ts';

/** Two newcomers with one identity on two processes: younger than this, both count as new, ms. */
const sameMomentMs = 2_000;

/** Who has an identity, told to the other processes. */
export interface Claim {
  readonly key: string;
  readonly connectionId: string;
  readonly activatedAt: number;
}

/** Of the connections with one identity the newest stays, on this process and on the others (SPEC.md, I rules). */
export class Identities {
  readonly #owners = new Map<string, Connection>();
  readonly #clock: Clock;
  readonly #publish: (claim: Claim) => void;

  constructor(clock: Clock, publish: (claim: Claim) => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  /** The connection is the newest with this identity: an older one ends. */
  take(connection: Connection, identity: string): void {
    connection.identity = identity;
    const key = keyOf(connection);
    const older = this.#owners.get(key);
    this.#owners.set(key, connection);
    older?.end({ error: texts.replaced, reason: 'replaced' });
    this.#claim(key, connection);
  }

  /** A connection of another process has an identity that one of ours may have. */
  claimed({ key, connectionId, activatedAt }: Claim): void {
    const own = this.#owners.get(key);
    if (!own) return;
    // Both may be as new, and clocks differ: then each side compares the same, and whoever stays tells the other.
    const isAsNew = this.#clock.now() - own.activatedAt < sameMomentMs;
    const isNewer = own.activatedAt === activatedAt ? own.id > connectionId : own.activatedAt > activatedAt;
    if (isAsNew && isNewer) this.#claim(key, own);
    else own.end({ error: texts.replaced, reason: 'replaced' });
  }

  /** The connection is over. */
  release(connection: Connection): void {
    if (connection.identity === undefined) return;
    const key = keyOf(connection);
    if (this.#owners.get(key) === connection) this.#owners.delete(key);
  }

  #claim(key: string, { id, activatedAt }: Connection): void {
    this.#publish({ key, connectionId: id, activatedAt });
  }
}

/** Users cannot take over each other's connections, even when they know the key. */
function keyOf(connection: Connection): string {
  return `${connection.who.userId ?? ''}\n${connection.identity}`;
}
