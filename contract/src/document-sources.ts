import type { PageDocument } from './documents.ts';

/** What a document may load in addition to all others. Only the server needs it, so it is not loaded with every page. */
export interface DocumentSources extends Pick<PageDocument, 'path'> {
  /** By directive of the content security policy. */
  readonly sources: Readonly<
    Partial<Record<'script-src' | 'connect-src' | 'frame-src' | 'img-src', readonly string[]>>
  >;
}

/** One for each document of documents.ts. */
export const documentSources: readonly DocumentSources[] = [
  {
    // A card is entered here, in a frame of our own or of Stripe.
    path: '/pay',
    sources: {
      'script-src': ['https://js.stripe.com'],
      'frame-src': ["'self'", 'https://js.stripe.com', 'https://hooks.stripe.com'],
      'connect-src': ['https://api.stripe.com'],
    },
  },
];
