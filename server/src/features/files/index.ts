import { deleteFile } from './delete-file.ts';
import { downloadFile } from './download-file.ts';
import { listFiles } from './list-files.ts';
import { uploadFile } from './upload-file.ts';

export const fileCalls = [listFiles, uploadFile, downloadFile, deleteFile];
