import type { Call } from '@roomside/contract/call.ts';
import { wordsFor } from '../api/errors.ts';
import { type InputOf, type SendArgs, send } from '../api/send.ts';
import { confirm } from '../ui/confirm.ts';
import { toast } from '../ui/toast.ts';
import { focusedRow, leaveRow } from './leave-row.ts';
import { texts } from './texts.ts';
import type { List } from './use-list.ts';

interface Options<C extends Call, Row> {
  input: (row: Row) => InputOf<C>;
  isSame: (a: Row, b: Row) => boolean;
  /** The question, if it is not the default (ERROR-4). */
  question?: string;
  /** Names the row, below the question. */
  details?: (row: Row) => readonly string[];
  /** Said when the row is deleted. */
  success: string;
}

/** ABOUT-11: asks, deletes after yes, removes the row from the list and reduces the total. */
export function useDelete<C extends Call, Row>(
  call: C,
  list: List<Row>,
  options: Options<C, Row>,
): (row: Row) => Promise<void> {
  return async (row) => {
    const place = focusedRow();
    const yes = await confirm({
      text: options.question ?? texts.deleteRecord,
      ...(options.details && { details: options.details(row) }),
      yes: texts.delete,
      no: 'Cancel',
      danger: true,
    });
    if (!yes) return;
    try {
      await send(call, ...([options.input(row)] as unknown as SendArgs<C>));
    } catch (error) {
      toast.error(wordsFor(error));
      return;
    }
    leaveRow(place);
    list.remove((other) => options.isSame(other, row));
    toast.success(options.success);
  };
}
