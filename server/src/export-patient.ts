import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pino } from 'pino';
import { runCommand } from './command.ts';
import { exportPatient } from './features/records/export-patient.ts';
import { audit } from './platform/audit.ts';
import { blobKeys } from './platform/blob-keys.ts';
import { sealedBlobs } from './platform/blobs.ts';
import { isoNow, systemClock } from './platform/clock.ts';
import { openKeys } from './platform/keys.ts';
import { openBlobFiles } from './platform/open-blob-files.ts';

/** `npm run export-patient -- COMPANY_ID PATIENT_ID FOLDER`: writes all data of a patient to a new folder. */
await runCommand(async ({ settings, db, secret }) => {
  const [company = '', patient = '', folder] = process.argv.slice(2);
  if (!/^\d+$/.test(company) || !/^\d+$/.test(patient) || folder === undefined)
    throw new Error(
      'Name the company, the patient and a new folder: npm run export-patient -- COMPANY_ID PATIENT_ID FOLDER',
    );
  const [companyId, patientId] = [Number(company), Number(patient)];
  const keys = await openKeys(db, secret);
  await fs.mkdir(folder, { mode: 0o700 });
  const { tables, blobs } = await db.open({ kind: 'job', companyId }, async (tx) => {
    const entry = { at: isoNow(systemClock), action: 'exportPatient', path: 'npm run export-patient' };
    audit(tx, { ...entry, caller: null, companyId, objects: { patientId }, address: '', requestId: entry.action });
    return exportPatient(tx, { keys, log: pino({ level: 'error' }) }, companyId, patientId);
  });
  const file = path.join(folder, 'patient.json');
  await fs.writeFile(file, `${JSON.stringify(tables, null, 1)}\n`, { mode: 0o600, flag: 'wx' });
  const store = sealedBlobs(await openBlobFiles(settings), blobKeys({ db, keys, clock: systemClock }));
  for (const name of blobs) {
    const content = await store.read(name);
    if (content) await pipeline(content, createWriteStream(path.join(folder, name.uid), { mode: 0o600, flags: 'wx' }));
  }
  process.stdout.write(`The data of patient ${patientId} are in ${path.resolve(file)}. They are not encrypted.\n`);
  return true;
});
