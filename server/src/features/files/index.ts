import { deleteFile } from './delete-file.ts';
import { downloadFile } from './download-file.ts';
import { listFiles } from './list-files.ts';
import { shareFiles } from './share-files.ts';
import { uploadFile } from './upload-file.ts';

export const fileCalls = [listFiles, uploadFile, shareFiles, downloadFile, deleteFile];
