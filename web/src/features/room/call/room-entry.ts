import { type DataMessage, messageType, type PresentPeer } from '@roomside/contract/room/messages.ts';
import type { hub } from '../../../hub/hub.ts';
import { type Clock, retryMs } from '../core/clock.ts';
import { refusalOf } from '../core/refusal-of.ts';
import type { Outgoing } from './negotiation.ts';
import type { Signal } from './signal.ts';

/** What the room needs of the hub. */
export type RoomHub = Pick<
  typeof hub,
  'invoke' | 'onNotify' | 'onState' | 'getState' | 'start' | 'restart' | 'stop' | 'check' | 'leaveFormerNetwork'
>;

interface Parts {
  /** The visit, 32 hexadecimal digits. */
  uid: string;
  hub: Pick<RoomHub, 'invoke' | 'getState'>;
  clock: Clock;
  /** The name of this page in signals. */
  instance: () => string;
  /** False when the visit is over or in another tab. */
  mayEnter: () => boolean;
  onEntering: () => void;
  onEntered: (others: readonly PresentPeer[]) => void;
  /** The server refused. Returns whether to try again. */
  onRefused: (code: string | undefined) => boolean;
}

/** Each state is a new object: a result that belongs to an earlier one is dropped. */
type State =
  | { readonly name: 'out' }
  /** Subscribe was sent on the current connection and has no result yet. */
  | { readonly name: 'entering' }
  | { readonly name: 'in' };

/** This device's place in the room on the server, and what it sends there. */
export class RoomEntry {
  readonly #parts: Parts;
  #state: State = { name: 'out' };
  /** Signals that are queued until the device is in the room, oldest first. */
  #outbox: { to: string; signal: Outgoing }[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isIn(): boolean {
    return this.#state.name === 'in';
  }

  /** True when the server knows this device, or will when it has handled what was sent. */
  get isKnown(): boolean {
    return this.#state.name !== 'out';
  }

  /** Enters, and tries again after a server error. */
  async enter(): Promise<void> {
    const { hub, uid, mayEnter, onEntering, onEntered } = this.#parts;
    if (!mayEnter()) return;
    const entering: State = { name: 'entering' };
    this.#state = entering;
    onEntering();
    let others: readonly PresentPeer[];
    try {
      others = await hub.invoke('Subscribe', uid);
    } catch (error) {
      if (this.#state === entering) this.#refused(refusalOf(error));
      return;
    }
    if (this.#state !== entering) return;
    this.#state = { name: 'in' };
    onEntered(others);
  }

  /** Drops what arrives for the last entry or one in progress. */
  exit(): void {
    this.#state = { name: 'out' };
  }

  /** Drops queued signals too. */
  end(): void {
    this.exit();
    this.#outbox = [];
  }

  async send(message: Omit<DataMessage, 'session'>): Promise<void> {
    if (!this.isIn) throw new Error('The hub is away.');
    await this.#parts.hub.invoke('SendData', { ...message, session: this.#parts.uid });
  }

  /** Sends a signal, or queues it until the next entry. */
  signal(to: string, signal: Outgoing): void {
    if (!this.isIn) {
      this.#outbox.push({ to, signal });
      return;
    }
    const payload: Signal = { ...signal, instance: this.#parts.instance() };
    this.send({ type: messageType.peerData, to, payload }).catch(() => this.#outbox.push({ to, signal }));
  }

  /** Sends queued signals, except those of connections that have been replaced. */
  flush(isCurrent: (to: string, connection: string) => boolean): void {
    for (const { to, signal } of this.#outbox.splice(0)) {
      if (isCurrent(to, signal.connection)) this.signal(to, signal);
    }
  }

  #refused(code: string | undefined): void {
    const out: State = { name: 'out' };
    this.#state = out;
    if (!this.#parts.onRefused(code)) return;
    this.#parts.clock.after(retryMs, () => {
      if (this.#state === out && this.#parts.hub.getState().status === 'connected') void this.enter();
    });
  }
}
