import { texts } from './texts.ts';

const named = (names: readonly string[], first = 0) => names.map((label, index) => ({ bit: index + first, label }));
export const weekdays = named(texts.weekdayNames);
export const months = named(texts.monthNames);
/** Bits 1 to 4 are the first to fourth week, bit 5 the last; bit 32 of the days is the last day (ENTITY-14). */
export const weeks = named(texts.weekNames, 1);
export const monthDays = [
  ...Array.from({ length: 31 }, (_, index) => ({ bit: index, label: String(index + 1) })),
  { bit: 32, label: texts.lastDay },
];

export const ruleTypes = (['S', 'D', 'W', 'M'] as const).map((value) => ({ value, label: texts.types[value] }));
export const dailyTypes = [
  { value: 1, label: texts.everyNdays },
  { value: 2, label: texts.everyWeekday },
] as const;
export const dayTypes = [
  { value: 1, label: texts.byDay },
  { value: 2, label: texts.byWeekday },
] as const;
export const monthTypes = [
  { value: 1, label: texts.byInterval },
  { value: 2, label: texts.byMonth },
] as const;
