import type { HubServer } from '@roomside/signalr';
import { runReadings } from './features/calendars/run-readings.ts';
import { endImports } from './features/csv-import/end-imports.ts';
import { runImports } from './features/csv-import/run-imports.ts';
import { endExpiredExports, runDataExports } from './features/data-export/run-exports.ts';
import { renewLicenses } from './features/licenses/renew.ts';
import { queueDueNudges, queueDueReminders } from './features/notifications/due-notices.ts';
import { releaseHeld } from './features/notifications/new-time.ts';
import { reconcileCharges } from './features/payments/reconcile.ts';
import { deleteOverdue } from './features/retention/overdue.ts';
import { announceSilentArrivals, recordHeartbeat, sweepRooms } from './features/room/heartbeat.ts';
import type { RoomService } from './features/room/room-service.ts';
import type { SignInWatch } from './features/room/sign-in-watch.ts';
import { cleanUp } from './features/upkeep/clean-up.ts';
import { failLostNotifications } from './features/upkeep/fail-lost-notifications.ts';
import { companiesToReseal, reseal } from './features/upkeep/reseal.ts';
import { sweepFiles } from './features/upkeep/sweep-files.ts';
import { watchAudit } from './features/upkeep/watch-audit.ts';
import { openAnchors } from './platform/audit-anchors.ts';
import { sealAudit } from './platform/audit-chain.ts';
import { createAuditPartitions } from './platform/audit-partitions.ts';
import type { Context } from './platform/context.ts';
import { daily, forAll, repeat } from './platform/repeat.ts';
import { forgetAttempts } from './platform/throttle.ts';

/** Intervals of repeated work, ms. */
const intervalMs = {
  heartbeat: 5_000,
  sweep: 5_000,
  watch: 10_000,
  announce: 1_000,
  seal: 700,
  refusals: 1_000,
  anchor: 60_000,
  check: 60_000,
  lost: 60_000,
  clean: 3_600_000,
  partitions: 24 * 3_600_000,
  reseal: 3_600_000,
  files: 3_600_000,
  due: 10_000,
  held: 1_000,
  figures: 60_000,
  charges: 5_000,
  renewals: 600_000,
  exports: 2_000,
  expired: 60_000,
  imports: 1_000,
  calendars: 10_000,
};

interface Scheduled {
  readonly context: Context;
  readonly hubs: HubServer;
  readonly rooms: RoomService;
  readonly watch: SignInWatch;
  readonly instanceId: string;
  /** The file of the audit log's anchors; undefined = none is written. */
  readonly anchorFile: string | undefined;
}

/** Starts everything that the server does repeatedly. The returned function stops it and waits for what is running. */
export function startSchedules({
  context,
  hubs,
  rooms,
  watch,
  instanceId,
  anchorFile,
}: Scheduled): () => Promise<void> {
  const { clock, log, security } = context;
  const stopping = new AbortController();
  const auditWatch = watchAudit(context, anchorFile === undefined ? null : openAnchors(anchorFile));
  const repeating = [
    repeat(context, 'the heartbeat', intervalMs.heartbeat, () =>
      recordHeartbeat(context, instanceId).then(() => rooms.reconnectLost()),
    ),
    repeat(context, 'the sweep of rooms', intervalMs.sweep, async () => {
      await rooms.leaveTracker.retryUnfinished();
      await sweepRooms(context);
    }),
    repeat(context, 'the statistics of the hub', intervalMs.figures, async () => log.info(hubs.stats(), 'hub')),
    repeat(context, 'the check of sign-ins', intervalMs.watch, () => watch.closeRevoked()),
    repeat(context, 'the announcement of arrivals', intervalMs.announce, () => announceSilentArrivals(context)),
    repeat(context, 'the search for due reminders', intervalMs.due, () => queueDueReminders(context)),
    repeat(context, 'the search for patients who wait too long', intervalMs.due, () => queueDueNudges(context)),
    repeat(context, 'the release of held notifications', intervalMs.held, () => releaseHeld(context)),
    repeat(context, 'the writing of refusals', intervalMs.refusals, () => security.flush()),
    repeat(context, 'the sealing of the audit log', intervalMs.seal, () => sealAudit(context)),
    repeat(context, 'the anchor of the audit log', intervalMs.anchor, () => auditWatch.anchor()),
    // Not immediately at the start, when all clients reconnect, since checking a long log takes time.
    repeat(context, 'the check of the audit log', intervalMs.check, () => auditWatch.checkWhenDue()),
    repeat(context, 'the creation of partitions', intervalMs.partitions, () => createAuditPartitions(context), {
      immediately: true,
    }),
    repeat(context, 'the search for lost notifications', intervalMs.lost, () => failLostNotifications(context)),
    repeat(context, 'the deletion of old attempts', intervalMs.lost, () => forgetAttempts(context)),
    repeat(context, 'the change of keys', intervalMs.reseal, async () =>
      forAll(await companiesToReseal(context), (companyId) => reseal(context, companyId, stopping.signal)),
    ),
    repeat(
      context,
      'the sweep of files',
      intervalMs.files,
      daily(clock, () => sweepFiles(context)),
    ),
    repeat(
      context,
      'the deletion of old records',
      intervalMs.files,
      daily(clock, () => deleteOverdue(context, { signal: stopping.signal })),
    ),
    repeat(context, 'the open charges', intervalMs.charges, () => reconcileCharges(context)),
    repeat(context, 'the renewal of licenses', intervalMs.renewals, () => renewLicenses(context)),
    repeat(context, 'the exports of all data', intervalMs.exports, () =>
      runDataExports(context, { signal: stopping.signal }),
    ),
    repeat(context, 'the deletion of expired exports', intervalMs.expired, () => endExpiredExports(context)),
    repeat(context, 'the imports', intervalMs.imports, () => runImports(context, { signal: stopping.signal })),
    repeat(context, 'the deletion of imported files', intervalMs.expired, () => endImports(context)),
    repeat(context, 'the external calendars', intervalMs.calendars, () =>
      runReadings(context, { signal: stopping.signal }),
    ),
    repeat(context, 'the clean-up', intervalMs.clean, () => cleanUp(context), { immediately: true }),
  ];
  return async () => {
    stopping.abort();
    auditWatch.stop();
    await Promise.all(repeating.map((stop) => stop()));
  };
}
