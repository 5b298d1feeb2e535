import type { Clock } from '../core/clock.ts';
import { channelIds, type PeerChannel } from '../core/peer-channel.ts';
import type { MediaState } from '../media/media-state.ts';
import type { Quality } from './quality.ts';
import { type Control, readControl } from './signal.ts';

interface Parts {
  clock: Clock;
  /** The channel has opened. */
  onOpen: () => void;
  onMediaState: (mediaState: MediaState) => void;
  /** How this side's media arrive there. */
  onQuality: (quality: Quality) => void;
  /** The other peer has left on purpose. */
  onBye: () => void;
  /** The current channel was closed by the other side or the network. */
  onClose: () => void;
}

/** Timeout for the answer to a ping, ms. */
const pingTimeoutMs = 2_000;

/** The data channel between two peers; it works without the hub. Each new connection opens a new channel. */
export class ControlChannel implements PeerChannel {
  readonly #parts: Parts;
  #channel: RTCDataChannel | undefined;
  #waiting: ((alive: boolean) => void) | undefined;
  #pendingPing: Promise<boolean> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#channel?.readyState === 'open';
  }

  /** Both sides create it with the same id, so it needs no negotiation. */
  openOn(pc: RTCPeerConnection): void {
    const channel = pc.createDataChannel('control', { negotiated: true, id: channelIds.control });
    this.#channel = channel;
    channel.onopen = () => this.#parts.onOpen();
    channel.onclose = () => {
      if (channel !== this.#channel) return;
      this.cancelPing();
      this.#parts.onClose();
    };
    channel.onmessage = ({ data }) => {
      const message = readControl(data);
      if (!message || channel !== this.#channel) return;
      if ('mediaState' in message) this.#parts.onMediaState(message.mediaState);
      else if ('quality' in message) this.#parts.onQuality(message.quality);
      else if ('ping' in message) this.send({ pong: true });
      else if ('bye' in message) this.#parts.onBye();
      else this.#waiting?.(true);
    };
  }

  /** Closes the channel, if there is one, and ignores its later messages. */
  drop(): void {
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.close();
  }

  send(message: Control): void {
    if (this.#channel?.readyState === 'open') this.#channel.send(JSON.stringify(message));
  }

  /** Pings the other page. The hub may have lost it while the media continue. */
  isAlive(): Promise<boolean> {
    if (!this.isOpen) return Promise.resolve(false);
    // The hub may report the same loss twice.
    this.#pendingPing ??= new Promise((resolve) => {
      const settle = (alive: boolean) => {
        cancel();
        this.#waiting = undefined;
        this.#pendingPing = undefined;
        resolve(alive);
      };
      const cancel = this.#parts.clock.after(pingTimeoutMs, () => settle(false));
      this.#waiting = settle;
      this.send({ ping: true });
    });
    return this.#pendingPing;
  }

  /** Resolves pending pings with false. */
  cancelPing(): void {
    this.#waiting?.(false);
  }
}
