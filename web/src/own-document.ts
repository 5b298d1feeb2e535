import { documentAt, documentOf, documents } from '@roomside/contract/documents.ts';

/** Loads the document of a page when it is another one than the present. Returns whether it does. */
export function loadDocumentOf(
  page: string,
  among = documents,
  place: Pick<Location, 'pathname' | 'assign'> = location,
): boolean {
  const wanted = documentOf(page, among);
  if (wanted === documentAt(place.pathname, among)) return false;
  place.assign(`${wanted}#${page}`);
  return true;
}
