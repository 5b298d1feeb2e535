import { bridgeSeconds } from '@roomside/contract/limits.ts';

/** One stay of a device in a room; milliseconds since the epoch, `to` null while it lasts. */
export interface Attendance {
  side: 'patient' | 'staff';
  from: number;
  to: number | null;
}

type Span = readonly [from: number, to: number];

/** The union of a side's stays; a return within the bridge counts as never having left (decisions, 4). */
function spansOf(stays: readonly Attendance[], side: Attendance['side'], now: number): Span[] {
  const sorted = stays
    .filter((stay) => stay.side === side)
    .map((stay): Span => [stay.from, Math.max(stay.from, stay.to ?? now)])
    .sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = merged.at(-1);
    if (last && from - last[1] <= bridgeSeconds * 1000) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function overlap(a: readonly Span[], b: readonly Span[]): number {
  let ms = 0;
  for (const [from, to] of a)
    for (const other of b) ms += Math.max(0, Math.min(to, other[1]) - Math.max(from, other[0]));
  return ms;
}

/** Since when a side is there without a break, ms; null when nobody of it is there now. */
export function presentSince(stays: readonly Attendance[], side: Attendance['side']): number | null {
  if (!stays.some((stay) => stay.side === side && stay.to === null)) return null;
  return spansOf(stays, side, Number.MAX_SAFE_INTEGER).at(-1)?.[0] ?? null;
}

/** Whole seconds that both sides met, and that the patient was there without a provider. */
export function visitTime(stays: readonly Attendance[], now: number): { duration: number; waited: number } {
  const patient = spansOf(stays, 'patient', now);
  const met = overlap(patient, spansOf(stays, 'staff', now));
  const present = patient.reduce((sum, [from, to]) => sum + to - from, 0);
  return { duration: Math.round(met / 1000), waited: Math.round((present - met) / 1000) };
}
