const units = ['kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size for people: '340 kB', '1.2 MB'; at least '1 kB'. */
export function formatBytes(bytes: number): string {
  let value = Math.max(1, bytes / 1024);
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: units[unit] ?? 'kilobyte',
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0,
  }).format(value);
}
