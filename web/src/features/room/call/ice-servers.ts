import type { Clock } from '../core/clock.ts';

interface Parts {
  clock: Clock;
  initial: readonly RTCIceServer[];
  /** Reads the servers with new credentials. */
  read: () => Promise<readonly RTCIceServer[]>;
  /** New credentials have arrived. */
  onChange: (iceServers: RTCIceServer[]) => void;
}

/** Credentials of this age are not read again, ms. They are valid for an hour. */
const freshMs = 60_000;
/** A recovery does not wait longer for new credentials, ms. */
const patienceMs = 800;

/** The STUN and TURN servers of a room, with credentials that expire. */
export class IceServers {
  readonly #parts: Parts;
  #servers: readonly RTCIceServer[];
  #readAt: number;
  #pending: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#servers = parts.initial;
    this.#readAt = parts.clock.now();
  }

  /** True when a connection by relay only is possible. */
  get hasRelay(): boolean {
    return this.#servers.some(({ urls }) => [urls].flat().some((url) => url.startsWith('turn')));
  }

  /** Returns the configuration of a new connection. */
  configuration(relayOnly: boolean): RTCConfiguration {
    return { iceServers: [...this.#servers], ...(relayOnly && { iceTransportPolicy: 'relay' }) };
  }

  /** Reads new credentials unless they are new. Resolves after 0.8 s at the latest, also when the server cannot be reached. */
  async refresh(): Promise<void> {
    const { clock } = this.#parts;
    if (clock.now() - this.#readAt < freshMs) return;
    this.#pending ??= this.#read();
    let cancel: (() => void) | undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = clock.after(patienceMs, resolve);
    });
    await Promise.race([this.#pending, timeout]);
    cancel?.();
  }

  async #read(): Promise<void> {
    try {
      this.#servers = await this.#parts.read();
      this.#readAt = this.#parts.clock.now();
      this.#parts.onChange([...this.#servers]);
    } catch {
      // The old credentials may still be valid.
    } finally {
      this.#pending = undefined;
    }
  }
}
