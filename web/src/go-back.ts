import { useNavigateAfterCall } from './page-of-call.ts';

/**
 * Whether the tab has a page of ours before this one. The router numbers its entries from 0; an address that was typed over a page has
 * no number.
 */
const hasPageBefore = (): boolean => (history.state as { idx?: number } | null)?.idx !== 0;

/** Goes to the page before; from the first page of a tab to `list`. Does nothing after its page was left. */
export function useGoBack(list: string): () => Promise<void> {
  const navigate = useNavigateAfterCall();
  return async () => {
    if (hasPageBefore()) await navigate(-1);
    else await navigate(list, { replace: true });
  };
}
