import { Box, Typography } from '@mui/material';
import {
  formatDate,
  formatDateTime,
  formatDay,
  formatDayLink,
  formatLongDate,
  formatMonth,
  formatTime,
} from '../../time/time.ts';
import { Section } from '../../ui/Section.tsx';
import { texts } from './texts.ts';

const colors = [
  ...['accent', 'accent-strong', 'accent-soft', 'on-accent', 'ground', 'surface', 'sunken', 'line', 'line-strong'],
  ...['text', 'text-soft', 'danger', 'danger-soft', 'warning', 'warning-soft', 'success', 'success-soft', 'info'],
  'info-soft',
];
const sizes = ['3xs', '2xs', 'xs', 'sm', 'md', 'base', 'lg', 'xl', '2xl'];
const radii = ['sm', 'md', 'lg', 'full'];
const spaces = ['2xs', 'xs', 'sm', 'md', 'lg', 'xl', '2xl'];

const swatches = { display: 'grid', gap: 1.5, gridTemplateColumns: 'repeat(auto-fill, minmax(104px, 1fr))' } as const;

/** The values of tokens.css: colors, type scale, corners, spacing. */
export function Tokens() {
  return (
    <>
      <Section title="Colors">
        <Box sx={swatches}>
          {colors.map((name) => (
            <div key={name}>
              <Box
                sx={{
                  height: 44,
                  bgcolor: `var(--rs-${name})`,
                  border: '1px solid var(--rs-line)',
                  borderRadius: 'var(--rs-radius-sm)',
                }}
              />
              <Typography variant="caption">{name}</Typography>
            </div>
          ))}
        </Box>
      </Section>
      <Section title="Type and corners">
        {sizes.map((size) => (
          <Box key={size} sx={{ fontSize: `var(--rs-size-${size})`, lineHeight: 1.3 }}>
            {size}: {texts.sample}
          </Box>
        ))}
        <Box sx={swatches}>
          {radii.map((radius) => (
            <Box
              key={radius}
              sx={{
                display: 'grid',
                placeItems: 'center',
                height: 44,
                border: '1px solid var(--rs-line-strong)',
                borderRadius: `var(--rs-radius-${radius})`,
              }}
            >
              {radius}
            </Box>
          ))}
        </Box>
      </Section>
      <Section title="Spacing">
        <Box sx={{ display: 'grid', gridTemplateColumns: 'auto 1fr', alignItems: 'center', columnGap: 2, rowGap: 1 }}>
          {spaces.map((space) => (
            <Box key={space} sx={{ display: 'contents' }}>
              <span>{space}</span>
              <Box sx={{ width: `var(--rs-space-${space})`, height: 16, bgcolor: 'var(--rs-accent)' }} />
            </Box>
          ))}
        </Box>
      </Section>
    </>
  );
}

const zone = 'America/New_York';
const instant = '2026-11-24T14:30:00Z';

const dates: readonly (readonly [use: string, example: string])[] = [
  [texts.dates.date, formatDate('2026-11-24')],
  [texts.dates.list, formatDateTime(instant, zone)],
  [texts.dates.foreign, formatDateTime(instant, zone, 'Europe/Berlin')],
  [texts.dates.time, formatTime(instant, zone)],
  [texts.dates.heading, formatLongDate('2026-11-24')],
  [texts.dates.link, formatDayLink('2026-11-24')],
  [texts.dates.day, formatDay('2026-11-24')],
  [texts.dates.month, formatMonth('2026-11-24')],
];

/** How dates and times are written, by use. */
export function Dates() {
  return (
    <Section title="Dates and times">
      <Box component="dl" sx={{ display: 'grid', gridTemplateColumns: 'auto 1fr', columnGap: 3, rowGap: 0.5, m: 0 }}>
        {dates.map(([use, example]) => (
          <Box key={use} sx={{ display: 'contents' }}>
            <Typography component="dt" color="textSecondary">
              {use}
            </Typography>
            <Box component="dd" sx={{ m: 0 }}>
              {example}
            </Box>
          </Box>
        ))}
      </Box>
    </Section>
  );
}
