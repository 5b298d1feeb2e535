import { administrationPages } from './administration.ts';
import { appointments } from './appointments.ts';
import { audit } from './audit.ts';
import { auditPages } from './audit-pages.ts';
import { availability } from './availability.ts';
import { call, visit4 } from './call.ts';
import { companies } from './companies.ts';
import { exportData } from './export.ts';
import { hub } from './hub.ts';
import { importPatients } from './import.ts';
import { listPages } from './lists.ts';
import { memory } from './memory.ts';
import { merge } from './merge.ts';
import { numbers } from './numbers.ts';
import { patientSearch } from './patient-search.ts';
import { payments } from './payments.ts';
import { recording } from './recording.ts';
import { rivals } from './rivals.ts';
import { slots } from './slots.ts';

/** `npm run bench -- NAME [COUNT]`: the last line of the output is a JSON object with the results by name. */
const benches: Record<string, (count?: number) => Promise<Record<string, number | null>>> = {
  administration: administrationPages,
  appointments,
  audit,
  'audit-pages': auditPages,
  availability,
  call,
  companies,
  export: exportData,
  hub,
  import: importPatients,
  lists: listPages,
  merge,
  memory,
  numbers,
  'patient-search': patientSearch,
  payments,
  recording,
  rivals,
  slots,
  visit4,
};

const [name = '', count] = process.argv.slice(2);
const bench = benches[name];
if (!bench) {
  process.stderr.write(`Usage: npm run bench -- NAME [COUNT], with NAME one of ${Object.keys(benches).join(', ')}\n`);
  process.exit(1);
}
const figures = await bench(count === undefined ? undefined : Number(count));
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit(0);
