import { blankRecurrence, type Recurrence } from './recurrence.ts';
import { dateText, dayNumber } from './recurrence-days.ts';

/** A seeded generator of integers below `limit` (mulberry32), so that failures can be reproduced. */
export type Random = (limit: number) => number;

export function randomOf(seed: number): Random {
  let state = seed | 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** Returns a one-time rule on 2026-03-03 (a Tuesday) with all intervals 1, with changes. */
export const ruleOf = (changes: Partial<Recurrence>): Recurrence => ({ ...blankRecurrence('2026-03-03'), ...changes });

/** Returns a random valid rule; masks and intervals cover their whole range, small values more often. */
export function randomRule(random: Random, firstStart = '2019-12-20', starts = 3000): Recurrence {
  const start = dayNumber(firstStart) + random(starts);
  const interval = (max: number) => random(random(2) === 0 ? 4 : max + 1);
  const pick = <const Choice>(...choices: [Choice, ...Choice[]]) => choices[random(choices.length)] ?? choices[0];
  const fewBits = (bits: number) => 2 ** random(bits) + (random(2) === 0 ? 0 : random(2 ** bits));
  return {
    ruleType: pick('S', 'D', 'D', 'W', 'W', 'W', 'M', 'M', 'M', 'M'),
    activeStartDate: dateText(start),
    activeEndDate: random(3) === 0 ? dateText(start + random(900)) : null,
    dailyType: pick(1, 1, 2),
    everyNday: interval(365),
    everyNweek: interval(52),
    everyNmonth: interval(12),
    weekMask: fewBits(7) % 128,
    monthMask: fewBits(33) % 2 ** 33,
    yearMask: fewBits(12) % 4096,
    weekMonthMask: fewBits(6) % 64,
    monthlyType1: pick(1, 2),
    monthlyType2: pick(1, 1, 2),
  };
}
