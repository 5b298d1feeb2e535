import { type pageSizes, searchDebounceMs } from '@roomside/contract/limits.ts';
import { useCallback, useEffect, useRef, useState } from 'react';

/** What a list remembers per entity while the tab lives (ABOUT-5). */
export interface Remembered {
  filter: string;
  /** 'column asc', 'column desc', or '' (ABOUT-8). */
  sort: string;
  total: number | null;
  pageIndex: number;
  pageSize: number;
}

export interface ListState extends Remembered {
  /** What stands in the search box; `filter` follows 500 ms after the last key. */
  text: string;
  setText: (text: string) => void;
  /** '' clears it. */
  setSort: (sort: string) => void;
  setPage: (pageIndex: number) => void;
  setPageSize: (pageSize: number) => void;
  setTotal: (total: number) => void;
  /** Grows with every refresh, so that the list asks again (ABOUT-7). */
  asked: number;
  refresh: () => void;
}

const storageKey = (entity: string) => `list:${entity}`;

function recall(entity: string, start: Remembered): Remembered {
  try {
    return { ...start, ...(JSON.parse(sessionStorage.getItem(storageKey(entity)) ?? '{}') as Partial<Remembered>) };
  } catch {
    return start;
  }
}

/** The state of one entity's list: filter, sort, total and page, kept in sessionStorage under `list:{entity}`. */
export function useListState(
  entity: string,
  start: { sort?: string; pageSize?: (typeof pageSizes)[number] } = {},
): ListState {
  const [state, setState] = useState<Remembered>(() =>
    recall(entity, { filter: '', sort: start.sort ?? '', total: null, pageIndex: 0, pageSize: start.pageSize ?? 20 }),
  );
  const [text, setText] = useState(state.filter);
  const [asked, setAsked] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const change = useCallback(
    (part: Partial<Remembered>) =>
      setState((old) => {
        const next = { ...old, ...part };
        sessionStorage.setItem(storageKey(entity), JSON.stringify(next));
        return next;
      }),
    [entity],
  );
  useEffect(() => () => clearTimeout(timer.current), []);

  return {
    ...state,
    text,
    asked,
    setText: (next) => {
      setText(next);
      clearTimeout(timer.current);
      // Another filter has another total, which is not known yet.
      timer.current = setTimeout(() => change({ filter: next.trim(), pageIndex: 0, total: null }), searchDebounceMs);
    },
    setSort: (sort) => change({ sort, pageIndex: 0 }),
    setPage: (pageIndex) => change({ pageIndex }),
    setPageSize: (pageSize) => change({ pageSize, pageIndex: 0 }),
    setTotal: useCallback((total: number) => change({ total }), [change]),
    refresh: () => {
      change({ pageIndex: 0, total: null });
      setAsked((count) => count + 1);
    },
  };
}
