/** Why a record cannot be read. */
export type CsvFault =
  /** A quotation mark inside a quoted cell that neither ends it nor is doubled. */
  | 'quote'
  /** A quoted cell without an end. */
  | 'open-quote'
  /** More characters than a record may have. */
  | 'too-long';

/** A record of a CSV file. */
export interface CsvRecord {
  /** Incomplete with `too-long` and `open-quote`. */
  readonly cells: readonly string[];
  /** The lines of the file on which it begins and ends, from 1. */
  readonly line: number;
  readonly lastLine: number;
  readonly fault: CsvFault | null;
  /** The cell of the fault, from 0. */
  readonly faultCell: number;
  /** False for the last record of a text that does not end with a line break. */
  readonly hasEnd: boolean;
}

/** More characters than any row of a patient has; what a reader keeps in memory is bounded by it. */
const defaultMaxLength = 64 * 1024;

const quote = '"';

/** Where the skipping of a record that is too long is. */
type Skip = 'cell-start' | 'plain' | 'quoted' | 'quote-in-quoted';

/**
 * Divides text into records (RFC 4180) as it comes. Lines end with LF, CRLF or CR. Empty lines are no records. A quotation mark within a
 * cell that does not begin with one is a character like others. A quotation mark in the wrong place is a fault of its record, which still
 * ends where it would without the fault: no part of it becomes a record.
 */
export class CsvReader {
  readonly #separator: string;
  readonly #maxLength: number;
  /** What has come of the next record. */
  #rest = '';
  #line = 1;
  #skip: Skip | null = null;
  #skipped: { cells: string[]; line: number; fault: CsvFault } | null = null;
  #afterReturn = false;
  /** The last text ended with the CR of a skipped record: an LF that begins the next text belongs to it. */
  #mayBeginWithLf = false;

  constructor(separator: string, maxLength: number = defaultMaxLength) {
    this.#separator = separator;
    this.#maxLength = maxLength;
  }

  /** Returns the records that are complete with this text. */
  write(text: string): CsvRecord[] {
    return this.#read(text, false);
  }

  /** The line on which a record begins that is too long already, and has not ended yet; null = there is none. */
  get tooLongLine(): number | null {
    return this.#skipped?.line ?? null;
  }

  /** Returns the last records. The reader cannot be used afterwards. */
  end(): CsvRecord[] {
    return this.#read('', true);
  }

  #read(text: string, isEnd: boolean): CsvRecord[] {
    const found: CsvRecord[] = [];
    let data = this.#rest + (this.#mayBeginWithLf && text.startsWith('\n') ? text.slice(1) : text);
    if (text !== '') this.#mayBeginWithLf = false;
    let at = 0;
    this.#rest = '';
    for (;;) {
      if (this.#skip) {
        const next = this.#skipRecord(data, at, isEnd);
        if (next === undefined) return this.#endSkipped(found, isEnd);
        at = next;
        found.push(this.#takeSkipped(true));
      }
      if (at >= data.length) break;
      const record = this.#readRecord(data, at, isEnd);
      if (record === undefined) {
        if (data.length - at <= this.#maxLength) {
          this.#rest = data.slice(at);
          break;
        }
        this.#beginSkip();
        data = data.slice(at);
        at = 0;
        continue;
      }
      at = record.next;
      if (record.next - record.from > this.#maxLength && record.fault === null) record.fault = 'too-long';
      const { cells, fault, faultCell, hasEnd, lines } = record;
      const line = this.#line;
      this.#line += lines;
      if (cells.length === 1 && cells[0] === '' && data[record.from] !== quote) continue;
      found.push({ cells, line, lastLine: line + Math.max(0, lines - (hasEnd ? 1 : 0)), fault, faultCell, hasEnd });
    }
    return found;
  }

  /** Returns undefined when the record is not complete. */
  #readRecord(data: string, from: number, isEnd: boolean) {
    const cells: string[] = [];
    let fault: CsvFault | null = null;
    let faultCell = 0;
    let quotedLines = 0;
    const done = (next: number, hasEnd: boolean) => ({
      cells,
      fault,
      faultCell,
      from,
      next,
      hasEnd,
      lines: quotedLines + (hasEnd ? 1 : 0),
    });
    for (let at = from; ; ) {
      let end: number;
      if (data[at] === quote) {
        const cell = quotedCell(data, at, this.#separator, isEnd);
        if (cell === undefined) return undefined;
        if (cell.fault && fault === null) [fault, faultCell] = [cell.fault, cells.length];
        cells.push(cell.text);
        quotedLines += countLines(data, at, cell.end);
        end = cell.end;
      } else {
        end = this.#plainEnd(data, at);
        cells.push(data.slice(at, end));
      }
      if (end >= data.length) return isEnd ? done(end, false) : undefined;
      if (data[end] === this.#separator) {
        at = end + 1;
        continue;
      }
      if (data[end] === '\n') return done(end + 1, true);
      // CR: the next character may be its LF.
      if (end + 1 >= data.length && !isEnd) return undefined;
      return done(data[end + 1] === '\n' ? end + 2 : end + 1, true);
    }
  }

  #plainEnd(data: string, from: number): number {
    const separator = this.#separator.charCodeAt(0);
    let at = from;
    for (; at < data.length; at += 1) {
      const code = data.charCodeAt(at);
      if (code === separator || code === 10 || code === 13) break;
    }
    return at;
  }

