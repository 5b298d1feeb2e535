import { Box, Card, Skeleton } from '@mui/material';
import type { ReactNode } from 'react';
import { texts } from './texts.ts';

function Waiting({ children }: { children: ReactNode }) {
  return (
    <Box role="status" aria-label={texts.loading} sx={{ display: 'grid', gap: 2.5 }}>
      {children}
    </Box>
  );
}

/** The shape of a form while it loads: `sections` has the number of fields of each. */
export function FormSkeleton({ sections }: { sections: readonly number[] }) {
  return (
    <Waiting>
      {sections.map((fields, section) => (
        <Card key={section} sx={{ display: 'grid', gap: 2, p: { xs: 2, sm: 3 } }}>
          <Skeleton variant="text" width={140} sx={{ fontSize: 'var(--rs-size-lg)' }} />
          <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}>
            {Array.from({ length: fields }, (_, field) => (
              <Box key={field}>
                <Skeleton variant="text" width={96} sx={{ mb: 0.75, fontSize: 'var(--rs-size-sm)' }} />
                <Skeleton variant="rounded" height={44} />
              </Box>
            ))}
          </Box>
        </Card>
      ))}
    </Waiting>
  );
}

/** The shape of a list of cards while it loads. */
export function CardsSkeleton({ cards = 3 }: { cards?: number }) {
  return (
    <Waiting>
      {Array.from({ length: cards }, (_, card) => (
        <Card key={card} sx={{ p: 2 }}>
          <Skeleton variant="text" width="45%" sx={{ fontSize: 'var(--rs-size-lg)' }} />
          <Skeleton variant="text" width="70%" />
          <Skeleton variant="text" width="30%" />
        </Card>
      ))}
    </Waiting>
  );
}

/** The shape of a day's calendar while it loads: the hours, and a column for each provider. */
export function DaySkeleton() {
  return (
    <Waiting>
      <Card sx={{ overflow: 'hidden', height: { xs: 480, sm: 'calc(100dvh - 140px)' } }}>
        <Box
          sx={{ display: 'grid', gridTemplateColumns: { xs: '48px 1fr', sm: '64px repeat(3, 1fr)' }, height: '100%' }}
        >
          {[0, 1, 2, 3].map((column) => (
            <Box
              key={column}
              sx={{
                display: { xs: column > 1 ? 'none' : 'grid', sm: 'grid' },
                alignContent: 'space-evenly',
                borderLeft: column > 0 ? '1px solid var(--rs-line)' : 0,
                px: 1,
              }}
            >
              {[0, 1, 2, 3, 4, 5].map((row) =>
                column === 0 ? (
                  <Skeleton key={row} variant="text" sx={{ fontSize: 'var(--rs-size-2xs)' }} />
                ) : (
                  <Skeleton
                    key={row}
                    variant="rounded"
                    height={44}
                    sx={{ visibility: (row + column) % 3 === 0 ? 'visible' : 'hidden' }}
                  />
                ),
              )}
            </Box>
          ))}
        </Box>
      </Card>
    </Waiting>
  );
}
