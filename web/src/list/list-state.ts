import { type pageSizes, searchDebounceMs } from '@roomside/contract/limits.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { keepPersonal, recallPersonal } from '../api/personal-storage.ts';

/** The state of a list per entity, kept in the tab (ABOUT-5). */
export interface Remembered {
  filter: string;
  /** 'column asc', 'column desc', or '' (ABOUT-8). */
  sort: string;
  total: number | null;
  pageIndex: number;
  pageSize: number;
  /** What total and page belong to besides the filter, e.g. the shown day. */
  scope: string;
}

export interface ListState extends Remembered {
  /** The text in the search box; `filter` follows 500 ms after the last key. */
  text: string;
  setText: (text: string) => void;
  /** '' clears it. */
  setSort: (sort: string) => void;
  setPage: (pageIndex: number) => void;
  setPageSize: (pageSize: number) => void;
  setTotal: (total: number) => void;
  /** Changes with every refresh of any list, so that no earlier result is used (ABOUT-7). */
  asked: number;
  refresh: () => void;
}

let refreshes = 0;

const nameOf = (entity: string) => `list:${entity}`;

function recall(entity: string, start: Remembered): Remembered {
  try {
    const kept = JSON.parse(recallPersonal(nameOf(entity)) ?? '{}') as Partial<Remembered>;
    return rescope({ ...start, ...kept }, start.scope);
  } catch {
    return start;
  }
}

/** Another scope has other rows: filter and sort stay, total and page are reset. */
function rescope(state: Remembered, scope: string): Remembered {
  return state.scope === scope ? state : { ...state, scope, total: null, pageIndex: 0 };
}

/**
 * The state of one entity's list: filter, sort, total and page, kept for this person in the tab. A list that depends on
 * more (a day, a provider) names it in `scope`.
 */
export function useListState(
  entity: string,
  start: { sort?: string; pageSize?: (typeof pageSizes)[number]; scope?: string } = {},
): ListState {
  const { sort = '', pageSize = 20, scope = '' } = start;
  const [kept, setState] = useState<Remembered>(() =>
    recall(entity, { filter: '', sort, total: null, pageIndex: 0, pageSize, scope }),
  );
  const state = rescope(kept, scope);
  const [text, setText] = useState(state.filter);
  const [asked, setAsked] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const change = useCallback(
    (part: Partial<Remembered>) =>
      setState((old) => {
        const next = { ...rescope(old, scope), ...part };
        keepPersonal(nameOf(entity), JSON.stringify(next));
        return next;
      }),
    [entity, scope],
  );
  useEffect(() => () => clearTimeout(timer.current), []);

  return {
    ...state,
    text,
    asked,
    setText: (next) => {
      setText(next);
      clearTimeout(timer.current);
      // The total of another filter is not known yet.
      timer.current = setTimeout(() => change({ filter: next.trim(), pageIndex: 0, total: null }), searchDebounceMs);
    },
    setSort: (sort) => change({ sort, pageIndex: 0 }),
    setPage: (pageIndex) => change({ pageIndex }),
    setPageSize: (pageSize) => change({ pageSize, pageIndex: 0 }),
    setTotal: useCallback((total: number) => change({ total }), [change]),
    refresh: () => {
      change({ pageIndex: 0, total: null });
      refreshes += 1;
      setAsked(refreshes);
    },
  };
}
