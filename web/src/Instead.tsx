import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { loadDocumentOf } from './own-document.ts';

/** Opens another page in place of the present one, also in another document: the way back leads past the present one. */
export function Instead({ page }: { page: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    if (!loadDocumentOf(page, true)) void navigate(page, { replace: true });
  }, [page, navigate]);
  return null;
}
