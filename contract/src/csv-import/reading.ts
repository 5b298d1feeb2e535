import type { ProblemCode } from './problems.ts';

/** How the bytes of a file become texts; names of the WHATWG encoding standard. */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'macintosh'] as const;
export type Encoding = (typeof encodings)[number];

export const separators = [',', ';', '\t', '|'] as const;
export type Separator = (typeof separators)[number];

/** The order of a date's parts. A date that begins with a year of four digits, or names its month, is read in any case. */
export const dateOrders = ['mdy', 'dmy'] as const;
export type DateOrder = (typeof dateOrders)[number];

/**
 * The century of a birth year of two digits that may be of either century. Years that would be in the future are of the 1900s. `refuse`: the
 * row is refused.
 */
export const shortYears = ['refuse', '1900', '2000'] as const;
export type ShortYears = (typeof shortYears)[number];

/** Whether names that are completely in capitals stay so, or are written as Ann Lee. */
export const nameCases = ['keep', 'capitalize'] as const;
export type NameCase = (typeof nameCases)[number];

/** Why a row of a file cannot be divided into its cells. */
export const rowFaults = ['quote', 'open-quote', 'too-long'] as const satisfies readonly ProblemCode[];

/** How the values of a row are read. */
export interface ValueRules {
  readonly dateOrder: DateOrder;
  readonly shortYears: ShortYears;
  readonly nameCase: NameCase;
}
