import type { BrowserContext, Page, Request } from '@playwright/test';
import { cardNumbers } from './cards.ts';

const number = new RegExp(Object.values(cardNumbers).join('|'));
const securityCode = /"(cvc|cvv|csc|security_?code)"\s*:\s*"?\d/i;

/** Whether a text has the number of a card, with spaces or dashes too, or its security code. */
const hasCard = (text: string): boolean => number.test(text.replaceAll(/[\s-]|%20|\+/g, '')) || securityCode.test(text);

/** What a browser sends and gets, searched for cards: these are known to the processor's frame alone, which makes a token. */
export class CardTraffic {
  readonly #found: string[] = [];
  readonly #reading = new Set<Promise<void>>();

  watch(context: BrowserContext): void {
    context.on('request', (request) =>
      this.#look('request', request.url(), `${request.url()} ${request.postData() ?? ''}`),
    );
    context.on('requestfinished', (request) => this.#read(request));
    context.on('page', (page) => this.#watchSockets(page));
    for (const page of context.pages()) this.#watchSockets(page);
  }

  /** Where a card was seen, after everything was read. */
  async found(): Promise<readonly string[]> {
    await Promise.all(this.#reading);
    return this.#found;
  }

  #look(what: string, url: string, text: string): void {
    if (hasCard(text)) this.#found.push(`card in a ${what}: ${url.replace(/[?#].*/, '')}`);
  }

  /** Reads a response that has arrived: the text of one that never ends would never come. */
  #read(request: Request): void {
    const reading = this.#readJson(request).finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
  }

  async #readJson(request: Request): Promise<void> {
    // The page may go before it was read.
    const response = await request.response().catch(() => null);
    if (!response?.headers()['content-type']?.startsWith('application/json')) return;
    this.#look('response', request.url(), await response.text().catch(() => ''));
  }

  #watchSockets(page: Page): void {
    page.on('websocket', (socket) => {
      const look = ({ payload }: { payload: string | Buffer }) => this.#look('message', socket.url(), String(payload));
      socket.on('framesent', look);
      socket.on('framereceived', look);
    });
  }
}
