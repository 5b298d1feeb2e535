import { shareFiles as call } from '@roomside/contract/files/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { pushFilesChanged } from './push-files-changed.ts';

/** CALL-15: all of the files or none. A file that is shared already keeps its time. */
export const shareFiles = forStaff(call, async ({ context, caller, body, tx, now, touched, afterCommit }) => {
  const uids = [...new Set(body.fileUids.map(normalizeUid))];
  const changed = await tx
    .updateTable('files')
    .set({ shared_at: body.shared ? sql<string>`coalesce(shared_at, ${now})` : null })
    .where('file_uid', 'in', uids)
    .returning(['file_id', 'appointment_id', 'patient_id'])
    .execute();
  if (changed.length < uids.length) throw notFound();
  const idsOf = (key: keyof (typeof changed)[number]) => [...new Set(changed.map((row) => row[key]))];
  touched('files', idsOf('file_id'));
  touched('appointmentId', idsOf('appointment_id'));
  touched('patientId', idsOf('patient_id'));
  await pushFilesChanged(context, { tx, caller, afterCommit }, idsOf('appointment_id'));
  return undefined;
});
