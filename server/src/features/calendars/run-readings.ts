import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { openText, sealedPlaces } from '../../platform/sealed-text.ts';
import { CalendarUnread, downloadCalendar } from './download-calendar.ts';
import { busyWindow, contentHash, nextReading, readColumns, writeBusyTimes } from './external-rows.ts';
import { readBusyEvents } from './read-busy-events.ts';

type Parts = Pick<Context, 'db' | 'keys' | 'clock' | 'log' | 'push' | 'settings'>;

interface Claimed {
  readonly companyId: number;
  readonly calendarId: number;
  readonly claim: string;
}

/** Longer than one reading takes at most; another worker goes on afterwards, ms. */
const leaseMs = 90_000;
/** Calendars that one instance reads at the same time; a slow server delays only one of these. */
const atATime = 4;
/** After this time an unchanged calendar is expanded again, since its recurrences go on, ms. Whenever the clinic's zone has changed, too. */
const expandEveryMs = 24 * 3_600_000;

/** Reads the external calendars that are due. Stops at `signal`; calendars that were claimed are read. */
export async function runReadings(context: Parts, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
  const readInTurn = async () => {
    while (!options.signal?.aborted) {
      const claimed = await claimDue(context);
      if (!claimed) return;
      await readOne(context, claimed);
    }
  };
  await Promise.all(Array.from({ length: atATime }, readInTurn));
}

async function claimDue({ db, clock }: Parts): Promise<Claimed | undefined> {
  const claim = randomUUID();
  const leaseUntil = new Date(clock.now() + leaseMs).toISOString();
  const { rows } = await db.open({ kind: 'unauthenticated' }, (tx) =>
    sql<{ company_id: number; calendar_id: number }>`
      select * from claim_external_calendar(${isoNow(clock)}, ${leaseUntil}, ${claim})`.execute(tx),
  );
  const [row] = rows;
  return row && { companyId: row.company_id, calendarId: row.calendar_id, claim };
}

/** Reads one calendar. A failure keeps the busy times and is written beside them; the next reading follows later. */
async function readOne(context: Parts, claimed: Claimed): Promise<void> {
  try {
    await read(context, claimed);
  } catch (error) {
    const { companyId, calendarId } = claimed;
    if (!(error instanceof CalendarUnread))
      context.log.error({ companyId, calendarId, error: (error as Error).name }, 'an external calendar was not read');
    await noteFailure(context, claimed, error instanceof CalendarUnread ? error.problem : 'unreachable');
  }
}

async function read(context: Parts, claimed: Claimed): Promise<void> {
  const stored = await open(context, claimed);
  if (!stored) return;
  const now = context.clock.now();
  const isExpanded = Date.parse(stored.expanded_at) > now - expandEveryMs && stored.expanded_zone === stored.time_zone;
  const known = { etag: stored.etag, lastModified: stored.last_modified };
  const found = await downloadCalendar(context, stored.url, isExpanded ? known : { etag: '', lastModified: '' });
  const hash = found ? contentHash(found.text) : stored.content_hash;
  const isSame = found === null || (isExpanded && hash.equals(stored.content_hash));
  const events = isSame
    ? null
    : await readBusyEvents(
        { by: 'repeat', companyId: claimed.companyId },
        { text: found.text, timeZone: stored.time_zone, ...busyWindow(now) },
      );
  await context.db.open({ kind: 'job', companyId: claimed.companyId }, async (tx, afterCommit) => {
    // Before the calendar, as a deletion of the user.
    await tx.selectFrom('users').select('user_id').where('user_id', '=', stored.user_id).forKeyShare().execute();
    const { numUpdatedRows } = await tx
      .updateTable('external_calendars')
      .set({
        ...readColumns(now, found ?? known),
        ...(events && {
          content_hash: hash,
          expanded_at: new Date(now).toISOString(),
          expanded_zone: stored.time_zone,
        }),
      })
      .where('calendar_id', '=', claimed.calendarId)
      .where('claim', '=', claimed.claim)
      .executeTakeFirst();
    // Removed, replaced by another address, or taken over meanwhile.
    if (numUpdatedRows === 0n || !events) return;
    await writeBusyTimes(context, tx, { companyId: claimed.companyId, userId: stored.user_id }, events, afterCommit);
  });
}

/** The claimed calendar with its address; undefined when it was removed or replaced. */
function open({ db, keys }: Parts, { companyId, calendarId, claim }: Claimed) {
  return db.open({ kind: 'job', companyId }, async (tx) => {
    const row = await tx
      .selectFrom('external_calendars as e')
      .innerJoin('companies as c', 'c.company_id', 'e.company_id')
      .selectAll('e')
      .select('c.time_zone')
      .where('e.calendar_id', '=', calendarId)
      .where('e.claim', '=', claim)
      .executeTakeFirst();
    if (!row) return undefined;
    const place = sealedPlaces.externalCalendar(row.user_id);
    return { ...row, url: new URL(await openText(tx, keys, companyId, row.address, place)) };
  });
}

async function noteFailure(
  { db, clock }: Parts,
  { companyId, calendarId, claim }: Claimed,
  problem: string,
): Promise<void> {
  const now = clock.now();
  await db.open({ kind: 'job', companyId }, async (tx) => {
    const row = await tx
      .selectFrom('external_calendars')
      .select(['failures', 'failed_at'])
      .where('calendar_id', '=', calendarId)
      .where('claim', '=', claim)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return;
    await tx
      .updateTable('external_calendars')
      .set({
        failed_at: row.failed_at ?? new Date(now).toISOString(),
        problem,
        failures: row.failures + 1,
        next_read_at: nextReading(now, row.failures),
        claim: null,
        lease_until: null,
      })
      .where('calendar_id', '=', calendarId)
      .execute();
  });
}
