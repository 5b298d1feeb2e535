/** What phones and word processors write for an apostrophe and for a hyphen. */
const apostrophes = /[\u2018\u2019\u02bc\u2032\u00b4`]/g;
const hyphens = /[\u2010-\u2015\u2212]/g;

/**
 * How texts are compared and found: O’Brien and O'Brien, and é as one character or two, are the same (Unicode NFKC). The database's
 * `fold` does the same (in a locale that knows more than ASCII). Stored texts stay as they were typed.
 */
export const fold = (text: string): string =>
  text.replace(apostrophes, "'").replace(hyphens, '-').normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
