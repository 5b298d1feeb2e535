import { listFiles, uploadFile } from '@roomside/contract/files/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { sendUpload } from '../../api/send-upload.ts';
import { currentSignIn, onSignInChange } from '../../api/sign-in.ts';
import { invalidate } from '../../api/use-call.ts';
import { FileUploads, progressOf } from './file-uploads.ts';

/** The uploads of this tab by appointment. */
const all = new Map<number, FileUploads>();

onSignInChange(() => {
  if (currentSignIn().status === 'in') return;
  for (const uploads of all.values()) uploads.cancelAll();
  all.clear();
});

function uploadsOf(appointmentId: number, client: QueryClient): FileUploads {
  const known = all.get(appointmentId);
  if (known) return known;
  const made = new FileUploads({
    send: (file, onProgress, signal) =>
      sendUpload(
        uploadFile,
        { params: { appointmentId }, query: { name: file.name }, content: file },
        { onProgress: (sent, total) => onProgress(total > 0 ? Math.round((sent / total) * 100) : 0), signal },
      ),
    onStored: () => void invalidate(client, [listFiles]),
  });
  all.set(appointmentId, made);
  return made;
}

/** The uploads of an appointment. The browser asks before the tab is closed while some are not finished. */
export function useUploads(appointmentId: number): FileUploads {
  const uploads = uploadsOf(appointmentId, useQueryClient());
  const isBusy = useUploadProgress(uploads) !== undefined;
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isBusy]);
  return uploads;
}

/** How far the unfinished uploads are (ROOM-3); undefined without any. */
export function useUploadProgress(uploads: FileUploads): { count: number; percent: number } | undefined {
  return progressOf(useSyncExternalStore(uploads.subscribe, uploads.get));
}
