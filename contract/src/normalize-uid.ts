/** The stored form of a uid: 32 hexadecimal digits, without dashes and capitals (ROOM-1). Separate from shape.ts, so that light pages load no schemas. */
export function normalizeUid(text: string): string {
  return text.replaceAll('-', '').toLowerCase();
}
