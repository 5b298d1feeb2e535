/** Codes of PostgreSQL's errors (SQLSTATE) that the code handles. */
export const sqlStates = {
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  exclusionViolation: '23P01',
  duplicateObject: '42710',
  insufficientPrivilege: '42501',
  undefinedTable: '42P01',
} as const;
