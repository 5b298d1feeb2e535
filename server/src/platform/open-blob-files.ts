import { type BlobFiles, folderFiles } from './blob-files.ts';
import { blobFolder } from './data-folder.ts';
import type { S3Settings } from './s3-files.ts';

/** Returns the store of sealed blobs that the settings name: a bucket, or the folder `blobs` in DATA_DIR. */
export async function openBlobFiles(settings: S3Settings & { readonly DATA_DIR: string }): Promise<BlobFiles> {
  if (settings.S3_BUCKET === null) return folderFiles(blobFolder(settings));
  const { s3Files } = await import('./s3-files.ts');
  return s3Files(settings);
}
