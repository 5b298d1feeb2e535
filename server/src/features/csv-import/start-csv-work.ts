import {
  type CsvDefinition,
  checkCsv as checkCall,
  parseCsv as parseCall,
} from '@roomside/contract/csv-import/calls.ts';
import { type ImportType, mappingOf, missingFields } from '@roomside/contract/csv-import/fields.ts';
import { problemTexts } from '@roomside/contract/csv-import/problems.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { definitionOf } from './columns.ts';

/** The index by which a company has one running import. */
const RUNNING = 'imports_running';

/** Hands the file to a worker, which checks it. */
export const checkCsv = forStaff(checkCall, async ({ caller, body, tx, touched }) => {
  touched('fileId', body.fileId);
  const row = await lockDraft(tx, caller.companyId, body.fileId);
  if (!row) throw notFound();
  const definition = validDefinition(row.type as ImportType, body);
  await begin(tx, caller.companyId, body.fileId, { state: 'checking', definition: JSON.stringify(definition) });
  return undefined;
});

/** CALL-30. The check was made with the same definition: what it said is what is done. */
export const parseCsv = forStaff(parseCall, async ({ caller, body, tx, touched }) => {
  touched('fileId', body.fileId);
  const row = await lockDraft(tx, caller.companyId, body.fileId);
  if (!row) throw notFound();
  const type = row.type as ImportType;
  const definition = validDefinition(type, body);
  const isChecked = row.state === 'checked' && isSame(type, row.definition as unknown as CsvDefinition, definition);
  if (!isChecked) throw new Refusal('check-first');
  await begin(tx, caller.companyId, body.fileId, { state: 'importing' });
  return { records: row.created + row.updated + row.unchanged };
});

const isSame = (type: ImportType, one: CsvDefinition, other: CsvDefinition): boolean =>
  JSON.stringify(definitionOf(one, type, mappingOf(one.fields))) ===
  JSON.stringify(definitionOf(other, type, mappingOf(other.fields)));

/** VALID-29. @throws Refusal `invalid` with the fields that are not mapped */
function validDefinition(type: ImportType, body: CsvDefinition): CsvDefinition {
  const mapping = mappingOf(body.fields);
  const missing = missingFields(mapping, type);
  if (missing.length > 0) {
    const inGroup = type === 'Appointment' ? problemTexts['patient-needed']() : fieldTexts.contact;
    const text = (group: number | null) => (group === 0 ? fieldTexts.required : inGroup);
    throw new Refusal('invalid', {
      fields: Object.fromEntries(missing.map(({ name, requiredInGroup }) => [name, text(requiredInGroup)])),
    });
  }
  return definitionOf(body, type, mapping);
}

const lockDraft = (tx: Tx, companyId: number, importId: number) =>
  tx
    .selectFrom('imports')
    .select(['state', 'type', 'definition', 'created', 'updated', 'unchanged'])
    .where('company_id', '=', companyId)
    .where('import_id', '=', importId)
    .where('state', 'in', ['uploaded', 'checked'])
    .forUpdate()
    .executeTakeFirst();

/** What an import has done so far: nothing. */
const fromTheStart = {
  claim: null,
  lease_until: null,
  attempts: 0,
  cancel: null,
  position: 0,
  amount_done: 0,
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  wrong: 0,
  doubled: 0,
  kept: 0,
};

interface Begun {
  readonly state: 'checking' | 'importing' | 'undoing';
  /** JSON. */
  readonly definition?: string;
}

/** @throws Refusal `import-running` */
async function begin(tx: Tx, companyId: number, importId: number, begun: Begun): Promise<void> {
  await onlyOne(
    tx
      .updateTable('imports')
      .set({ ...fromTheStart, ...begun, problems: Buffer.alloc(0) })
      .set((eb) => ({ amount_total: eb.ref('file_size') }))
      .where('company_id', '=', companyId)
      .where('import_id', '=', importId)
      .execute(),
  );
}

/** @throws Refusal `import-running` when the change would give the company a second running import */
export async function onlyOne<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    const { constraint } = error as { constraint?: string };
    throw constraint === RUNNING ? new Refusal('import-running') : error;
  }
}
