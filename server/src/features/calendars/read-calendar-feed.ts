import { createHash } from 'node:crypto';
import { readCalendarFeed as call } from '@roomside/contract/calendars/calls.ts';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { feedCalendar } from '../notifications/calendar.ts';
import { feedTexts } from '../notifications/texts.ts';
import { hashSecret } from './feed-rows.ts';

const dayMs = 86_400_000;
/** What a feed contains: days before and after now, and at most so many appointments. */
const window = { pastDays: 30, futureDays: 365, past: 500, future: 2000 } as const;
/** The time of the last request is written at most this often, ms. */
const readNoteMs = 5 * 60_000;

interface FoundFeed {
  readonly feed_id: number;
  readonly company_id: number;
  readonly user_id: number | null;
}

/**
 * The appointments of a feed. A valid address is never slowed down; unknown ones count against the rate limit of their network.
 * An answer with appointments has its audit row, one without (304) shows nothing.
 */
export const readCalendarFeed = forAnyone(call, async ({ context, params, request, address, now }) => {
  const secret = params.file.slice(0, -'.ics'.length);
  const found = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<FoundFeed>`
      select * from auth_calendar_feed(${hashSecret(context.keys, secret)}, ${now})`.execute(tx);
    return rows[0];
  });
  if (!found) return refuseUnknown(context, address, request.id);
  return context.db.open({ kind: 'job', companyId: found.company_id }, async (tx) => {
    const feed = await readFeed(tx, found, now);
    const etag = createHash('sha256').update(JSON.stringify(feed)).digest('base64url');
    const file = { fileName: 'roomside.ics', etag };
    if (isCurrent(request.headers['if-none-match'], etag)) return { ...file, text: null };
    const { company_id: companyId, feed_id: feedId, user_id: userId } = found;
    const appointments = feed.visits.map(({ appointmentId }) => appointmentId);
    const objects = { feedId, ...(userId !== null && { userId }), appointments };
    audit(tx, {
      caller: null,
      companyId,
      at: now,
      action: call.name,
      path: call.path,
      objects,
      address,
      requestId: request.id,
    });
    return { ...file, text: feedCalendar(feed.name, feed.visits, now) };
  });
});

/** @throws Refusal `not-found`; `too-many` while the network has to wait */
async function refuseUnknown(context: Context, address: string, requestId: string): Promise<never> {
  await throttle(context, attemptsOf('calendar', address));
  context.security.record({ action: call.name, path: call.path, address, requestId, reason: 'not-found' });
  throw notFound();
}

/** Whether a condition names the entity tag (RFC 9110, 13.1.2: by weak comparison). */
const isCurrent = (condition: string | undefined, etag: string): boolean =>
  condition
    ?.split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .includes(`"${etag}"`) ?? false;

async function readFeed(tx: Tx, { feed_id, company_id, user_id }: FoundFeed, now: string) {
  const before = new Date(Date.parse(now) - readNoteMs).toISOString();
  await tx
    .updateTable('calendar_feeds')
    .set({ read_at: now })
    .where('feed_id', '=', feed_id)
    .where((eb) => eb.or([eb('read_at', 'is', null), eb('read_at', '<', before)]))
    .execute();
  const about = await tx
    .selectFrom('calendar_feeds as f')
    .innerJoin('companies as c', 'c.company_id', 'f.company_id')
    .leftJoin('users as u', 'u.user_id', 'f.user_id')
    .select(['f.shows_initials', 'c.company_name', 'u.first_name', 'u.last_name'])
    .where('f.feed_id', '=', feed_id)
    .executeTakeFirst();
  // Removed since it was found.
  if (!about) throw notFound();
  const at = Date.parse(now);
  const rows = [
    ...(await visitsOf(tx, company_id, user_id, { since: at - window.pastDays * dayMs, until: at, most: window.past })),
    ...(await visitsOf(tx, company_id, user_id, {
      since: at,
      until: at + window.futureDays * dayMs,
      most: window.future,
    })),
  ];
  const visits = rows.map((row) => ({
    appointmentId: row.appointment_id,
    appointmentUid: row.appointment_uid,
    calendarSequence: row.calendar_sequence,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    title: titleOf(row, { isClinic: user_id === null, showsInitials: about.shows_initials }),
  }));
  const owner = user_id === null ? about.company_name : `${about.first_name} ${about.last_name}`;
  return { name: feedTexts.name(owner), visits };
}

/** The appointments nearest to now of a span of starts, epoch ms. */
function visitsOf(
  tx: Tx,
  companyId: number,
  doctorId: number | null,
  { since, until, most }: { since: number; until: number; most: number },
) {
  return tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .select(['a.appointment_id', 'a.appointment_uid', 'a.calendar_sequence', 'a.starts_at', 'a.ends_at'])
    .select(['p.first_name', 'p.last_name', 'd.first_name as doctor_first', 'd.last_name as doctor_last'])
    .where('a.company_id', '=', companyId)
    .where('a.archived_at', 'is', null)
    .where('a.cancelled', '=', false)
    .where('a.starts_at', '>=', new Date(since).toISOString())
    .where('a.starts_at', '<', new Date(until).toISOString())
    .$if(doctorId !== null, (query) => query.where('a.doctor_id', '=', doctorId))
    .orderBy('a.starts_at', most === window.past ? 'desc' : 'asc')
    .orderBy('a.appointment_id')
    .limit(most)
    .execute();
}

interface Named {
  readonly first_name: string;
  readonly last_name: string;
  readonly doctor_first: string;
  readonly doctor_last: string;
}

/** The provider in the clinic's feed; the patient's initials where they were chosen. */
function titleOf(row: Named, { isClinic, showsInitials }: { isClinic: boolean; showsInitials: boolean }): string {
  const initials = showsInitials ? ` (${initial(row.first_name)}${initial(row.last_name)})` : '';
  return `${feedTexts.appointment}${isClinic ? `: ${row.doctor_first} ${row.doctor_last}` : ''}${initials}`;
}

const initial = (name: string): string => `${/^./su.exec(name.trim())?.[0].toUpperCase() ?? ''}.`;
