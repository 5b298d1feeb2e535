/** Loads a polyfill where the browser has no Temporal. Await it before using anything else of this folder. */
export async function ensureTemporal(): Promise<void> {
  if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');
}