  #beginSkip(): void {
    this.#skip = 'cell-start';
    this.#afterReturn = false;
    this.#skipped = { cells: [], line: this.#line, fault: 'too-long' };
  }

  /** Passes the rest of a record that is too long. Returns the place behind it; undefined when it has not ended. */
  #skipRecord(data: string, from: number, isEnd: boolean): number | undefined {
    for (let at = from; at < data.length; at += 1) {
      const char = data[at] ?? '';
      const isBreak = char === '\n' || char === '\r';
      if (isBreak && !(char === '\n' && this.#afterReturn)) this.#line += 1;
      this.#afterReturn = char === '\r';
      if (this.#skip === 'quoted') {
        if (char === quote) this.#skip = 'quote-in-quoted';
        continue;
      }
      if (this.#skip === 'quote-in-quoted' && char !== this.#separator && !isBreak) {
        this.#skip = 'quoted';
        continue;
      }
      if (isBreak) {
        if (char === '\r' && data[at + 1] === '\n') return at + 2;
        this.#mayBeginWithLf = char === '\r' && at + 1 === data.length;
        return at + 1;
      }
      if (char === this.#separator) this.#skip = 'cell-start';
      else if (this.#skip === 'cell-start') this.#skip = char === quote ? 'quoted' : 'plain';
    }
    if (isEnd && this.#skip?.startsWith('quoted') && this.#skipped) this.#skipped.fault = 'open-quote';
    return undefined;
  }

  #endSkipped(found: CsvRecord[], isEnd: boolean): CsvRecord[] {
    if (isEnd) found.push(this.#takeSkipped(false));
    return found;
  }

  #takeSkipped(hasEnd: boolean): CsvRecord {
    const { cells = [], line = this.#line, fault = 'too-long' } = this.#skipped ?? {};
    this.#skip = null;
    this.#skipped = null;
    const lastLine = hasEnd ? this.#line - 1 : this.#line;
    return { cells, line, lastLine, fault, faultCell: 0, hasEnd };
  }
}

/** Reads a quoted cell. Returns undefined when it may go on behind the data. */
function quotedCell(
  data: string,
  from: number,
  separator: string,
  isEnd: boolean,
): { text: string; end: number; fault: CsvFault | null } | undefined {
  let fault: CsvFault | null = null;
  let hasDoubled = false;
  for (let at = from + 1; ; ) {
    const close = data.indexOf(quote, at);
    if (close < 0) return isEnd ? { text: data.slice(from + 1), end: data.length, fault: 'open-quote' } : undefined;
    const after = data[close + 1];
    if (after === undefined && !isEnd) return undefined;
    if (after === quote) {
      hasDoubled = true;
      at = close + 2;
    } else if (after === undefined || after === separator || after === '\n' || after === '\r') {
      const text = data.slice(from + 1, close);
      return { text: hasDoubled ? text.replaceAll('""', quote) : text, end: close + 1, fault };
    } else {
      fault = 'quote';
      at = close + 1;
    }
  }
}

function countLines(data: string, from: number, to: number): number {
  let lines = 0;
  for (let at = from; at < to; at += 1) {
    const code = data.charCodeAt(at);
    if (code === 10 ? data.charCodeAt(at - 1) !== 13 : code === 13) lines += 1;
  }
  return lines;
}
