/** A half-open span, epoch ms. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the spans by start, with overlapping and adjacent ones as one. */
export function mergedSpans(spans: readonly Span[]): Span[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
