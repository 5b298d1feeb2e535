/** Loads Temporal where the browser does not have it yet. To be awaited before anything else of this folder is used. */
export async function ensureTemporal(): Promise<void> {
  if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');
}
