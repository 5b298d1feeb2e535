import { bridgeSeconds } from '@roomside/contract/limits.ts';

/** One interval in which a peer was in the room; milliseconds since the epoch, `to` null while it lasts. */
export interface Attendance {
  side: 'patient' | 'staff';
  from: number;
  to: number | null;
}

type Span = readonly [from: number, to: number];

/** The union of a side's attendances. Gaps of up to `bridgeSeconds` count as present. */
function spansOf(attendances: readonly Attendance[], side: Attendance['side'], now: number): Span[] {
  const sorted = attendances
    .filter((one) => one.side === side)
    .map((one): Span => [one.from, Math.max(one.from, one.to ?? now)])
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

/** Since when a side is present without a gap, ms; null when none of its peers is present now. */
export function presentSince(attendances: readonly Attendance[], side: Attendance['side']): number | null {
  if (!attendances.some((one) => one.side === side && one.to === null)) return null;
  return spansOf(attendances, side, Number.MAX_SAFE_INTEGER).at(-1)?.[0] ?? null;
}

/** Whole seconds in which both sides were present, and in which the patient was present without staff. */
export function visitTime(attendances: readonly Attendance[], now: number): { duration: number; waited: number } {
  const patient = spansOf(attendances, 'patient', now);
  const met = overlap(patient, spansOf(attendances, 'staff', now));
  const present = patient.reduce((sum, [from, to]) => sum + to - from, 0);
  return { duration: Math.round(met / 1000), waited: Math.round((present - met) / 1000) };
}
