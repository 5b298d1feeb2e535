import { deletePhoto } from './delete-photo.ts';
import { downloadPhoto } from './download-photo.ts';
import { getPhoto } from './get-photo.ts';
import { listPhotos } from './list-photos.ts';
import { uploadPhoto } from './upload-photo.ts';

export const photoCalls = [uploadPhoto, listPhotos, getPhoto, downloadPhoto, deletePhoto];
