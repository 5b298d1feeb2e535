import { maxFileBytes } from '@roomside/contract/limits.ts';
import type { Clock } from '../core/clock.ts';
import { isStaffPeer } from '../core/peer-id.ts';
import { createStore, type Store } from '../core/store.ts';
import { FileLink, isOpen, type Transfer } from './file-link.ts';

interface Parts {
  /** ROLE-2: the patient's side, also a guest, sends nothing. */
  isPatient: boolean;
  clock: Clock;
  newId: () => string;
}

/** Files that go from device to device while people are in the room. The server does not see them. */
export class Transfers {
  /** In the order in which they began. */
  readonly view: Store<readonly Transfer[]> = createStore<readonly Transfer[]>([]);
  readonly #parts: Parts;
  readonly #links = new Map<string, FileLink>();
  /** For sending again. */
  readonly #files = new Map<string, File>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The link to a peer outlives its connections and a reload of its page. What is sent before the first connection waits for it. */
  createChannel(peerId: string): FileLink {
    const known = this.#links.get(peerId);
    if (known) return known;
    const link = new FileLink({
      peerId,
      mayReceive: isStaffPeer(peerId),
      clock: this.#parts.clock,
      onChange: (transfer) => this.#show(transfer),
    });
    this.#links.set(peerId, link);
    return link;
  }

  /** Sends a file to each of these peers. Returns false when it is empty or too large. */
  send(file: File, peerIds: readonly string[]): boolean {
    if (this.#parts.isPatient || file.size === 0 || file.size > maxFileBytes) return false;
    for (const peerId of peerIds) {
      const id = this.#parts.newId();
      this.#files.set(id, file);
      this.createChannel(peerId).send(id, file);
    }
    return true;
  }

  accept(id: string): void {
    this.#linkOf(id)?.accept(id);
  }

  /** Cancels or declines a transfer; removes a finished one from the list. */
  remove(id: string): void {
    const transfer = this.view.get().find((one) => one.id === id);
    if (transfer && isOpen(transfer)) return this.#linkOf(id)?.stop(id);
    this.#files.delete(id);
    this.view.set(this.view.get().filter((one) => one.id !== id));
  }

  /** Sends a file again that did not arrive. */
  retry(id: string): void {
    const file = this.#files.get(id);
    const transfer = this.view.get().find((one) => one.id === id);
    if (!file || !transfer || isOpen(transfer)) return;
    this.remove(id);
    this.send(file, [transfer.peerId]);
  }

  #linkOf(id: string): FileLink | undefined {
    const transfer = this.view.get().find((one) => one.id === id);
    return transfer && this.#links.get(transfer.peerId);
  }

  #show(transfer: Transfer): void {
    const before = this.view.get();
    const isKnown = before.some(({ id }) => id === transfer.id);
    this.view.set(isKnown ? before.map((one) => (one.id === transfer.id ? transfer : one)) : [...before, transfer]);
    if (transfer.state === 'done') this.#files.delete(transfer.id);
  }
}
