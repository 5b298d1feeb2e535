import { createHash } from 'node:crypto';
import type { ExternalCalendar } from '@roomside/contract/calendars/calls.ts';
import type { CalendarProblem } from '@roomside/contract/calendars/problems.ts';
import { busyAheadDays } from '@roomside/contract/limits.ts';
import { sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { openTextOrSay, sealedPlaces } from '../../platform/sealed-text.ts';
import type { BusyEvents } from './busy-events.ts';
import { CalendarUnread, type Version } from './download-calendar.ts';
import { mergedSpans, type Span } from './spans.ts';

/** The provider of an external calendar. */
export interface Place {
  readonly companyId: number;
  readonly userId: number;
}

const dayMs = 86_400_000;
/** Between two readings, ms; after failures twice as long each time, up to the longest. */
const readEveryMs = 5 * 60_000;
const readAtLeastEveryMs = 60 * 60_000;
/** More busy times are not stored. */
const maxBusyTimes = 10_000;

export const nextReading = (now: number, failures = 0): string =>
  new Date(now + Math.min(readEveryMs * 2 ** Math.min(failures, 10), readAtLeastEveryMs)).toISOString();

/** The span in which busy times are known, epoch ms. */
export const busyWindow = (now: number): { from: number; until: number } => ({
  from: now - dayMs,
  until: now + (busyAheadDays + 1) * dayMs,
});

/** The hash of a calendar's content without the time at which it was written. */
export const contentHash = (text: string): Buffer =>
  createHash('sha256')
    .update(text.replaceAll(/^DTSTAMP.*$/gm, ''))
    .digest();

export async function findExternal(
  context: Pick<Context, 'keys' | 'log'>,
  tx: Tx,
  { companyId, userId, now }: Place & { now: string },
): Promise<ExternalCalendar | null> {
  const row = await tx
    .selectFrom('external_calendars')
    .select(['address', 'read_at', 'failed_at', 'problem'])
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (!row) return null;
  const { busy } = await tx
    .selectFrom('busy_times')
    .select((eb) => eb.fn.countAll<string>().as('busy'))
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('ends_at', '>', now)
    .executeTakeFirstOrThrow();
  const address = await openTextOrSay(tx, context, companyId, row.address, sealedPlaces.externalCalendar(userId));
  return {
    // Of an address that cannot be opened, there is none.
    host: URL.canParse(address) ? new URL(address).host : '',
    readAt: row.read_at,
    failedAt: row.failed_at,
    problem: row.problem as CalendarProblem | null,
    busy: Number(busy),
  };
}

/** The columns after a successful reading. */
export const readColumns = (now: number, version: Version, failures = 0) => ({
  etag: version.etag,
  last_modified: version.lastModified,
  read_at: new Date(now).toISOString(),
  failed_at: null,
  problem: null,
  failures,
  next_read_at: nextReading(now),
  claim: null,
  lease_until: null,
});

/**
 * Replaces the busy times of a provider by the events of the external calendar, and tells calendars when they differ. Events that are
 * our own appointments, which the external calendar may contain, are left out.
 *
 * @throws CalendarUnread `too-many`
 */
export async function writeBusyTimes(
  context: Pick<Context, 'push'>,
  tx: Tx,
  { companyId, userId }: Place,
  events: BusyEvents,
  afterCommit: AfterCommit,
): Promise<void> {
  const spans = mergedSpans([...events.busy, ...(await notOurs(tx, companyId, events.own))]);
  if (spans.length > maxBusyTimes) throw new CalendarUnread('too-many');
  const stored = await tx
    .selectFrom('busy_times')
    .select(['starts_at', 'ends_at'])
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .orderBy('starts_at')
    .execute();
  const isSame =
    stored.length === spans.length &&
    spans.every(
      ({ start, end }, index) =>
        Date.parse(stored[index]?.starts_at ?? '') === start && Date.parse(stored[index]?.ends_at ?? '') === end,
    );
  if (isSame) return;
  await deleteBusyTimes(tx, { companyId, userId });
  const texts = (pick: (span: Span) => number) => spans.map((span) => new Date(pick(span)).toISOString());
  await sql`insert into busy_times (company_id, user_id, starts_at, ends_at)
    select ${companyId}, ${userId}, s, e
    from unnest(${texts(({ start }) => start)}::timestamptz[], ${texts(({ end }) => end)}::timestamptz[]) as t(s, e)`.execute(
    tx,
  );
  afterCommit(() => context.push.schedule(companyId));
}

export async function deleteBusyTimes(tx: Tx, { companyId, userId }: Place): Promise<void> {
  await tx.deleteFrom('busy_times').where('company_id', '=', companyId).where('user_id', '=', userId).execute();
}

/** The events with our form of UID that are no appointments of this clinic: those of another one. */
async function notOurs(tx: Tx, companyId: number, own: BusyEvents['own']): Promise<Span[]> {
  if (own.length === 0) return [];
  const uids = [...new Set(own.map(({ uid }) => uid))];
  const rows = await tx
    .selectFrom('appointments')
    .select('appointment_uid')
    .where('company_id', '=', companyId)
    .where(sql<boolean>`appointment_uid = any(${uids})`)
    .execute();
  const ours = new Set(rows.map((row) => row.appointment_uid));
  return own.filter(({ uid }) => !ours.has(uid));
}
