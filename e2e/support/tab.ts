import type { Browser } from '@playwright/test';

/** Runs code in a page; Playwright's `Page` does too. */
export interface Evaluates {
  evaluate<Arg, Result>(run: (arg: Arg) => Result | Promise<Result>, arg: Arg): Promise<Result>;
}

export interface Tab extends Evaluates {
  /** Stops the page's timers and tasks, as a browser does with a background tab. Code can still be evaluated. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  close(): Promise<void>;
}

interface Reply {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly result?: { readonly value?: unknown };
    readonly exceptionDetails?: { readonly exception?: { readonly description?: string } };
  };
}

/**
 * A tab driven by the browser's own protocol: Playwright keeps its pages in the foreground, and such a page never
 * freezes.
 */
export async function openTab(browser: Browser, url: string): Promise<Tab> {
  const session = await browser.newBrowserCDPSession();
  const { targetId } = await session.send('Target.createTarget', { url });
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
  const waiting = new Map<number, (reply: Reply) => void>();
  let count = 0;
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const reply = JSON.parse(message) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  const send = async (method: string, params: object) => {
    const id = ++count;
    const replied = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) });
    const { error, result } = await replied;
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const tab: Tab = {
    async evaluate<Arg, Result>(run: (arg: Arg) => Result | Promise<Result>, arg: Arg) {
      const expression = `(${run})(${JSON.stringify(arg) ?? ''})`;
      const done = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (done?.exceptionDetails) throw new Error(done.exceptionDetails.exception?.description ?? 'It failed.');
      return done?.result?.value as Result;
    },
    async freeze() {
      await send('Page.setWebLifecycleState', { state: 'frozen' });
    },
    async thaw() {
      await send('Page.setWebLifecycleState', { state: 'active' });
    },
    async close() {
      await session.send('Target.closeTarget', { targetId });
      await session.detach();
    },
  };
  await tab.evaluate(
    () =>
      new Promise<void>((resolve) => {
        if (document.readyState === 'complete') resolve();
        else addEventListener('load', () => resolve());
      }),
    undefined,
  );
  return tab;
}
