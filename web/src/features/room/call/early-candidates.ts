import type { Signal } from './signal.ts';

type Candidate = NonNullable<Signal['candidate']>;

/** More are not expected for one description; the oldest are dropped. */
const maxHeld = 100;

/**
 * Candidates of the other side until the description that they belong to is applied. Signals may overtake each other when they are sent
 * again after a reconnect, and addIceCandidate throws without the description (W3C WebRTC, 4.4.2).
 */
export class EarlyCandidates {
  #held: { connection: string; candidate: Candidate }[] = [];

  /** Keeps a candidate of the other side's connection. */
  hold(connection: string, candidate: Candidate): void {
    this.#held.push({ connection, candidate });
    if (this.#held.length > maxHeld) this.#held.shift();
  }

  /** Returns and forgets the candidates of a connection that fit its current description. */
  take(connection: string, sdp: string): Candidate[] {
    const fits = (one: { connection: string; candidate: Candidate }) =>
      one.connection === connection && belongsTo(one.candidate, sdp);
    const taken = this.#held.filter(fits);
    this.#held = this.#held.filter((one) => !fits(one));
    return taken.map(({ candidate }) => candidate);
  }
}

/** An ICE restart changes the user name fragment (RFC 8839, 5.4). A candidate without one belongs to any description. */
function belongsTo({ usernameFragment }: Candidate, sdp: string): boolean {
  return !usernameFragment || sdp.includes(`a=ice-ufrag:${usernameFragment}\r\n`);
}
