import { listFiles } from '@roomside/contract/files/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { invalidate, useRead } from '../../api/use-call.ts';
import { hub } from '../../hub/hub.ts';

export interface FilesOf {
  appointmentId: number;
  /** The appointment's uid, by which the hub names it. */
  session: string;
  /** False reads nothing. */
  enabled?: boolean;
}

/** The files of an appointment; read again when the hub reports a change. */
export function useFiles({ appointmentId, session, enabled = true }: FilesOf) {
  const client = useQueryClient();
  useEffect(
    () =>
      hub.onNotify((message) => {
        if (message.type === messageType.filesChanged && message.session === session)
          void invalidate(client, [listFiles]);
      }),
    [client, session],
  );
  return useRead(listFiles, { params: { appointmentId } }, { staleTime: 0, enabled });
}
