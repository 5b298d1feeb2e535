import { sql } from 'kysely';
import { buildUser } from '../src/demo/builders.ts';
import { newUid } from '../src/platform/access-code.ts';
import { isoNow } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';
import { sealedPlaces, sealText } from '../src/platform/sealed-text.ts';

/** Creates an import that was done, and has changed a patient. The texts contain `word`. */
export async function buildImport(
  context: Context,
  { companyId, patientId, word = 'Text' }: { companyId: number; patientId: number; word?: string },
): Promise<number> {
  const now = isoNow(context.clock);
  const { userId } = await buildUser(context, { companyId, role: 'A' });
  return context.db.open({ kind: 'job', companyId }, async (tx) => {
    const seal = (text: string, place: string) => sealText(tx, context.keys, { companyId, now }, text, place);
    const uid = newUid();
    const { import_id: importId } = await tx
      .insertInto('imports')
      .values({
        company_id: companyId,
        type: 'Patient',
        by_user_id: userId,
        state: 'done',
        uploaded_at: now,
        file_uid: uid,
        file_name: await seal(`${word}.csv`, sealedPlaces.importFileName(uid)),
        problems: await seal(JSON.stringify([{ value: word }]), sealedPlaces.importProblems(uid)),
        file_size: 1,
        definition: '{}',
      })
      .returning('import_id')
      .executeTakeFirstOrThrow();
    const of = { company_id: companyId, import_id: importId };
    const problem = { ...of, record_no: 1, problem_no: 0, line: 2, code: 'phone', detail: 0 };
    await tx.insertInto('import_problems').values(problem).execute();
    await tx
      .insertInto('import_keys')
      .values({ ...of, key: 1, line: 2 })
      .execute();
    await sql`insert into import_spans (company_id, import_id, line, doctor_id, during, days)
      values (${companyId}, ${importId}, 2, 1, tstzrange('2026-01-05 09:00Z', '2026-01-05 10:00Z'), daterange(null, null))`.execute(
      tx,
    );
    const before = await seal(JSON.stringify({ firstName: word }), sealedPlaces.importChange(importId, patientId));
    await tx
      .insertInto('import_changes')
      .values({ ...of, patient_id: patientId, version: 1, before })
      .execute();
    return importId;
  });
}
