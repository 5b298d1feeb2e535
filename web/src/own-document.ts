import { documentAt, documentOf, documents } from '@roomside/contract/documents.ts';

/**
 * Loads the document of a page when it is another one than the present. Returns whether it does.
 *
 * @param isStep true when the present page is only a step on the way to that one: the way back does not lead to it. A typed address is
 *   in the history already and is always one.
 */
export function loadDocumentOf(
  page: string,
  isStep = false,
  among = documents,
  place: Pick<Location, 'pathname' | 'hash' | 'assign' | 'replace'> = location,
): boolean {
  const wanted = documentOf(page, among);
  if (wanted === documentAt(place.pathname, among)) return false;
  const address = `${wanted}#${page}`;
  if (isStep || place.hash.slice(1) === page) place.replace(address);
  else place.assign(address);
  return true;
}
