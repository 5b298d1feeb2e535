import type { Call, QueryOf, ResultOf } from '@roomside/contract/call.ts';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
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
 * query but are not part of its cache key; reading the same page again counts again.
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

  const query = useQuery<ListAnswer<Row>>({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const isRepeat = client.getQueryData(key) !== undefined;
      const from = shown.current?.asking === JSON.stringify(asking) ? shown.current : undefined;
      const wire = {
        top: pageSize,
        skip: pageIndex * pageSize,
        pageIndex,
        ...(filter ? { filter } : {}),
        ...(sort ? { orderBy: sort } : {}),
        ...(state.total !== null && !isRepeat ? { total: state.total } : {}),
        ...(from?.last && pageIndex === from.pageIndex + 1 ? { after: from.last } : {}),
        ...(from?.first && pageIndex === from.pageIndex - 1 && pageIndex > 0 ? { before: from.first } : {}),
        ...extra,
      };
      const input = { query: wire, ...(options.params ? { params: options.params } : {}) };
      const answer = (await send(call, ...([input, { signal }] as unknown as SendArgs<C>))) as ListAnswer<Row>;
      shown.current = { asking: JSON.stringify(asking), pageIndex, first: answer.first, last: answer.last };
      if (answer.total !== null) state.setTotal(answer.total);
      return answer;
    },
    placeholderData: keepPreviousData,
    enabled: options.enabled ?? true,
  });

  return {
    state,
    rows: query.data?.data,
    // A cached result of an earlier filter or day has its total.
    total: state.total ?? (query.isPlaceholderData ? null : (query.data?.total ?? null)),
    error: query.error,
    isStale: query.isPlaceholderData,
    retry: () => void query.refetch(),
    remove: (isIt) => {
      const left = query.data?.data.filter((row) => !isIt(row)) ?? [];
      client.setQueryData<ListAnswer<Row>>(key, (old) => old && { ...old, data: left });
      if (state.total !== null) state.setTotal(Math.max(0, state.total - 1));
      // The last page is empty now, so the one before is shown.
      if (left.length === 0 && pageIndex > 0) state.setPage(pageIndex - 1);
    },
  };
}
