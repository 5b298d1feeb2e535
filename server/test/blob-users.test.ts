import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blobColumns } from '../src/features/upkeep/sweep-files.ts';

const source = path.join(import.meta.dirname, '../src');

test('every feature that stores blobs has its column in the sweep, which deletes blobs without a row', () => {
  const users = fs
    .globSync('**/*.ts', { cwd: source })
    .filter(
      (file) =>
        !file.endsWith('.test.ts') &&
        /blobs\.put\(|return storeUpload\(/.test(fs.readFileSync(path.join(source, file), 'utf8')),
    );
  // A further file here needs a further column there.
  expect(users.toSorted()).toEqual([
    'features/csv-import/upload-csv.ts',
    'features/csv-import/write-wrong-rows.ts',
    'features/data-export/archive-parts.ts',
    'features/files/upload-file.ts',
    'features/photos/upload-photo.ts',
    'features/recordings/upload-recording.ts',
    'platform/http/store-upload.ts',
  ]);
  expect(blobColumns.map(({ table, column }) => `${table}.${column}`)).toEqual([
    'files.file_uid',
    'recording_blobs.blob_uid',
    'photos.file_uid',
    'data_export_parts.blob_uid',
    'imports.file_uid',
    'imports.wrong_uid',
  ]);
});
