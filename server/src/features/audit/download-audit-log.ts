import { auditText } from '@roomside/contract/audit/actions.ts';
import {
  type AuditRow,
  type AuditSubject,
  downloadAuditLog as call,
  maxAuditDownload,
} from '@roomside/contract/audit/calls.ts';
import { auditTexts } from '@roomside/contract/audit/texts.ts';
import { type RefusalCode, refusals } from '@roomside/contract/refusals.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { roleNameOf } from '@roomside/contract/users/calls.ts';
import { csvLine } from '../../platform/csv.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { toAuditRows } from './audit-rows.ts';
import { conditionOf, findAuditRows, zoneOf } from './find-audit-rows.ts';

const columns = ['Date', 'Time', 'Time zone', 'Person', 'Role', 'Action', 'Details', 'Concerns', 'Refused', 'Address'];

/** The filtered log as CSV with the columns of the list: the newest rows, and a last line when there are more. */
export const downloadAuditLog = forUsers(call, async ({ caller, query, tx, now, touched }) => {
  const zone = zoneOf(caller);
  const found = await findAuditRows(tx, await conditionOf(tx, caller, query), { top: maxAuditDownload + 1 });
  const rows = await toAuditRows(tx, found.slice(0, maxAuditDownload), { maxSubjects: Number.MAX_SAFE_INTEGER });
  touched('auditLog', query.kind ?? 'all');
  if (query.patientId !== undefined) touched('patientId', query.patientId);
  if (query.personId !== undefined) touched('personId', query.personId);
  const head = csvLine(columns);
  const lines = rows.map((row) => lineOf(row, zone));
  const cut = found.length > maxAuditDownload ? csvLine([auditTexts.cutOff(maxAuditDownload)]) : '';
  const { day } = instantToWall(now, zone);
  // Spreadsheets recognize UTF-8 by the byte order mark.
  return { fileName: `audit_${day}.csv`, text: `\ufeff${head}${lines.join('')}${cut}` };
});

function lineOf(row: AuditRow, zone: string): string {
  const { day } = instantToWall(row.at, zone);
  const time = Temporal.Instant.from(row.at)
    .toZonedDateTimeISO(zone)
    .toPlainTime()
    .toString({ smallestUnit: 'second' });
  return csvLine([
    day,
    time,
    zone,
    auditTexts.actor(row.actor),
    row.actor.roleId ? roleNameOf(row.actor.roleId) : '',
    auditText(row.action),
    row.details ?? '',
    row.subjects.map((subject) => subjectText(subject, zone)).join('; '),
    row.refused === null ? '' : (refusals[row.refused as RefusalCode]?.text ?? row.refused),
    row.address,
  ]);
}

function subjectText(subject: AuditSubject, zone: string): string {
  const at = subject.startDate === null ? undefined : instantToWall(subject.startDate, zone);
  return auditTexts.subject(subject, at && `${at.day} ${at.time}`);
}
