import type { DeviceProblem } from '../media/local-media.ts';

/** Texts about a camera that cannot be used (STATE-13). Loaded when there is a problem. */
export const texts = {
  retry: 'Retry',
  without: 'Continue without camera',
  problems: {
    refused: {
      title: 'Video Camera Access is Required',
      text: 'Please enable your web camera to continue',
      help: null,
    },
    none: {
      title: 'No camera found',
      text: 'Please connect a camera to this device and try again.',
      help: 'You can also continue without one.',
    },
    busy: {
      title: 'The camera is in use',
      text: 'Another app or tab may be using your camera.',
      help: 'Close the other app or tab and try again.',
    },
    lost: {
      title: 'Your camera was disconnected',
      text: 'It was unplugged, or your browser no longer allows it.',
      help: 'Connect it or allow it again, then try again.',
    },
    unsupported: {
      title: 'Video isn’t supported here',
      text: 'This browser can’t use a camera on this page.',
      help: 'Please open the link in an up-to-date Chrome, Safari, Firefox, or Edge.',
    },
  } satisfies Record<DeviceProblem, { title: string; text: string; help: string | null }>,
  /** Where each browser stores a denied permission. */
  allow: {
    safariPhone:
      'On an iPhone or iPad: tap “aA” next to the address, choose Website Settings, and allow Camera and Microphone.',
    safari: 'In Safari: open the Safari menu, Settings for This Website, and allow Camera and Microphone.',
    firefox: 'In Firefox: click the crossed-out camera next to the address and remove the block.',
    chromePhone: 'In Chrome: tap the icon next to the address, then Permissions, and allow Camera and Microphone.',
    chrome: 'In your browser: click the icon next to the address and allow Camera and Microphone.',
  },
} as const;

/** How to undo a denied permission in this browser (STATE-13). */
export function helpToAllow(userAgent: string): string {
  const { allow } = texts;
  if (/iPhone|iPad/.test(userAgent)) return allow.safariPhone;
  if (/Firefox\//.test(userAgent)) return allow.firefox;
  if (/Android/.test(userAgent)) return allow.chromePhone;
  if (/Safari\//.test(userAgent) && !/Chrom(e|ium)\//.test(userAgent)) return allow.safari;
  return allow.chrome;
}
