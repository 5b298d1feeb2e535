import type { Call, QueryOf, ResultOf } from '@roomside/contract/call.ts';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { type SendArgs, send } from '../api/send.ts';
import type { ListState } from './list-state.ts';

/** The result of every list (ABOUT-10); total null = keep the remembered one. */
export interface ListAnswer<Row> {
  data: Row[];
  total: number | null;
  first?: string | undefined;
  last?: string | undefined;
}

type RowOf<C extends Call> = ResultOf<C> extends { data: (infer Row)[] } ? Row : never;
/** The part of a list call's query that is not common to lists. */
type ExtraOf<C extends Call> = Omit<
  NonNullable<QueryOf<C>>,
  'top' | 'skip' | 'filter' | 'pageIndex' | 'orderBy' | 'total' | 'after' | 'before'
>;

export interface List<Row> {
  state: ListState;
  rows: readonly Row[] | undefined;
  total: number | null;
  error: Error | null;
  /** True while rows of an earlier page or filter are shown. */
  isStale: boolean;
  retry: () => void;
  /** ABOUT-11: removes a row from the list and reduces the total, after the server has deleted it. */
  remove: (isIt: (row: Row) => boolean) => void;
}

/**
 * The rows of a list call for a state (ABOUT-9). The remembered total and the neighboring page's key are sent with the
 * query but are not part of its cache key. The first query and one that repeats a page count again: rows may have been
 * added. A page that has become empty leads to the last one.
 */
export function useList<C extends Call>(
  call: C,
  state: ListState,
  extra: ExtraOf<C> = {} as ExtraOf<C>,
  options: { params?: unknown; enabled?: boolean } = {},
): List<RowOf<C>> {
  type Row = RowOf<C>;
  const client = useQueryClient();
  const { filter, sort, pageIndex, pageSize, asked } = state;
  const asking = { filter, sort, pageSize, extra, params: options.params, asked };
  const key = [call.name, asking, pageIndex];
  /** The last shown page; its first and last keys lead to the neighboring pages. */
  const shown = useRef<{ asking: string; pageIndex: number; first?: string | undefined; last?: string | undefined }>(
    undefined,
  );

  /** False until an answer since the list was opened: the remembered total may be old. */
  const isCounted = useRef(false);
  const ask = async (query: object, signal: AbortSignal) => {
    const input = { query, ...(options.params ? { params: options.params } : {}) };
    return (await send(call, ...([input, { signal }] as unknown as SendArgs<C>))) as ListAnswer<Row>;
  };

  const query = useQuery<ListAnswer<Row>>({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const isRepeat = client.getQueryData(key) !== undefined;
      const from = shown.current?.asking === JSON.stringify(asking) ? shown.current : undefined;
      const page = {
        top: pageSize,
        skip: pageIndex * pageSize,
        pageIndex,
        ...(filter ? { filter } : {}),
        ...(sort ? { orderBy: sort } : {}),
        ...extra,
      };
      const hints = {
        ...(state.total !== null && isCounted.current && !isRepeat ? { total: state.total } : {}),
        ...(from?.last && pageIndex === from.pageIndex + 1 ? { after: from.last } : {}),
        ...(from?.first && pageIndex === from.pageIndex - 1 && pageIndex > 0 ? { before: from.first } : {}),
      };
      let answer = await ask({ ...page, ...hints }, signal);
      // Rows have gone, so the remembered total is wrong.
      if (answer.data.length === 0 && 'total' in hints) answer = await ask(page, signal);
      isCounted.current = true;
      shown.current = { asking: JSON.stringify(asking), pageIndex, first: answer.first, last: answer.last };
      if (answer.total !== null) state.setTotal(answer.total);
      return answer;
    },
    placeholderData: keepPreviousData,
    enabled: options.enabled ?? true,
  });

  const { data, isPlaceholderData: isStale } = query;
  const isEmpty = data?.data.length === 0;
  const isPastEnd = isEmpty && !isStale && pageIndex > 0;
  const showLast = useEffectEvent((before: number) => {
    const last = Math.ceil((data?.total ?? Infinity) / pageSize) - 1;
    state.setPage(Math.max(0, Math.min(last, before - 1)));
  });
  useEffect(() => {
    if (isPastEnd) showLast(pageIndex);
  }, [isPastEnd, pageIndex]);

  return {
    state,
    // Nothing is known yet about this page.
    rows: isPastEnd || (isEmpty && isStale) ? undefined : data?.data,
    // A cached result of an earlier filter or day has its total.
    total: state.total ?? (isStale ? null : (data?.total ?? null)),
    error: query.error,
    isStale,
    retry: () => void query.refetch(),
    remove: (isIt) => {
      const left = data?.data.filter((row) => !isIt(row)) ?? [];
      client.setQueryData<ListAnswer<Row>>(
        key,
        (old) => old && { ...old, data: left, total: old.total === null ? null : Math.max(0, old.total - 1) },
      );
      if (state.total !== null) state.setTotal(Math.max(0, state.total - 1));
      // The last page is empty now, so the one before is shown.
      if (left.length === 0 && pageIndex > 0) state.setPage(pageIndex - 1);
    },
  };
}
