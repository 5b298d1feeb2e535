import type { Clock } from '../core/clock.ts';

/** What an attempt does: new ICE candidates, a new RTCPeerConnection, or a new one that uses TURN servers only. */
export type Rung = 'restart' | 'rebuild' | 'relay';

/** STATE-22, CONST-5. */
export const recoveryTimes = {
  /** Time in 'disconnected' before the first attempt. */
  reconnectMs: 1_000,
  /** Time for the first connection. */
  firstMs: 15_000,
  /**
   * Time for an attempt, counted again when the other side's description arrives. A browser repeats requests to a TURN server 0.25,
   * 0.75, 1.75 and 3.75 s after the first one, so a link that returns is used within 2 s.
   */
  attemptMs: { restart: 4_000, rebuild: 5_000, relay: 5_000 } satisfies Record<Rung, number>,
  /** The largest random addition to the time for an attempt, so that two peers do not act at the same time again and again. */
  jitter: 0.2,
  /** Least time between two attempts. */
  gapMs: 1_000,
  /** Least time between two restarts of a connection that works. */
  changeGapMs: 10_000,
  /** Time that the side that repairs has for its offer before the other one makes one, when something that both see is back. */
  turnMs: 500,
  /** Time after a repair in which the connection is not taken for one that works. */
  settleMs: 5_000,
} as const;

/** Restarts before a new connection is built. */
const maxRestarts = 3;

/** The attempts since the connection worked. */
interface Tries {
  readonly restarts: number;
  readonly rebuilds: number;
}
const none: Tries = { restarts: 0, rebuilds: 0 };

interface Possible {
  /** The connection has worked before; one that was never negotiated cannot be restarted. */
  readonly restart: boolean;
  /** There is a TURN server. */
  readonly relay: boolean;
}

/** The next attempt: up to three restarts, a new connection, a new one by relay only; then the last two in turn. */
export function nextRung(tries: Tries, can: Possible): Rung {
  if (can.restart && tries.restarts < maxRestarts) return 'restart';
  return can.relay && tries.rebuilds % 2 === 1 ? 'relay' : 'rebuild';
}

/**
 * idle: there is no connection. connecting: the first one is being negotiated. unstable: disconnected for less than the timeout.
 * frozen: connected, but nothing arrives; a restart was tried. recovering: an attempt is in progress. waiting: an attempt needs the hub.
 * Each state is a new object, so that results that belong to an earlier one are dropped.
 */
type State =
  | { readonly name: 'idle' | 'connecting' | 'connected' | 'unstable' | 'frozen' }
  | { readonly name: 'recovering' | 'waiting'; readonly tries: Tries };

interface Parts {
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  /** This side repairs the connection; the other one waits twice as long. */
  leads: () => boolean;
  /** False while the hub is disconnected: nothing can be negotiated. */
  canSignal: () => boolean;
  /** The connection does not work: the hub's may not either, and look as if it did. */
  checkSignal: () => void;
  /** There is a TURN server. */
  hasRelay: () => boolean;
  /** Renews the TURN credentials. Resolves also when that failed or takes long. */
  refresh: () => Promise<void>;
  /** Makes an attempt. `rebuild` and `relay` call `begin`. */
  attempt: (rung: Rung) => void;
  /** The connection is lost; once for each failure. */
  onLost: (why: 'lost' | 'frozen') => void;
  onLive: () => void;
}

/**
 * The recovery of one connection: when to restart ICE, when to replace the connection, and when to wait for the hub. It does not
 * know WebRTC: the peer reports what happens and makes the attempts.
 */
