import ChevronLeftIcon from '@mui/icons-material/ChevronLeft';
import ChevronRightIcon from '@mui/icons-material/ChevronRight';
import { Alert, Box, IconButton, Skeleton, Typography } from '@mui/material';
import { durationBounds } from '@roomside/contract/limits.ts';
import { listSlots } from '@roomside/contract/schedule/calls.ts';
import { type KeyboardEvent, useEffect, useEffectEvent, useId } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { wordsFor } from '../../api/errors.ts';
import { useRead } from '../../api/use-call.ts';
import { addDays, clocksChange, formatDay, formatTime, formatZonedTime, timeOf } from '../../time/time.ts';
import type { AppointmentValues } from './appointment-form.ts';
import { texts } from './edit-texts.ts';

const words = texts.slots;

interface Props {
  appointmentId: number;
  zone: string;
  /** The start that was chosen last. */
  slot: string;
  onSlot: (start: string) => void;
  /** Called when the first slots were read, or none can be: what is below has its place. */
  onRead: () => void;
}

/**
 * The chosen provider's day: morning and afternoon (CONST-11), free and taken slots. Picking one sets the time. Other
 * times can be typed, and a taken slot can be double-booked. The slots of the former day stay while those of another one are read, so
 * that the fields below do not move twice; they cannot be picked.
 */
export function SlotPicker({ appointmentId, zone, slot: chosen, onSlot, onRead }: Props) {
  const { setValue } = useFormContext<AppointmentValues>();
  const name = useId();
  const [doctorId, date, time, minutes] = useWatch<AppointmentValues, ['doctorId', 'date', 'time', 'minutes']>({
    name: ['doctorId', 'date', 'time', 'minutes'],
  });
  const isDate = /^(19|20|21)\d\d-\d{2}-\d{2}$/.test(date);
  const length = Number(minutes);
  const isLength = Number.isInteger(length) && length >= durationBounds.min && length <= durationBounds.max;
  const query = { doctorId, date, appointmentId, ...(isLength && { minutes: length }) };
  const enabled = doctorId > 0 && isDate;
  const options = { enabled, staleTime: 10_000, keepPrevious: true };
  const { data, error, isFetched, isPlaceholderData: isFormer } = useRead(listSlots, { query }, options);
  const isRead = isFetched || !enabled;
  const read = useEffectEvent(onRead);
  useEffect(() => {
    if (isRead) read();
  }, [isRead]);
  if (!enabled) return null;
  const go = (days: number) => setValue('date', addDays(date, days), { shouldDirty: true, shouldValidate: true });
  const pick = (start: string) => {
    setValue('time', timeOf(start, zone), { shouldDirty: true, shouldValidate: true });
    onSlot(start);
  };
  const starts = (data?.data ?? []).map(({ startDate }) => startDate);
  const meant = starts.filter((one) => timeOf(one, zone) === time);
  const start = meant.find((one) => one === chosen) ?? meant[0];
  const isZoned = clocksChange(date, zone);
  const format = isZoned ? formatZonedTime : formatTime;
  const parts = [
    { title: words.morning, slots: (data?.data ?? []).filter(({ startDate }) => timeOf(startDate, zone) < '12:00') },
    { title: words.afternoon, slots: (data?.data ?? []).filter(({ startDate }) => timeOf(startDate, zone) >= '12:00') },
  ].filter(({ slots }) => slots.length > 0);
  return (
    <Box component="section" aria-label={words.title(formatDay(date))} aria-busy={isFormer} sx={frame}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
        <IconButton aria-label={words.previous} onClick={() => go(-1)}>
          <ChevronLeftIcon />
        </IconButton>
        <Typography component="h3" variant="subtitle2" sx={{ flex: 1, textAlign: 'center' }} aria-live="polite">
          {formatDay(date)}
        </Typography>
        <IconButton aria-label={words.next} onClick={() => go(1)}>
          <ChevronRightIcon />
        </IconButton>
      </Box>
      {error && !data && <Alert severity="error">{wordsFor(error)}</Alert>}
      {!data && !error && <Skeleton variant="rounded" height={88} />}
      {data && parts.length === 0 && (
        <Typography variant="body2" color="textSecondary" sx={{ px: 1, pb: 1 }}>
          {data.off ? words.off(data.off.clinic, data.off.reason) : words.none}
        </Typography>
      )}
      {parts.length > 0 && (
        <Box role="radiogroup" aria-label={texts.time} sx={{ opacity: isFormer ? 0.6 : 1 }}>
          {parts.map(({ title, slots }) => (
            <Box key={title} role="group" aria-label={title} sx={{ px: 1, pb: 1 }}>
              <Typography variant="caption" color="textSecondary">
                {title}
              </Typography>
              <Box sx={[grid, isZoned && zonedGrid]}>
                {slots.map(({ startDate, free }) => {
                  const label = format(startDate, zone);
                  return (
                    <Box key={startDate} component="label" sx={[slot, !free && takenSlot]}>
                      <input
                        type="radio"
                        disabled={isFormer}
                        name={name}
                        checked={!isFormer && startDate === start}
                        aria-label={free ? label : words.taken(label)}
                        onChange={() => pick(startDate)}
                        onKeyDown={(event) => onEnter(event, () => pick(startDate))}
                      />
                      {label}
                    </Box>
                  );
                })}
              </Box>
            </Box>
          ))}
        </Box>
      )}
      {data?.data.some(({ free }) => !free) && (
        <Typography variant="caption" color="textSecondary" sx={{ display: 'block', px: 1, pb: 0.5 }}>
          {words.legend}
        </Typography>
      )}
    </Box>
  );
}

const frame = { border: 1, borderColor: 'divider', borderRadius: 1, p: 0.5 } as const;
const grid = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(84px, 1fr))',
  gap: 0.75,
  mt: 0.5,
} as const;
/** The longest label is "10:00 AM GMT+12:45". */
const zonedGrid = { gridTemplateColumns: 'repeat(auto-fill, minmax(136px, 1fr))' } as const;

/** Enter chooses; in a form it would save. */
function onEnter(event: KeyboardEvent, pick: () => void): void {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  pick();
}

/** A radio button over its whole label, which looks like a button. */
const slot = {
  position: 'relative',
  display: 'grid',
  placeItems: 'center',
  textAlign: 'center',
  minHeight: 44,
  border: '1px solid var(--rs-line-strong)',
  borderRadius: 1,
  fontSize: 'var(--rs-size-xs)',
  fontWeight: 600,
  fontVariantNumeric: 'tabular-nums',
  '& input': { position: 'absolute', inset: 0, width: 1, height: 1, m: 0, opacity: 0, cursor: 'pointer' },
  '&:hover': { bgcolor: 'var(--rs-accent-soft)' },
  '&:has(:checked)': { borderColor: 'primary.main', bgcolor: 'primary.main', color: 'primary.contrastText' },
  // Windows' high contrast replaces all colors.
  '@media (forced-colors: active)': {
    '&:has(:checked)': { forcedColorAdjust: 'none', bgcolor: 'Highlight', color: 'HighlightText' },
  },
  '&:has(:focus-visible)': { outline: '2px solid var(--rs-accent)', outlineOffset: 2 },
} as const;
/** Taken: crossed out and dashed, so that it is seen without colors. A chosen one is filled like any other. */
const takenSlot = {
  textDecoration: 'line-through',
  '&:not(:has(:checked))': { borderStyle: 'dashed', color: 'text.secondary' },
} as const;
