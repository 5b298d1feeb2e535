import type { Context } from '../../platform/context.ts';
import { Refusal } from '../../platform/refusal.ts';
import { openBooking } from './open-booking.ts';

/** Adds the free starts to a refusal of a booking, in a new transaction after the refused one. */
export async function explained<T>(
  context: Context,
  companyUid: string,
  now: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { about, ...details } = error.details;
    const read = about && context.refusalReaders[error.code];
    if (!read) throw error;
    const { current } = await openBooking(context, companyUid, now, (tx) => read(tx, about));
    throw new Refusal(error.code, { ...details, current });
  }
}