export class Recovery {
  readonly #parts: Parts;
  #state: State = { name: 'idle' };
  #cancel: (() => void) | undefined;
  /** The current connection has been connected. */
  #hasWorked = false;
  #isLost = false;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #repairedAt = Number.NEGATIVE_INFINITY;
  /** When the other side's description arrived in 'unstable'. */
  #progressedAt = Number.NEGATIVE_INFINITY;
  /** The device has another network, and the hub was away: ICE is restarted when it is back. */
  #isRestartDue = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get state(): State['name'] {
    return this.#state.name;
  }

  /** The connection is lost or frozen, or was a moment ago. */
  get isBroken(): boolean {
    const isRepaired =
      this.#state.name === 'connected' && this.#parts.clock.now() - this.#repairedAt > recoveryTimes.settleMs;
    return this.#hasWorked && !isRepaired;
  }

  /** A new connection was created, by this side or because the other side did. */
  begin(): void {
    this.#hasWorked = false;
    switch (this.#state.name) {
      case 'recovering':
        this.#arm(this.#patience('rebuild'));
        break;
      case 'waiting':
      case 'unstable':
      case 'frozen':
      case 'connected':
        // The other side has replaced the connection.
        this.#become({ name: 'recovering', tries: { restarts: maxRestarts, rebuilds: 1 } });
        this.#arm(this.#patience('rebuild'));
        break;
      default:
        this.#become({ name: 'connecting' });
        this.#arm(recoveryTimes.firstMs * this.#turn);
    }
  }

  /** Stops all attempts. */
  end(): void {
    this.#become({ name: 'idle' });
    this.#hasWorked = false;
  }

  connected(): void {
    this.#hasWorked = true;
    // ICE is connected all the time while a peer is frozen.
    if (this.#state.name !== 'frozen') this.#works();
  }

  disconnected(): void {
    if (this.#state.name !== 'connected') return;
    this.#progressedAt = Number.NEGATIVE_INFINITY;
    this.#become({ name: 'unstable' });
    this.#parts.checkSignal();
    this.#arm(recoveryTimes.reconnectMs * this.#turn);
  }

  failed(): void {
    if (this.#state.name === 'idle' || this.#state.name === 'waiting') return;
    // Both sides fail at the same time; the one that repairs begins.
    if (this.#parts.leads()) this.#next();
    else this.#arm(recoveryTimes.reconnectMs);
  }

  /** The connection is connected, but nothing arrives. */
  frozen(): void {
    if (this.#state.name !== 'connected') return;
    this.#lose('frozen');
    this.#become({ name: 'frozen' });
    this.#restartQuietly();
  }

  /** A restart did not help. */
  stillFrozen(): void {
    if (this.#state.name === 'frozen') this.#attempt({ restarts: maxRestarts, rebuilds: 0 });
  }

  thawed(): void {
    if (this.#state.name === 'frozen') this.#works();
  }

  /** Builds another connection immediately: nothing can be repaired in this one, nor negotiated. */
  replace(): void {
    this.#lose('lost');
    this.#become({ name: 'recovering', tries: { restarts: maxRestarts, rebuilds: 1 } });
    this.#attemptedAt = this.#parts.clock.now();
    this.#parts.attempt('rebuild');
  }

  /** The other side's description has arrived: the attempt gets its full time. */
  progressed(): void {
    if (this.#state.name === 'recovering') this.#arm(this.#patience(this.#hasWorked ? 'restart' : 'rebuild'));
    else if (this.#state.name === 'unstable') this.#progressedAt = this.#parts.clock.now();
  }

  /** The hub, the page or the other side is back: an attempt is worth it now. The side that repairs makes it. */
  retryNow(): void {
    if (this.#isRestartDue) return this.networkChanged();
    this.#retry(this.#parts.leads() ? 0 : recoveryTimes.turnMs);
  }

  /** This device has another network: new candidates are needed even when the connection still works. */
  networkChanged(): void {
    this.#progressedAt = Number.NEGATIVE_INFINITY;
    if (this.#state.name !== 'connected') return this.#retry(0);
    const rest = this.#attemptedAt + recoveryTimes.changeGapMs - this.#parts.clock.now();
    if (rest > 0) {
      this.#cancel?.();
      this.#cancel = this.#parts.clock.after(rest, () => this.networkChanged());
    } else if (this.#parts.canSignal()) this.#restartQuietly();
    else this.#isRestartDue = true;
  }

  #retry(afterMs: number): void {
    const { name } = this.#state;
    if (name !== 'waiting' && name !== 'recovering' && name !== 'unstable') return;
    if (afterMs === 0) return this.#next(none);
    if (name !== 'unstable') this.#become({ name: 'recovering', tries: none });
    this.#arm(afterMs);
  }

  /** 1 for the side that repairs, 2 for the other. */
  get #turn(): 1 | 2 {
    return this.#parts.leads() ? 1 : 2;
  }

  #patience(rung: Rung): number {
    const { attemptMs, jitter } = recoveryTimes;
    return attemptMs[rung] * this.#turn * (1 + jitter * this.#parts.random());
  }

  #works(): void {
    if (this.#state.name !== 'connecting' && this.#state.name !== 'connected')
      this.#repairedAt = this.#parts.clock.now();
    this.#become({ name: 'connected' });
    this.#isLost = false;
    this.#parts.onLive();
  }

  #lose(why: 'lost' | 'frozen'): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#parts.onLost(why);
  }

  /** Makes the next attempt, but not two within a second, and none while the first one of the other side has time. */
  #next(tries = 'tries' in this.#state ? this.#state.tries : none): void {
    this.#lose('lost');
    const isTheirTurn = this.#state.name === 'unstable' && !this.#parts.leads();
    const theirs = isTheirTurn ? this.#progressedAt + this.#patience('restart') : 0;
    const rest = Math.max(this.#attemptedAt + recoveryTimes.gapMs, theirs) - this.#parts.clock.now();
    if (rest <= 0) return this.#attempt(tries);
    this.#become({ name: 'recovering', tries });
    this.#arm(rest);
  }

  #attempt(tries: Tries): void {
    const { canSignal, checkSignal, hasRelay, attempt, clock } = this.#parts;
    checkSignal();
    if (!canSignal()) {
      this.#become({ name: 'waiting', tries });
      return;
    }
    const rung = nextRung(tries, { restart: this.#hasWorked, relay: hasRelay() });
    const { restarts, rebuilds } = tries;
    const after = rung === 'restart' ? { restarts: restarts + 1, rebuilds } : { restarts, rebuilds: rebuilds + 1 };
    const state = this.#become({ name: 'recovering', tries: after });
    this.#attemptedAt = clock.now();
    this.#arm(this.#patience(rung));
    void this.#parts.refresh().then(() => {
      if (this.#state === state) attempt(rung);
    });
  }

  /** Restarts ICE and keeps the state: what follows is reported. */
  #restartQuietly(): void {
    const state = this.#state;
    this.#isRestartDue = false;
    this.#attemptedAt = this.#parts.clock.now();
    void this.#parts.refresh().then(() => {
      if (this.#state === state) this.#parts.attempt('restart');
    });
  }

  #become<S extends State>(state: S): S {
    this.#isRestartDue = false;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#state = state;
    return state;
  }

  /** Makes the next attempt after `ms`, unless the state changes. */
  #arm(ms: number): void {
    this.#cancel?.();
    this.#cancel = this.#parts.clock.after(ms, () => this.#next());
  }
}
