import * as z from 'zod/mini';
import { channelIds, type PeerChannel } from '../core/peer-channel.ts';

const key = z.string().check(z.minLength(8), z.maxLength(64));

/**
 * Messages on the data channel for pictures. `ask`: staff ask the patient's device for a picture; `taking`: it takes one and sends it to
 * the server; `failed`: it cannot.
 */
const message = z.union([z.object({ ask: key }), z.object({ taking: key }), z.object({ failed: key })]);
type PictureMessage = z.infer<typeof message>;

/** The data channel for pictures with one other peer. */
export class PictureChannel implements PeerChannel {
  readonly #onMessage: (message: PictureMessage) => void;
  #channel: RTCDataChannel | undefined;

  constructor(onMessage: (message: PictureMessage) => void) {
    this.#onMessage = onMessage;
  }

  openOn(connection: RTCPeerConnection): void {
    const channel = connection.createDataChannel('pictures', { negotiated: true, id: channelIds.pictures });
    this.#channel = channel;
    channel.onmessage = ({ data }) => {
      const parsed = read(data);
      if (parsed && channel === this.#channel) this.#onMessage(parsed);
    };
  }

  drop(): void {
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.close();
  }

  /** Returns false when the channel is not open. */
  send(content: PictureMessage): boolean {
    if (this.#channel?.readyState !== 'open') return false;
    this.#channel.send(JSON.stringify(content));
    return true;
  }
}

function read(text: unknown): PictureMessage | undefined {
  try {
    const { success, data } = message.safeParse(JSON.parse(String(text)));
    return success ? data : undefined;
  } catch {
    return undefined;
  }
}
