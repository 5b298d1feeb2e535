import path from 'node:path';
import { runCommand } from './command.ts';
import { anchorFile } from './platform/audit-anchors.ts';
import { anchorsName, BackupError } from './platform/backup/format.ts';
import { restoreBackup } from './platform/backup/restore-backup.ts';
import { markInstalled } from './platform/data-folder.ts';
import { openKeys } from './platform/keys.ts';
import { openBlobFiles } from './platform/open-blob-files.ts';

if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');

/** `npm run restore -- FOLDER`: restores a backup into an empty database and an empty DATA_DIR. */
await runCommand(
  async ({ settings, db, owner, application, secret }) => {
    const [folder] = process.argv.slice(2);
    if (folder === undefined) throw new BackupError('Name the folder of the backup: npm run restore -- FOLDER');
    const target = {
      owner,
      ...(application && { application }),
      blobs: await openBlobFiles(settings),
      anchors: anchorFile(settings),
    };
    const { manifest, damaged } = await restoreBackup(target, path.resolve(folder), Temporal.Now.instant());
    const { createdAt, tables, blobs } = manifest;
    markInstalled(settings);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    process.stdout.write(
      `${rows} rows and ${blobs.length - damaged.filter((file) => file !== anchorsName).length} files of ${createdAt} are restored. All sign-ins have ended.\n`,
    );
    for (const file of damaged)
      process.stderr.write(`The backup's file ${file} is damaged or missing. It is not restored.\n`);
    // Throws when SECRET_KEY is wrong. The data are restored, and the server starts with the correct one.
    await openKeys(db, secret);
    return damaged.length === 0;
  },
  { createsDatabase: true },
);
