import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits, maxFileBytes } from '../limits.ts';
import { staff } from '../permissions.ts';
import { id, requiredLine, uid } from '../shape.ts';

const inRoom = ['A', 'D', 'U', 'P'] as const;

/** The name of a file, which is in the query or in the form. */
export const namedFile = z.object({ name: requiredLine(limits.fileName) });

/** ENTITY-9. `address` opens the file without the access token for ten minutes, for elements of a page. */
const file = z.object({
  fileId: z.int(),
  fileUid: z.string(),
  name: z.string(),
  mediaType: z.string(),
  /** Bytes. */
  size: z.int(),
  uploaded: z.string(),
  /** The patient sees it. */
  shared: z.boolean(),
  /** When the patient first downloaded it; null before, and for patients. */
  downloaded: z.nullable(z.string()),
  address: z.string(),
});
export type AppointmentFile = z.infer<typeof file>;

/** CALL-15. Patients see only their own appointments' files that are shared with them. */
export const listFiles = call({
  name: 'listFiles',
  summary: 'The files of an appointment; for a patient, the shared ones.',
  method: 'GET',
  path: '/api/appointments/:appointmentId/files',
  who: inRoom,
  unlicensed: 'during-visit',
  params: z.object({ appointmentId: id }),
  result: z.object({ data: z.array(file) }),
});

/**
 * CALL-15. The body is a form with `patientId`, `appointmentId` and a file, or the file alone, whose `Content-Digest: sha-256=:…:`
 * (RFC 9530) is checked when it is sent. `name` replaces the file name of the form, and is required without one.
 */
export const uploadFile = call({
  name: 'uploadFile',
  summary: 'Uploads a file of an appointment.',
  method: 'POST',
  path: '/api/appointments/:appointmentId/files',
  who: staff,
  unlicensed: 'during-visit',
  params: z.object({ appointmentId: id }),
  query: z.partial(namedFile),
  upload: { maxBytes: maxFileBytes, types: ['*/*'], form: true },
  result: z.object({ fileId: z.int(), fileUid: z.string(), size: z.int() }),
  refusals: ['too-large', 'wrong-media', 'cut-off', 'too-slow'],
});

/** CALL-15. Shows files to the patient of their appointments, or hides them again. */
export const shareFiles = call({
  name: 'shareFiles',
  summary: 'Shares files with the patient, or stops sharing them.',
  method: 'POST',
  path: '/api/files/share',
  who: staff,
  unlicensed: 'during-visit',
  body: z.object({ fileUids: z.array(uid).check(z.minLength(1), z.maxLength(100)), shared: z.boolean() }),
});

/** CALL-15. For a patient, a shared file of an own appointment. */
export const downloadFile = call({
  name: 'downloadFile',
  summary: 'The content of a file, whole or a range.',
  method: 'GET',
  path: '/api/files/:fileUid',
  who: inRoom,
  unlicensed: 'during-visit',
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
  unlicensed: 'during-visit',
  params: z.object({ fileUid: uid }),
});
