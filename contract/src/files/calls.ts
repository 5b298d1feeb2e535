import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits, maxFileBytes } from '../limits.ts';
import { staff } from '../permissions.ts';
import { id, requiredLine, uid } from '../shape.ts';

/** ENTITY-9. `address` opens the file without the access token for ten minutes, for elements of a page. */
const file = z.object({
  fileId: z.int(),
  fileUid: z.string(),
  name: z.string(),
  mediaType: z.string(),
  /** Bytes. */
  size: z.int(),
  uploaded: z.string(),
  address: z.string(),
});

/** CALL-15. */
export const listFiles = call({
  name: 'listFiles',
  summary: 'The files of an appointment.',
  method: 'GET',
  path: '/api/appointments/:appointmentId/files',
  who: staff,
  params: z.object({ appointmentId: id }),
  result: z.object({ data: z.array(file) }),
});

/** CALL-15. The body is the file. `Content-Digest: sha-256=:…:` (RFC 9530) is checked when it is sent. */
export const uploadFile = call({
  name: 'uploadFile',
  summary: 'Uploads a file of an appointment.',
  method: 'POST',
  path: '/api/appointments/:appointmentId/files',
  who: staff,
  params: z.object({ appointmentId: id }),
  query: z.object({ name: requiredLine(limits.fileName) }),
  upload: { maxBytes: maxFileBytes, types: ['*/*'] },
  result: z.object({ fileId: z.int(), fileUid: z.string(), size: z.int() }),
  refusals: ['too-large', 'wrong-media', 'cut-off', 'too-slow'],
});

/** CALL-15. */
export const downloadFile = call({
  name: 'downloadFile',
  summary: 'The content of a file, whole or a range.',
  method: 'GET',
  path: '/api/files/:fileUid',
  who: staff,
  params: z.object({ fileUid: uid }),
  format: 'bytes',
  addressable: true,
});

/** CALL-15. */
export const deleteFile = call({
  name: 'deleteFile',
  summary: 'Deletes a file.',
  method: 'DELETE',
  path: '/api/files/:fileUid',
  who: staff,
  params: z.object({ fileUid: uid }),
});
