import { Box } from '@mui/material';
import encodeQR from 'qr';

/** A QR code as an SVG: one path, one square for each dark module. Black on white in both themes, as scanners need it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, 'raw', { border: 2 });
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      sx={{
        display: 'block',
        width: 220,
        maxWidth: '100%',
        mx: 'auto',
        bgcolor: 'common.white',
        color: 'common.black',
      }}
    >
      <path d={path} fill="currentColor" />
    </Box>
  );
}
