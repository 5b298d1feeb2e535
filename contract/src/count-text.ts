/** A whole number for people: 12,345. */
export const numberText = (count: number): string => count.toLocaleString('en-US');

/** A number with its noun: '1 file', '12,345 files'. */
export const countText = (count: number, one: string, many: string): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;
