import type { Clock } from './clock.ts';
import { type Control, type MediaState, readControl } from './signal.ts';

interface Parts {
  clock: Clock;
  /** Open now: what is to be said first. */
  onOpen: () => void;
  onMediaState: (mediaState: MediaState) => void;
  /** The other one has left on purpose. */
  onBye: () => void;
  /** The present channel has closed by itself. */
  onClose: () => void;
}

/** How long a page may take to answer that it still lives, ms. */
const answerMs = 2_000;

/** The peers' own data channel: from page to page, with or without the hub. Each new connection brings another channel. */
export class ControlChannel {
  readonly #parts: Parts;
  #channel: RTCDataChannel | undefined;
  #waiting: ((alive: boolean) => void) | undefined;
  #asking: Promise<boolean> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#channel?.readyState === 'open';
  }

  /** Made by both sides with one number, so that it needs no negotiation of its own. */
  openOn(pc: RTCPeerConnection): void {
    const channel = pc.createDataChannel('control', { negotiated: true, id: 0 });
    this.#channel = channel;
    channel.onopen = () => this.#parts.onOpen();
    channel.onclose = () => {
      if (channel !== this.#channel) return;
      this.giveUpAsking();
      this.#parts.onClose();
    };
    channel.onmessage = ({ data }) => {
      const message = readControl(data);
      if (!message || channel !== this.#channel) return;
      if ('mediaState' in message) this.#parts.onMediaState(message.mediaState);
      else if ('ping' in message) this.send({ pong: true });
      else if ('bye' in message) this.#parts.onBye();
      else this.#waiting?.(true);
    };
  }

  /** Closes the channel, if there is one; what it still says is nobody's. */
  drop(): void {
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.close();
  }

  send(message: Control): void {
    if (this.#channel?.readyState === 'open') this.#channel.send(JSON.stringify(message));
  }

  /** Asks the other page itself whether it still lives; the hub may have lost it while the media go on. */
  isAlive(): Promise<boolean> {
    if (!this.isOpen) return Promise.resolve(false);
    // The hub may say twice that somebody is gone.
    this.#asking ??= new Promise((resolve) => {
      const settle = (alive: boolean) => {
        cancel();
        this.#waiting = undefined;
        this.#asking = undefined;
        resolve(alive);
      };
      const cancel = this.#parts.clock.after(answerMs, () => settle(false));
      this.#waiting = settle;
      this.send({ ping: true });
    });
    return this.#asking;
  }

  /** Whoever asks hears that there is no answer. */
  giveUpAsking(): void {
    this.#waiting?.(false);
  }
}
