import { Box } from '@mui/material';
import { getDataExport } from '@roomside/contract/data-export/calls.ts';
import { useRead } from '../../api/use-call.ts';
import { useClosed } from '../../api/use-closed.ts';
import { Page } from '../../ui/Page.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { WhenRead } from '../../ui/WhenRead.tsx';
import { RetentionSection } from '../retention/RetentionSection.tsx';
import { ExportSection } from './ExportSection.tsx';
import { texts } from './texts.ts';

/**
 * /admin/data: an administrator exports all data of the clinic, and sets how long records are kept. With an expired license they can
 * only export.
 */
export function DataPage() {
  const isClosed = useClosed() !== undefined;
  const exported = useRead(getDataExport, undefined, { staleTime: 0 });
  return (
    <Page title={texts.title} width="form">
      <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <ExportSection />
        {!isClosed && (
          <WhenRead isRead={exported.isFetched} waiting={<FormSkeleton sections={[3]} />}>
            <RetentionSection />
          </WhenRead>
        )}
      </Box>
    </Page>
  );
}
