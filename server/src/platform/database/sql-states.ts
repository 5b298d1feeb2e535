/** Codes of PostgreSQL's errors (SQLSTATE) that are answered with a refusal. */
export const sqlStates = {
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  exclusionViolation: '23P01',
  duplicateObject: '42710',
  undefinedTable: '42P01',
} as const;
