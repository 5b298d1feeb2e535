import { Box, Card, Typography } from '@mui/material';
import { nextDates, ruleWords } from '@roomside/contract/scheduling-rules/recurrence.ts';
import { useDeferredValue } from 'react';
import { useWatch } from 'react-hook-form';
import { weeksOf } from '../../time/months.ts';
import { formatLongDate, formatMonth } from '../../time/time.ts';
import { type RuleValues, toRecurrence } from './rule-form.ts';
import { texts } from './texts.ts';

const shown = 10;
const months = 3;

/** A live preview of the rule: its pattern in words, the next ten dates, and a small calendar. */
export function RulePreview({ today }: { today: string }) {
  const values = useDeferredValue(useWatch<RuleValues>() as RuleValues);
  const rule = toRecurrence(values);
  return (
    <Card
      component="section"
      aria-label={texts.preview}
      sx={{ p: { xs: 2, sm: 3 }, display: 'grid', gap: 1.5, alignContent: 'start' }}
    >
      <Typography variant="h2">{texts.preview}</Typography>
      <Dates today={today} values={values} rule={rule} />
    </Card>
  );
}

function Dates({ today, values, rule }: { today: string; values: RuleValues; rule: ReturnType<typeof toRecurrence> }) {
  if (!rule) return <Typography color="textSecondary">{texts.previewIncomplete}</Typography>;
  if (values.disabled) return <Typography color="textSecondary">{texts.previewDisabled}</Typography>;
  const dates = nextDates(rule, today, shown);
  const marked = new Set(dates);
  const inMonths = [...new Set(dates.map((date) => date.slice(0, 7)))].slice(0, months);
  return (
    <>
      <Typography sx={{ fontWeight: 600 }} aria-live="polite">
        {ruleWords(rule)}
      </Typography>
      {dates.length === 0 ? (
        <Typography color="textSecondary">{texts.previewNone}</Typography>
      ) : (
        <>
          <Typography variant="body2" color="textSecondary" id="rule-next">
            {texts.previewNext}
          </Typography>
          <Box component="ol" aria-labelledby="rule-next" sx={{ m: 0, pl: 3, columnCount: { xs: 1, sm: 2, lg: 1 } }}>
            {dates.map((date) => (
              <li key={date}>{formatLongDate(date)}</li>
            ))}
          </Box>
          {/* Shows the same as the list. */}
          <Box aria-hidden="true" sx={{ display: 'flex', flexWrap: 'wrap', gap: 2 }}>
            {inMonths.map((month) => (
              <Box key={month} sx={{ width: 7 * 32 }}>
                <Typography variant="body2" sx={{ fontWeight: 600 }}>
                  {formatMonth(`${month}-01`)}
                </Typography>
                <Box sx={week}>
                  {texts.weekdayNames.map((name) => (
                    <Box key={name} sx={plainDay}>
                      {name.slice(0, 2)}
                    </Box>
                  ))}
                </Box>
                {weeksOf(month).map((days) => (
                  <Box key={days.find(Boolean)} sx={week}>
                    {days.map((day, index) => (
                      <Box key={day ?? index} sx={day !== null && marked.has(day) ? markedDay : plainDay}>
                        {day && Number(day.slice(8))}
                      </Box>
                    ))}
                  </Box>
                ))}
              </Box>
            ))}
          </Box>
        </>
      )}
    </>
  );
}

const week = { display: 'grid', gridTemplateColumns: 'repeat(7, 1fr)', justifyItems: 'center' } as const;
const plainDay = {
  width: 26,
  height: 26,
  my: '2px',
  display: 'grid',
  placeItems: 'center',
  fontSize: 'var(--rs-size-2xs)',
  fontVariantNumeric: 'tabular-nums',
  color: 'text.secondary',
} as const;
const markedDay = {
  ...plainDay,
  borderRadius: '50%',
  bgcolor: 'var(--rs-accent)',
  color: 'var(--rs-on-accent)',
  fontWeight: 700,
} as const;
