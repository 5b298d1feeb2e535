import { type BookableStart, listBookingSlots as call } from '@roomside/contract/booking/calls.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { readFreeStarts } from '../schedule/availability.ts';
import { bookablePart, bookableProviders, openBooking } from './open-booking.ts';

export const listBookingSlots = forAnyone(call, async ({ context, params, query, now, address }) => {
  await throttle(context, attemptsOf('booking-slots', address));
  return openBooking(context, params.companyUid, now, async (tx, { companyId, days }) => {
    const range = bookablePart(query, days);
    if (!range) return { data: [] };
    const all = (await bookableProviders(tx, companyId)).map(({ userId }) => userId);
    const doctors = query.doctorId ? all.filter((doctor) => doctor === query.doctorId) : all;
    if (doctors.length === 0 && query.doctorId) throw notFound();
    const starts = await readFreeStarts(tx, companyId, doctors, range, { now });
    return { data: query.doctorId ? starts : onePerStart(starts) };
  });
});

/** For 'anyone': each start once, with the provider who has the largest number of free starts, to spread the work. */
function onePerStart(starts: readonly BookableStart[]): BookableStart[] {
  const free = new Map<number, number>();
  for (const { doctorId } of starts) free.set(doctorId, (free.get(doctorId) ?? 0) + 1);
  const chosen = new Map<string, BookableStart>();
  for (const start of starts) {
    const other = chosen.get(start.startDate);
    if (!other || (free.get(start.doctorId) ?? 0) > (free.get(other.doctorId) ?? 0)) chosen.set(start.startDate, start);
  }
  return [...chosen.values()];
}
