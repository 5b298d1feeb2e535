import {
  removeExternalCalendar as removeCall,
  saveExternalCalendar as saveCall,
} from '@roomside/contract/calendars/calls.ts';
import { calendarProblems } from '@roomside/contract/calendars/problems.ts';
import type { Context } from '../../platform/context.ts';
import { forStaff, forStaffInSteps } from '../../platform/http/handler.ts';
import { fieldRefusal, notFound } from '../../platform/refusal.ts';
import { sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import { throttle } from '../../platform/throttle.ts';
import { CalendarUnread, calendarUrl, downloadCalendar } from './download-calendar.ts';
import {
  busyWindow,
  contentHash,
  deleteBusyTimes,
  findExternal,
  readColumns,
  writeBusyTimes,
} from './external-rows.ts';
import { requireCalendarOf } from './feed-rows.ts';
import { readBusyEvents } from './read-busy-events.ts';

/** Reads the calendar, then saves its address and busy times. Nothing is saved when it cannot be read. */
export const saveExternalCalendar = forStaffInSteps(saveCall, async (input) => {
  const { context, params, body, now, look, commit } = input;
  const { userId } = params;
  const caller = await look(async (tx, staff) => {
    await requireCalendarOf(context, tx, staff, userId);
    return staff;
  });
  const { companyId, timeZone } = caller;
  await throttle(context, [{ scope: 'calendar-checks', subject: `user ${caller.userId}` }]);
  const read = await readFirst(context, { companyId, timeZone }, body.address).catch(refuseUnread);
  return commit(async (tx, staff, afterCommit) => {
    await requireCalendarOf(context, tx, staff, userId);
    const { href } = read.url;
    const place = sealedPlaces.externalCalendar(userId);
    const values = {
      address: await sealText(tx, context.keys, { companyId, now }, href, place),
      content_hash: read.hash,
      expanded_at: now,
      expanded_zone: timeZone,
      ...readColumns(Date.parse(now), read.version),
    };
    await tx
      .insertInto('external_calendars')
      .values({ company_id: companyId, user_id: userId, ...values })
      .onConflict((conflict) => conflict.columns(['company_id', 'user_id']).doUpdateSet(values))
      .execute();
    await writeBusyTimes(context, tx, { companyId, userId }, read.events, afterCommit).catch(refuseUnread);
    const saved = await findExternal(context, tx, { companyId, userId, now });
    if (!saved) throw notFound();
    return saved;
  });
});

async function readFirst(
  context: Context,
  { companyId, timeZone }: { companyId: number; timeZone: string },
  address: string,
) {
  const url = calendarUrl(context, address);
  const found = await downloadCalendar(context, url, { etag: '', lastModified: '' });
  // A server that answers an unconditional request with 304.
  if (!found) throw new CalendarUnread('unreachable');
  const { text, ...version } = found;
  const query = { text, timeZone, ...busyWindow(context.clock.now()) };
  const events = await readBusyEvents({ by: 'save', companyId }, query);
  return { url, events, version, hash: contentHash(text) };
}

/** @throws Refusal `invalid` with the problem under the field */
function refuseUnread(error: unknown): never {
  if (!(error instanceof CalendarUnread)) throw error;
  throw fieldRefusal('invalid', 'address', calendarProblems[error.problem]);
}

export const removeExternalCalendar = forStaff(removeCall, async ({ context, caller, params, tx, afterCommit }) => {
  const { companyId } = caller;
  const { userId } = params;
  await requireCalendarOf(context, tx, caller, userId);
  await tx.deleteFrom('external_calendars').where('company_id', '=', companyId).where('user_id', '=', userId).execute();
  await deleteBusyTimes(tx, { companyId, userId });
  afterCommit(() => context.push.schedule(companyId));
  return undefined;
});
