import * as z from 'zod/mini';
import { channelIds, type PeerChannel } from '../core/peer-channel.ts';
import {
  commitmentOf,
  createNonce,
  fingerprintsOf,
  fromHex,
  type Nonce,
  toHex,
  wordsFor,
} from './short-authentication.ts';

const hex = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const message = z.union([z.object({ commit: hex }), z.object({ nonce: hex }), z.object({ reveal: hex })]);
type Message = z.infer<typeof message>;

export type Words = readonly [string, string];

interface Parts {
  /** This side commits to its nonce first; exactly one of two peers does. */
  commits: boolean;
  onWords: (words: Words) => void;
  /** The other side broke the protocol: it may have tried to choose the words. */
  onFailed: () => void;
}

/** The other side did not follow the protocol. */
class ProtocolError extends Error {}

/** What the next message must be. */
type Step =
  | { readonly expects: 'commit' | 'nonce' | 'nothing' }
  | { readonly expects: 'reveal'; readonly commit: string };

function parse(data: unknown): Message {
  try {
    return message.parse(JSON.parse(String(data)));
  } catch {
    throw new ProtocolError('The message cannot be read.');
  }
}

/** One run of the protocol, on one connection. */
class Exchange {
  readonly #commits: boolean;
  readonly #send: (message: Message) => void;
  readonly #nonce: Nonce = createNonce();
  #step: Step;

  constructor(commits: boolean, send: (message: Message) => void) {
    this.#commits = commits;
    this.#send = send;
    this.#step = { expects: commits ? 'nonce' : 'commit' };
  }

  /** The channel is open. */
  async begin(): Promise<void> {
    if (this.#commits) this.#send({ commit: await commitmentOf(this.#nonce) });
  }

  /**
   * Handles a message. Returns the nonces when both are known.
   *
   * @throws ProtocolError when it is not what the protocol expects, or the revealed nonce is not the committed one
   */
  async receive(received: Message): Promise<{ first: Nonce; second: Nonce } | undefined> {
    const step = this.#step;
    this.#step = { expects: 'nothing' };
    if (step.expects === 'commit' && 'commit' in received) {
      this.#step = { expects: 'reveal', commit: received.commit };
      this.#send({ nonce: toHex(this.#nonce) });
      return undefined;
    }
    if (step.expects === 'nonce' && 'nonce' in received) {
      this.#send({ reveal: toHex(this.#nonce) });
      return { first: this.#nonce, second: fromHex(received.nonce) };
    }
    if (step.expects === 'reveal' && 'reveal' in received) {
      const first = fromHex(received.reveal);
      if ((await commitmentOf(first)) !== step.commit) throw new ProtocolError('The nonce is not the committed one.');
      return { first, second: this.#nonce };
    }
    throw new ProtocolError('The message is not expected.');
  }
}

/**
 * Compares the encryption of both sides by two words. The side that commits sends the hash of its nonce, the other its nonce, then the
 * first reveals its nonce. Each new connection runs it again with new nonces.
 */
export class VerificationChannel implements PeerChannel {
  readonly #parts: Parts;
  #channel: RTCDataChannel | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  openOn(pc: RTCPeerConnection): void {
    const channel = pc.createDataChannel('verification', { negotiated: true, id: channelIds.verification });
    this.#channel = channel;
    const exchange = new Exchange(this.#parts.commits, (sent) => channel.send(JSON.stringify(sent)));
    let queue = Promise.resolve();
    const inTurn = (work: () => Promise<void>) => {
      queue = queue.then(work).catch((error: unknown) => {
        // Without the words' file, or without Web Crypto, there are no words; the call goes on.
        if (error instanceof ProtocolError && channel === this.#channel) this.#parts.onFailed();
      });
    };
    channel.onopen = () => inTurn(() => exchange.begin());
    channel.onmessage = ({ data }) =>
      inTurn(async () => {
        const nonces = await exchange.receive(parse(data));
        if (!nonces) return;
        // The words are loaded when they are needed first.
        const { verificationWords } = await import('./verification-words.ts');
        const words = await wordsFor({ fingerprints: await fingerprintsOf(pc), ...nonces }, verificationWords);
        if (channel === this.#channel) this.#parts.onWords(words);
      });
  }

  drop(): void {
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.close();
  }
}
