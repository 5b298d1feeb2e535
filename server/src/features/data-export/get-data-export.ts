import { getDataExport as call, type DataExport } from '@roomside/contract/data-export/calls.ts';
import { exportPercent } from '@roomside/contract/data-export/percent.ts';
import { forStaff } from '../../platform/http/handler.ts';

export const getDataExport = forStaff(call, async ({ tx }) => {
  const row = await tx
    .selectFrom('data_exports as e')
    .innerJoin('users as u', 'u.user_id', 'e.by_user_id')
    .selectAll('e')
    .select(['u.first_name', 'u.last_name'])
    .orderBy('e.export_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return { export: null };
  const progress = {
    rowsDone: row.rows_done,
    rowsTotal: row.rows_total,
    bytesDone: row.bytes_done,
    bytesTotal: row.bytes_total,
  };
  return {
    export: {
      exportId: row.export_id,
      state: row.state as DataExport['state'],
      requestedAt: row.requested_at,
      requestedBy: { firstName: row.first_name, lastName: row.last_name },
      percent: exportPercent(progress),
      ...progress,
      size: row.size,
      finishedAt: row.finished_at,
      expiresAt: row.expires_at,
      downloadedAt: row.downloaded_at,
    },
  };
});
