import type { ReactNode } from 'react';

/** A column of a list: a column of the table, or a line of the cards on a phone. */
export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** The column's name for sorting in the contract; without it the column is not sortable. */
  sort?: string;
  align?: 'left' | 'right' | 'center';
  /** Not shown in the cards on a phone. */
  wideOnly?: boolean;
  /** Shown in the card instead of `cell`. */
  card?: (row: Row) => ReactNode;
}
