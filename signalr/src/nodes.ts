import { foreignInstance } from './foreign-instance.ts';
import { texts } from './protocol/texts.ts';
import type { BackplaneLink } from './types.ts';

/** What one process asks of another: where it can be reached, or something of a connection that it holds. */
export type NodeRequest =
  | { readonly ask: 'address' }
  | { readonly ask: 'join' | 'leave'; readonly path: string; readonly connectionId: string; readonly group: string }
  | {
      readonly ask: 'invoke';
      readonly path: string;
      readonly connectionId: string;
      readonly method: string;
      readonly args: readonly unknown[];
      readonly timeoutMs: number;
    };

/** How long another process may take to answer, ms. */
const answerMs = 5_000;

/** The other processes, one question at a time. */
export class Nodes {
  readonly #link: BackplaneLink;
  readonly #own: string;

  constructor(link: BackplaneLink, own: string) {
    this.#link = link;
    this.#own = own;
  }

  /** Whether the connection is held by another process, as its id says. */
  isElsewhere(connectionId: string): boolean {
    return foreignInstance(connectionId, this.#own) !== undefined;
  }

  /** Asks the process that holds a connection. Rejects with its error, and when it cannot be reached. */
  ofConnection(question: Extract<NodeRequest, { connectionId: string }>): Promise<unknown> {
    const instance = foreignInstance(question.connectionId, this.#own);
    if (!instance) return Promise.reject(new Error(texts.notHere));
    const extra = question.ask === 'invoke' ? question.timeoutMs : 0;
    return this.#ask(instance, question, answerMs + extra);
  }

  async address(instance: string): Promise<string> {
    return (await this.#ask(instance, { ask: 'address' }, answerMs)) as string;
  }

  async #ask(instance: string, question: NodeRequest, timeoutMs: number): Promise<unknown> {
    const data = await this.#link.request(instance, Buffer.from(JSON.stringify(question)), timeoutMs);
    const { value, error } = JSON.parse(Buffer.from(data).toString()) as { value?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  }
}

/** Answers the question of another process. Never rejects: errors travel as words. */
export async function answerNode(data: Uint8Array, answer: (question: NodeRequest) => unknown): Promise<Uint8Array> {
  try {
    const question = JSON.parse(Buffer.from(data).toString()) as NodeRequest;
    return Buffer.from(JSON.stringify({ value: (await answer(question)) ?? null }));
  } catch (error) {
    return Buffer.from(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  }
}
