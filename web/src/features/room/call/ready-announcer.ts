import { type DataMessage, messageType } from '@roomside/contract/room/messages.ts';
import { type Clock, retryMs } from '../core/clock.ts';
import type { LocalMedia } from '../media/local-media.ts';

interface Parts {
  media: LocalMedia;
  clock: Clock;
  /** Id of this load of the page. */
  instance: () => string;
  /** The peer ids of the other peers. */
  others: () => string[];
  /** False while this device is not in the room. */
  canAnnounce: () => boolean;
  send: (message: Omit<DataMessage, 'session'>) => Promise<void>;
}

/**
 * Announces 'I can be called' once per entry: type 4 once local video runs; a device without a camera sends type 2 to
 * each of the others.
 */
export class ReadyAnnouncer {
  readonly #parts: Parts;
  /** What was sent since the last entry; 'video' is type 4. */
  #announced: 'nothing' | 'hello' | 'video' = 'nothing';
  /** Another peer may have received it, even when the server reported a failure. */
  #isAttempted = false;
  /** Counts entries; results that belong to an earlier one are dropped. */
  #turn = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether other peers may call and be called since the last entry. */
  get isAnnounced(): boolean {
    return this.#isAttempted;
  }

  /** The room was entered again: the other peers have received nothing. */
  reset(): void {
    this.#turn += 1;
    this.#announced = 'nothing';
    this.#isAttempted = false;
  }

  /** Sends what has not been announced yet. */
  announce(): void {
    const { media, instance, others, canAnnounce } = this.#parts;
    if (!canAnnounce() || !media.decided) return;
    const payload = { hello: instance() };
    if (media.hasPicture) {
      if (this.#announced === 'video') return;
      this.#announced = 'video';
      this.#send([{ type: messageType.participantArrived, payload }]);
    } else if (this.#announced === 'nothing') {
      this.#announced = 'hello';
      this.#send(others().map((to) => ({ type: messageType.peerData, to, payload })));
    }
  }

  /** A peer that did not receive it does not call, so failed messages are sent again. */
  #send(messages: Omit<DataMessage, 'session'>[]): void {
    const mine = this.#turn;
    this.#isAttempted = true;
    void Promise.all(messages.map((message) => this.#parts.send(message))).catch(() => {
      if (mine !== this.#turn) return;
      this.#announced = 'nothing';
      this.#parts.clock.after(retryMs, () => {
        if (mine === this.#turn) this.announce();
      });
    });
  }
}
