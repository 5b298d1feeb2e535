import * as z from 'zod/mini';
import { call } from '../call.ts';
import { guestSender } from '../guests/guest.ts';
import { maxRecordingBytes } from '../limits.ts';
import { inRoom, providers, staff } from '../permissions.ts';
import { id, instant, uid } from '../shape.ts';

/** The media types of segments, best first (Chromium, Firefox, Safari). */
export const recordingTypes = ['video/mp4', 'video/webm', 'audio/mp4', 'audio/webm'] as const;

/**
 * CALL-13, ENTITY-11. The body is one segment, from the start of a recorder to its stop, so that it plays alone. `roleId`,
 * `userId` and `device` are the recorded peer's; `serial` names the segment. The same segment sent twice is stored once.
 * `Content-Digest: sha-256=:…:` (RFC 9530) is checked when it is sent.
 */
export const uploadRecording = call({
  name: 'uploadRecording',
  summary: 'Uploads a segment of a recording.',
  method: 'POST',
  path: '/api/recordings',
  who: providers,
  unlicensed: 'yes',
  withoutFactor: true,
  query: z.object({
    appointmentUid: uid,
    roleId: z.enum(inRoom),
    userId: id,
    device: z.string().check(z.maxLength(64)),
    serial: z.string().check(z.regex(/^[\w-]{8,64}$/)),
    started: instant,
    stopped: instant,
  }),
  upload: { maxBytes: maxRecordingBytes, types: recordingTypes },
  result: z.object({ recordingId: z.int(), blobUid: z.string(), size: z.int() }),
  refusals: ['too-large', 'wrong-media', 'cut-off', 'too-slow', 'invalid', 'not-consented'],
});

/** ENTITY-10: the track of one device. `patient`, `user` or `guest` is set. */
const recording = z.object({
  recordingId: z.int(),
  patient: z.nullable(z.object({ firstName: z.string(), lastName: z.string() })),
  user: z.nullable(z.object({ firstName: z.string(), lastName: z.string() })),
  guest: z.optional(guestSender),
  blobs: z.array(
    z.object({
      blobUid: z.string(),
      started: z.string(),
      stopped: z.string(),
      mediaType: z.string(),
      /** Bytes. */
      size: z.int(),
      /** Opens the segment without the access token for ten minutes, for a video element. */
      address: z.string(),
    }),
  ),
});
export type Recording = z.infer<typeof recording>;

/** CALL-14. With what the title of the page shows (REC-1). */
export const listRecordings = call({
  name: 'listRecordings',
  summary: 'The recordings of an appointment.',
  method: 'GET',
  path: '/api/appointments/:appointmentId/recordings',
  who: staff,
  params: z.object({ appointmentId: id }),
  result: z.object({
    appointment: z.object({
      appointmentId: z.int(),
      patientId: z.int(),
      patient: z.object({ firstName: z.string(), lastName: z.string() }),
      startDate: z.string(),
      timeZone: z.string(),
    }),
    data: z.array(recording),
  }),
});

/** CALL-14. */
export const deleteRecordings = call({
  name: 'deleteRecordings',
  summary: 'Deletes all recordings of an appointment.',
  method: 'DELETE',
  path: '/api/appointments/:appointmentId/recordings',
  who: providers,
  params: z.object({ appointmentId: id }),
});

/** CALL-14. */
export const deleteRecording = call({
  name: 'deleteRecording',
  summary: 'Deletes one track of an appointment’s recordings.',
  method: 'DELETE',
  path: '/api/recordings/:recordingId',
  who: providers,
  params: z.object({ recordingId: id }),
});

/** CALL-14. */
export const playRecording = call({
  name: 'playRecording',
  summary: 'A segment of a recording, whole or a range.',
  method: 'GET',
  path: '/Recording/:blobUid',
  who: staff,
  params: z.object({ blobUid: uid }),
  format: 'bytes',
  addressable: true,
});
