import { listFiles, uploadFile } from '@roomside/contract/files/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { sendUpload } from '../../api/send-upload.ts';
import { currentSignIn, onSignInChange } from '../../api/sign-in.ts';
import { invalidate } from '../../api/use-call.ts';
import { holdSignOut } from '../../form/hold-sign-out.ts';
import { FileUploads, progressOf } from './file-uploads.ts';
import { texts } from './texts.ts';

/** The uploads of this tab by appointment. */
const all = new Map<number, FileUploads>();

onSignInChange(() => {
  if (currentSignIn().status === 'in') return;
  for (const uploads of all.values()) uploads.cancelAll();
  all.clear();
});

// They end with the tab and with the sign-in, also while no page shows them.
holdSignOut(() => ([...all.values()].some((uploads) => progressOf(uploads.get())) ? texts.signOut : undefined));

/** The appointment that files belong to, and its patient. */
export interface UploadsOf {
  appointmentId: number;
  patientId: number;
}

function uploadsOf({ appointmentId, patientId }: UploadsOf, client: QueryClient): FileUploads {
  const known = all.get(appointmentId);
  if (known) return known;
  const made = new FileUploads({
    send: (file, onProgress, signal) =>
      sendUpload(
        uploadFile,
        { params: { appointmentId }, query: { name: file.name }, content: formOf(file, { patientId, appointmentId }) },
        { onProgress: (sent, total) => onProgress(total > 0 ? Math.round((sent / total) * 100) : 0), signal },
      ),
    onStored: () => void invalidate(client, [listFiles]),
  });
  all.set(appointmentId, made);
  return made;
}

/** CALL-15: the fields are before the file, so that the server can check them first. The file's name is in the query too, where browsers change no signs. */
function formOf(file: File, fields: UploadsOf): FormData {
  const form = new FormData();
  for (const [name, id] of Object.entries(fields)) form.append(name, String(id));
  form.append('file', file);
  return form;
}

/** The uploads of an appointment. They go on while other pages are shown. */
export const useUploads = (of: UploadsOf): FileUploads => uploadsOf(of, useQueryClient());

/** How far the unfinished uploads are (ROOM-3); undefined without any. */
export function useUploadProgress(uploads: FileUploads): { count: number; percent: number } | undefined {
  return progressOf(useSyncExternalStore(uploads.subscribe, uploads.get));
}
