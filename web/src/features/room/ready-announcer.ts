import { type DataMessage, messageType } from '@roomside/contract/room/messages.ts';
import { type Clock, retryMs } from './clock.ts';
import type { LocalMedia } from './local-media.ts';

interface Parts {
  media: LocalMedia;
  clock: Clock;
  /** This load of the page. */
  instance: () => string;
  /** The peer ids of the others. */
  others: () => string[];
  /** False while this device is not in the room. */
  canSay: () => boolean;
  send: (message: Omit<DataMessage, 'session'>) => Promise<void>;
}

/**
 * 'I can be called', once per entry: type 4 once local video runs; a device without a camera tells each of the others
 * (type 2).
 */
export class ReadyAnnouncer {
  readonly #parts: Parts;
  /** What has gone out since the last entry; 'video' is type 4. */
  #said: 'nothing' | 'hello' | 'video' = 'nothing';
  /** Somebody may have heard it, also where the server said that it failed. */
  #tried = false;
  /** Counts entries; what belongs to an older one is dropped. */
  #turn = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether others may call, and be called, since the last entry. */
  get isTried(): boolean {
    return this.#tried;
  }

  /** The room was entered anew, where nobody has heard anything. */
  reset(): void {
    this.#turn += 1;
    this.#said = 'nothing';
    this.#tried = false;
  }

  /** Says what is news. */
  say(): void {
    const { media, instance, others, canSay } = this.#parts;
    if (!canSay() || !media.decided) return;
    const payload = { hello: instance() };
    if (media.hasPicture) {
      if (this.#said === 'video') return;
      this.#said = 'video';
      this.#send([{ type: messageType.participantArrived, payload }]);
    } else if (this.#said === 'nothing') {
      this.#said = 'hello';
      this.#send(others().map((to) => ({ type: messageType.peerData, to, payload })));
    }
  }

  /** Nobody calls who has not heard it: what did not get through is said again. */
  #send(messages: Omit<DataMessage, 'session'>[]): void {
    const mine = this.#turn;
    this.#tried = true;
    void Promise.all(messages.map((message) => this.#parts.send(message))).catch(() => {
      if (mine !== this.#turn) return;
      this.#said = 'nothing';
      this.#parts.clock.after(retryMs, () => {
        if (mine === this.#turn) this.say();
      });
    });
  }
}
