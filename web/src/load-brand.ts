import { getBrand } from './api/auth-calls.ts';
import { callUrl } from './api/call-url.ts';
import { showBrand } from './ui/light/brand.ts';

/** Reads the brand of this host after the first page is shown. Without an answer the page keeps its look. */
export async function loadBrand(): Promise<void> {
  const response = await fetch(callUrl(getBrand, { query: { host: location.hostname } }));
  if (response.ok) showBrand(await response.json());
}
