import { runCommand } from './command.ts';
import { erasePatient } from './features/records/erase-patient.ts';
import { audit } from './platform/audit.ts';
import { isoNow, systemClock } from './platform/clock.ts';
import { openBlobFiles } from './platform/open-blob-files.ts';

/** `npm run erase-patient -- COMPANY_ID PATIENT_ID`: erases a patient's name, contacts and texts. The server may run. */
await runCommand(async ({ settings, db }) => {
  const [company = '', patient = ''] = process.argv.slice(2);
  if (!/^\d+$/.test(company) || !/^\d+$/.test(patient))
    throw new Error('Name the company and the patient: npm run erase-patient -- COMPANY_ID PATIENT_ID');
  const [companyId, patientId] = [Number(company), Number(patient)];
  const at = isoNow(systemClock);
  const erased = await db.open({ kind: 'job', companyId }, async (tx) => {
    const entry = { at, action: 'erasePatient', path: 'npm run erase-patient', requestId: 'erase-patient' };
    audit(tx, { ...entry, caller: null, companyId, objects: { patientId }, address: '' });
    return erasePatient(tx, companyId, patientId, at);
  });
  const files = await openBlobFiles(settings);
  for (const name of erased) await files.delete(name);
  process.stdout.write(`Patient ${patientId} is erased. Backups from before still have the data.\n`);
  return true;
});
