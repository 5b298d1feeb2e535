import interFont from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import type { FromFrame, ToFrame } from '../../../frames/messages.ts';

export interface IsolatedFrame {
  readonly element: HTMLIFrameElement;
  send(message: ToFrame): void;
  /** Removes it from the page. */
  close(): void;
}

/**
 * Creates a frame with one of the isolated documents (contract/isolated-frames.ts), which the caller adds to the page. It has the look of the page
 * and the height of its content.
 *
 * @param onMessage is called with its messages, and with no other window's
 */
export function createFrame(src: string, title: string, onMessage: (message: FromFrame) => void): IsolatedFrame {
  const element = document.createElement('iframe');
  element.src = src;
  element.title = title;
  element.className = 'isolated-frame';
  element.setAttribute('sandbox', 'allow-scripts');
  // The frame has no origin that could be named. Nothing that is sent to it is secret.
  const send = (message: ToFrame) => element.contentWindow?.postMessage(message, '*');
  const listen = ({ source, data }: MessageEvent<FromFrame>) => {
    if (source === null || source !== element.contentWindow) return;
    if (data.type === 'height') element.style.height = `${data.height}px`;
    if (data.type === 'ready') void readLook().then(send);
    onMessage(data);
  };
  addEventListener('message', listen);
  return {
    element,
    send,
    close: () => {
      removeEventListener('message', listen);
      element.remove();
    },
  };
}

async function readLook(): Promise<ToFrame> {
  const font = await fetch(interFont)
    .then((response) => (response.ok ? response.arrayBuffer() : null))
    .catch(() => null);
  return { type: 'look', color: document.documentElement.style.getPropertyValue('--rs-brand'), font };
}
