import path from 'node:path';
import { runCommand } from './command.ts';
import { anchorFile } from './platform/audit-anchors.ts';
import { BackupError } from './platform/backup/format.ts';
import { writeBackup } from './platform/backup/write-backup.ts';
import { isoNow, systemClock } from './platform/clock.ts';
import { openBlobFiles } from './platform/open-blob-files.ts';

/** `npm run backup -- FOLDER`: writes a backup into a new folder. The server may run. */
await runCommand(async ({ settings, owner }) => {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new BackupError('Name the new folder of the backup: npm run backup -- FOLDER');
  const source = { owner, blobs: await openBlobFiles(settings), anchors: anchorFile(settings) };
  const { tables, blobs } = await writeBackup(source, path.resolve(folder), isoNow(systemClock));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  process.stdout.write(
    `${rows} rows of ${tables.length} tables and ${blobs.length} files are in ${path.resolve(folder)}. ` +
      'It needs SECRET_KEY to be read: keep that one elsewhere.\n',
  );
  return true;
});
