/**
 * A document that may load more than the others, for pages that need another origin (a field for cards) or another right of
 * scripts. A policy belongs to a document, not to a page: going to such a page, and leaving it, loads a document.
 */
export interface PageDocument {
  /** Where the document is, beside `/`. */
  readonly path: `/${string}`;
  /** The pages (paths behind the `#`) that it shows; the document `/` shows all others. */
  readonly pages: RegExp;
}

/** Every document beside `/`; document-sources.ts has what each may load. A card is entered in `/pay`. */
export const documents: readonly PageDocument[] = [
  { path: '/pay', pages: /^\/(patient-payment|admin\/payment)(\/|$)/ },
];

/** Returns the path of the document for a page. */
export const documentOf = (page: string, among = documents): string =>
  among.find(({ pages }) => pages.test(page.split('?')[0] ?? ''))?.path ?? '/';

/** Returns the path of the document at an address; `/` for addresses of the usual one. */
export const documentAt = (pathname: string, among = documents): string =>
  among.find(({ path }) => path === pathname.replace(/\/$/, ''))?.path ?? '/';
