import type { FromFrame, ToFrame } from './messages.ts';

/** Sends a message to the page around this frame. The document has no origin, but its address has that of the page. */
export function tellPage(message: FromFrame): void {
  parent.postMessage(message, location.origin);
}

/** Calls back with each message of the page around this frame. Messages of other windows are ignored. */
export function onPage(listener: (message: ToFrame) => void): void {
  addEventListener('message', (event: MessageEvent<ToFrame>) => {
    if (event.source !== parent || event.origin !== location.origin) return;
    if (event.data.type === 'look') return void takeLook(event.data);
    listener(event.data);
  });
}

/** Says that this frame listens, and from then on how high its content is. */
export function startFrame(): void {
  const content = document.querySelector('main');
  if (!content) throw new Error('The frame has no content.');
  new ResizeObserver(() =>
    tellPage({ type: 'height', height: Math.ceil(content.getBoundingClientRect().height) }),
  ).observe(content);
  tellPage({ type: 'ready' });
}

/** Returns an element of the frame's document. */
export function part<Element extends HTMLElement = HTMLElement>(id: string): Element {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The frame has no #${id}.`);
  return found as Element;
}

async function takeLook({ color, font }: Extract<ToFrame, { type: 'look' }>): Promise<void> {
  const { style, dataset } = document.documentElement;
  if (color) {
    style.setProperty('--rs-brand', color);
    dataset['branded'] = '';
  }
  // The font of the page, as it loaded it: the frame may load nothing.
  if (font) document.fonts.add(await new FontFace('Inter Variable', font, { weight: '100 900' }).load());
}
