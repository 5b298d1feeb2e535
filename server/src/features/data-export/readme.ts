import { pathColumn } from './csv-rows.ts';
import { auditColumns, keptTables, listedExports } from './export-tables.ts';

const lineOf = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns)
    .map(([column, meaning]) => `    ${column}: ${meaning}`)
    .join('\n');

/** The README of an archive. `at` is an ISO instant. */
export function readmeOf({ companyName, at }: { readonly companyName: string; readonly at: string }): string {
  const tables = listedExports.map(([table, { about, columns, blob }]) => {
    const path = blob ? `\n    ${pathColumn}: Path of the content in this archive.` : '';
    return `${table}.csv\n  ${about}\n${lineOf(columns)}${path}\n`;
  });
  const kept = Object.entries(keptTables)
    .map(([table, reason]) => `  ${table}: ${reason}.`)
    .join('\n');
  return `All data of ${companyName}, as of ${at}.

This archive is not encrypted. It has the data of all patients: keep it where only the right people can read it.

The folders
  files: files of appointments, in a folder for each appointment.
  photos: photos of patients, in the same way.
  recordings: recordings of visits, in the same way. Each segment plays alone.
  manifest.csv lists every other entry with its size and its SHA-256, and says what could not be read.

The CSV files
  They are UTF-8 with commas (RFC 4180), and have a header. Times are in UTC (ISO 8601), dates are YYYY-MM-DD. An empty cell is no value.
  Text that a spreadsheet would run as a formula has an apostrophe in front. To read the exact text, remove one apostrophe from the
  beginning of each cell that begins with one. Numbers lead from one file to another: patient_id in appointments.csv is the patient_id
  of patients.csv.

Not here
  Passwords, keys, access codes, sign-ins and second factors; texts that were erased; what was deleted before.
${kept}
  All rows are as of one moment. The content of a file that was deleted after that moment is missing, and the manifest says so.

${tables.join('\n')}
audit_log.csv
  Who has read or changed what.
${lineOf(auditColumns)}
`;
}
