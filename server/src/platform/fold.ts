/** Characters that phones and word processors write for an apostrophe and for a hyphen. */
const apostrophes = /[\u2018\u2019\u02bc\u2032\u00b4`]/g;
const hyphens = /[\u2010-\u2015\u2212]/g;

/**
 * Normalizes a text for comparing and searching: O’Brien and O'Brien, and é as one character or two, become the same
 * (Unicode NFKC). The database's `fold` returns the same. Stored texts are not changed.
 */
export const fold = (text: string): string =>
  text.replace(apostrophes, "'").replace(hyphens, '-').normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
