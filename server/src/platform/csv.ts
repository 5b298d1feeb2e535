/**
 * Returns one line of a CSV file (RFC 4180). Text that a spreadsheet would run as a formula (also with full-width signs)
 * gets an apostrophe in front, since anyone may type a name.
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(value: string | number): string {
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return quoted(safe);
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/**
 * As {@link csvLine}, but exact: a cell that begins with an apostrophe is the text behind it. Numbers with a sign stay as they are, null
 * is empty, objects are JSON.
 */
export const exactCsvLine = (values: readonly unknown[]): string =>
  `${values.map((value) => quoted(guarded(textOf(value)))).join(',')}\r\n`;

const guarded = (text: string) =>
  /^['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
