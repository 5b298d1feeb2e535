/** What the progress of an export is measured by. Sizes are bytes. */
export interface ExportProgress {
  readonly rowsDone: number;
  readonly rowsTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

/** Writing a row takes about as long as this many bytes of a file (measured). */
const bytesPerRow = 2_000;

/** Returns the progress in whole percents, rounded down; 100 only when everything is done. */
export function exportPercent({ rowsDone, rowsTotal, bytesDone, bytesTotal }: ExportProgress): number {
  const total = rowsTotal * bytesPerRow + bytesTotal;
  const done = rowsDone * bytesPerRow + bytesDone;
  return total === 0 ? 0 : Math.min(100, Math.floor((done / total) * 100));
}
