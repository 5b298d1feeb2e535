import 'temporal-polyfill/global';
import { expect, test } from 'vitest';
import { ownZone } from '../../time/time.ts';
import { wordsForMove } from './move-words.ts';

const zone = ownZone();
/** An instant of a wall time in the zone of this machine. */
const at = (wall: string) => Temporal.PlainDateTime.from(wall).toZonedDateTime(zone).toInstant().toString();
const move = (startDate: string, more: Partial<Parameters<typeof wordsForMove>[0]> = {}) =>
  wordsForMove({
    from: { startDate: at('2026-11-26T09:00') },
    to: { startDate, patient: 'Nguyen, Noah' },
    provider: 'Noor Nash',
    zone,
    notice: 'held',
    isUndo: false,
    ...more,
  });

test('a move: is said with its time, with the day when it is another one, and with what the patient gets', () => {
  expect(move(at('2026-11-26T09:30'))).toBe('Noah Nguyen moved to 9:30 AM. They’ll be notified in 10 seconds.');
  expect(move(at('2026-11-27T14:15'), { notice: 'queued' })).toBe(
    'Noah Nguyen moved to Friday, November 27, 2026, 2:15 PM. They’re being notified.',
  );
  expect(move(at('2026-11-26T09:30'), { notice: 'trialLimit' })).toBe(
    'Noah Nguyen moved to 9:30 AM. Your clinic has reached its limit of messages for today. Please let them know.',
  );
  expect(move(at('2026-11-26T09:30'), { notice: 'none' })).toBe('Noah Nguyen moved to 9:30 AM.');
});

test('a move to another provider at the same time: is said with the provider', () => {
  expect(move(at('2026-11-26T09:00'))).toBe('Noah Nguyen moved to Noor Nash. They’ll be notified in 10 seconds.');
  expect(move(at('2026-11-26T09:00'), { notice: 'none', isUndo: true })).toBe(
    'Noah Nguyen moved back to Noor Nash. Nothing is sent.',
  );
});

test('a move that is undone: says where it is again, and that nothing is sent when the first message was held', () => {
  expect(move(at('2026-11-26T09:30'), { notice: 'none', isUndo: true })).toBe(
    'Noah Nguyen moved back to 9:30 AM. Nothing is sent.',
  );
  expect(move(at('2026-11-26T09:30'), { notice: 'trialLimit', isUndo: true })).toBe(
    'Noah Nguyen moved back to 9:30 AM. Nothing is sent.',
  );
  expect(move(at('2026-11-27T09:00'), { notice: 'queued', isUndo: true })).toBe(
    'Noah Nguyen moved back to Friday, November 27, 2026, 9:00 AM. They’re being notified.',
  );
});
