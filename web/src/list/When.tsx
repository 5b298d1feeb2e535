import { Box } from '@mui/material';

/** A date and time in a list, e.g. '11/21/2026, 9:30 AM EST': in a narrow column the time wraps as a whole. */
export function When({ children }: { children: string }) {
  const [date, ...time] = children.split(', ');
  return (
    <>
      <Box component="span" sx={oneLine}>
        {date},
      </Box>{' '}
      <Box component="span" sx={oneLine}>
        {time.join(', ')}
      </Box>
    </>
  );
}

const oneLine = { whiteSpace: 'nowrap' } as const;
