import type { Call } from '@roomside/contract/call.ts';
import type { RefusalCode } from '@roomside/contract/refusals.ts';
import { wordsFor } from '../api/errors.ts';
import { isRefusal } from '../api/problem.ts';
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
  /** Of a row that cannot be deleted. */
  instead?: Instead<Row>;
  /** Runs after the row was deleted, or something else was done instead. */
  onDone?: () => Promise<void>;
}

/** What is offered in the same step when a row is refused with `refusal`. */
interface Instead<Row> {
  refusal: RefusalCode;
  /** Whether it can still be done to the row. */
  isOffered: (row: Row) => boolean;
  yes: string;
  /** Consequences, below the question. */
  details?: readonly string[];
  run: (row: Row) => Promise<void>;
}

/** ABOUT-11: asks, deletes after yes, removes the row from the list and reduces the total. Offers `instead` when that is refused. */
export function useDelete<C extends Call, Row>(
  call: C,
  list: List<Row>,
  options: Options<C, Row>,
): (row: Row) => Promise<void> {
  return async (row) => {
    const place = focusedRow();
    const details = options.details?.(row) ?? [];
    const yes = await confirm({
      text: options.question ?? texts.deleteRecord,
      details,
      yes: texts.delete,
      no: texts.cancel,
      danger: true,
    });
    if (!yes) return;
    try {
      await send(call, ...([options.input(row)] as unknown as SendArgs<C>));
    } catch (error) {
      const { instead } = options;
      if (!instead || !isRefusal(error, instead.refusal) || !instead.isOffered(row))
        return void toast.error(wordsFor(error));
      if (await offer(instead, row, { text: wordsFor(error), details })) await options.onDone?.();
      return;
    }
    leaveRow(place);
    list.remove((other) => options.isSame(other, row));
    await options.onDone?.();
    toast.success(options.success);
  };
}

/** Returns whether it was tried. */
async function offer<Row>(
  { yes, run, details = [] }: Instead<Row>,
  row: Row,
  { text, details: names }: { text: string; details: readonly string[] },
): Promise<boolean> {
  if (!(await confirm({ text, details: [...names, ...details], yes, no: texts.cancel, danger: true }))) return false;
  await run(row).catch((error: unknown) => toast.error(wordsFor(error)));
  return true;
}
