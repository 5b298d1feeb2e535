/** Texts of every list. */
export const texts = {
  deleteRecord: 'Would you like to delete this record?',
  delete: 'Delete',
  cancel: 'Cancel',
  rowsPerPage: 'Rows per page',
  /** CONST-16. */
  range: (from: number, to: number, count: number) => `${from} – ${to} of ${count === -1 ? `more than ${to}` : count}`,
  actions: 'Actions',
  sortBy: 'Sort by',
  unsorted: 'Default',
  ascending: (column: string) => `${column}, ascending`,
  descending: (column: string) => `${column}, descending`,
  refresh: 'Refresh',
  noMatch: (filter: string) => `No results for “${filter}”.`,
  clearSearch: 'Clear search',
} as const;
