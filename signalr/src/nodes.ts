import { foreignInstance } from './foreign-instance.ts';
import { texts } from './protocol/texts.ts';
import type { BackplaneLink } from './types.ts';

/** A request from one node to another: for its address, or for a connection that it holds. */
export type NodeRequest =
  | { readonly kind: 'address' }
  | { readonly kind: 'join' | 'leave'; readonly path: string; readonly connectionId: string; readonly group: string }
  | {
      readonly kind: 'invoke';
      readonly path: string;
      readonly connectionId: string;
      readonly method: string;
      readonly args: readonly unknown[];
      readonly timeoutMs: number;
    };

const requestTimeoutMs = 5_000;

/** Requests to the other nodes. */
export class Nodes {
  readonly #link: BackplaneLink;
  readonly #own: string;

  constructor(link: BackplaneLink, own: string) {
    this.#link = link;
    this.#own = own;
  }

  /** Whether another node holds the connection, according to its id. */
  isElsewhere(connectionId: string): boolean {
    return foreignInstance(connectionId, this.#own) !== undefined;
  }

  /** Sends a request to the node that holds a connection. Rejects with that node's error, and when it cannot be reached. */
  requestConnection(request: Extract<NodeRequest, { connectionId: string }>): Promise<unknown> {
    const instance = foreignInstance(request.connectionId, this.#own);
    if (!instance) return Promise.reject(new Error(texts.notHere));
    const extra = request.kind === 'invoke' ? request.timeoutMs : 0;
    return this.#request(instance, request, requestTimeoutMs + extra);
  }

  async address(instance: string): Promise<string> {
    return (await this.#request(instance, { kind: 'address' }, requestTimeoutMs)) as string;
  }

  async #request(instance: string, request: NodeRequest, timeoutMs: number): Promise<unknown> {
    const data = await this.#link.request(instance, Buffer.from(JSON.stringify(request)), timeoutMs);
    const { value, error } = JSON.parse(Buffer.from(data).toString()) as { value?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  }
}

/** Returns the response to a request of another node. Never rejects: errors are sent as text. */
export async function handleNodeRequest(
  data: Uint8Array,
  handle: (request: NodeRequest) => unknown,
): Promise<Uint8Array> {
  try {
    const request = JSON.parse(Buffer.from(data).toString()) as NodeRequest;
    return Buffer.from(JSON.stringify({ value: (await handle(request)) ?? null }));
  } catch (error) {
    return Buffer.from(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  }
}
