import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import type { To } from 'react-router';
import { Button, type ButtonLook } from '../../ui/Button.tsx';

interface Props {
  look: ButtonLook;
  icon: ReactNode;
  label: string;
  to?: To;
  loading?: boolean;
  onClick?: () => void;
}

/** A button in the title bar; on a phone only its icon is shown. */
export function PageButton({ icon, label, ...rest }: Props) {
  return (
    <Button
      {...rest}
      aria-label={label}
      sx={{ flex: 'none', minWidth: 44, px: { xs: 1.25, sm: 2 }, gap: 1, '& svg': { fontSize: 'var(--rs-size-xl)' } }}
    >
      {icon}
      <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
        {label}
      </Box>
    </Button>
  );
}
