import { Box } from '@mui/material';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ListTable } from '../../list/ListTable.tsx';
import { Loading as LoadingContent } from '../../ui/Loading.tsx';
import { LoadingBar } from '../../ui/LoadingBar.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { Splash } from '../../ui/light/Splash.tsx';
import { Section } from '../../ui/Section.tsx';
import { CardsSkeleton, DaySkeleton, FormSkeleton } from '../../ui/Skeletons.tsx';
import { useMadeUpList } from './Lists.tsx';
import { row, Shape } from './parts.tsx';
import { texts } from './texts.ts';

/** What is shown while something loads. */
export function Loading() {
  const list = useMadeUpList({ total: null });
  return (
    <Section title="Loading">
      <Shape name={texts.form}>
        <FormSkeleton sections={[4]} />
      </Shape>
      <Shape name={texts.cards}>
        <CardsSkeleton cards={2} />
      </Shape>
      <Shape name={texts.table}>
        <ListTable {...list} />
      </Shape>
      <Shape name={texts.day}>
        {/* It is as high as the window. */}
        <Box sx={{ '& .MuiCard-root': { height: 480 } }}>
          <DaySkeleton />
        </Box>
      </Shape>
      <Shape name={texts.content}>
        <LoadingContent />
      </Shape>
      <Shape name={texts.bar}>
        <BusyBar />
      </Shape>
      <Shape name={texts.forPatients}>
        <Box sx={row}>
          <Spinner />
          <Spinner label={texts.opening} />
        </Box>
        {/* It is as high as the window. */}
        <Box sx={{ '& .rs-splash': { minHeight: 120 } }}>
          <Splash />
        </Box>
      </Shape>
    </Section>
  );
}

/** The bar of a title bar, with a cache in which a read never ends. */
function BusyBar() {
  const [client] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={client}>
      <Endless />
      <Box sx={{ position: 'relative', height: 24, borderBottom: '1px solid var(--rs-line)' }}>
        <LoadingBar />
      </Box>
    </QueryClientProvider>
  );
}

function Endless() {
  useQuery({ queryKey: ['endless'], queryFn: () => new Promise<never>(() => undefined) });
  return null;
}
