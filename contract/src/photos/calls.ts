import * as z from 'zod/mini';
import { call } from '../call.ts';
import { maxPhotoBytes } from '../limits.ts';
import { staff } from '../permissions.ts';
import { id, uid } from '../shape.ts';

/** ENTITY-9. `address` opens the image without the access token for ten minutes, for elements of a page. */
const photo = z.object({
  fileId: z.int(),
  fileUid: z.string(),
  name: z.string(),
  uploaded: z.string(),
  patientId: z.int(),
  address: z.string(),
});
export type Photo = z.infer<typeof photo>;

/**
 * CALL-12, ENTITY-11: the body is the `data`. `key` names the request for the picture: the patient's device and the staff's page may
 * both send it, and the first is stored. From a patient only while both are in the room.
 */
export const uploadPhoto = call({
  name: 'uploadPhoto',
  summary: 'Stores a picture that was taken in a room.',
  method: 'POST',
  path: '/api/photos',
  who: ['A', 'D', 'U', 'P'],
  unlicensed: 'during-visit',
  query: z.object({ session: uid, key: z.string().check(z.minLength(8), z.maxLength(64)) }),
  upload: { maxBytes: maxPhotoBytes, types: ['image/jpeg'] },
  /** Null when a picture of this request was stored before. */
  result: z.object({ fileUid: z.nullable(z.string()) }),
  refusals: ['not-together', 'too-many-photos', 'too-large', 'wrong-media', 'cut-off', 'too-slow'],
});

/** CALL-16, PHOTO-1. Newest first, at most {@link maxListedPhotos}. */
export const listPhotos = call({
  name: 'listPhotos',
  summary: 'The photos of a patient.',
  method: 'GET',
  path: '/api/patients/:patientId/photos',
  who: staff,
  params: z.object({ patientId: id }),
  result: z.object({ data: z.array(photo) }),
});

/** CALL-16, PHOTO-2. `previous` and `next` are the uids of the neighbors in the list, for leafing through it. */
export const getPhoto = call({
  name: 'getPhoto',
  summary: 'A photo and its neighbors in the list.',
  method: 'GET',
  path: '/api/photos/:fileUid',
  who: staff,
  params: z.object({ fileUid: uid }),
  result: z.extend(photo, { previous: z.nullable(z.string()), next: z.nullable(z.string()) }),
});

/** CALL-14. */
export const downloadPhoto = call({
  name: 'downloadPhoto',
  summary: 'The image of a photo.',
  method: 'GET',
  path: '/Photo/:fileUid',
  who: staff,
  params: z.object({ fileUid: uid }),
  format: 'bytes',
  addressable: true,
});

/** CALL-16. */
export const deletePhoto = call({
  name: 'deletePhoto',
  summary: 'Deletes a photo.',
  method: 'DELETE',
  path: '/api/photos/:fileUid',
  who: staff,
  params: z.object({ fileUid: uid }),
});
