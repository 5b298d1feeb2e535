import type { AuditRow, AuditSubject } from '@roomside/contract/audit/calls.ts';
import { auditDetails } from '@roomside/contract/audit/details.ts';
import { sql } from 'kysely';
import type { AuditObjects } from '../../platform/audit-objects.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { FoundRow } from './find-audit-rows.ts';

/** The keys of an audit row's objects that name a person, an appointment or a company. */
const kindOfKey: Readonly<Record<string, AuditSubject['kind']>> = {
  patientId: 'patient',
  intoId: 'patient',
  patients: 'patient',
  appointmentId: 'appointment',
  appointments: 'appointment',
  userId: 'user',
  users: 'user',
  guestId: 'guest',
  companyId: 'company',
  companies: 'company',
};

interface Named {
  readonly name: string;
  readonly startDate: string | null;
  /** Of an appointment. */
  readonly patientId?: number;
}
type Names = Readonly<Record<AuditSubject['kind'], ReadonlyMap<number, Named>>>;

/**
 * Turns stored rows into shown ones, with the names of now. Each row has at most `maxSubjects`; those in `first` come first. What
 * row-level security does not show has no name.
 */
export async function toAuditRows(
  tx: Tx,
  found: readonly FoundRow[],
  { maxSubjects, first = new Set() }: { maxSubjects: number; first?: ReadonlySet<number> },
): Promise<AuditRow[]> {
  const cut = found.map((row) => {
    const all = subjectsOf(row.objects).toSorted(
      (one, other) => Number(first.has(other.id)) - Number(first.has(one.id)),
    );
    return { row, subjects: all.slice(0, maxSubjects), more: Math.max(0, all.length - maxSubjects) };
  });
  const names = await readNames(
    tx,
    cut.flatMap(({ row, subjects }) => [...subjects, ...personOf(row.actor)]),
  );
  return cut.map(({ row, subjects, more }) => {
    const { refused, count } = row.objects;
    const shown = subjects.map(({ kind, id }) => ({
      kind,
      id,
      name: names[kind].get(id)?.name ?? null,
      startDate: names[kind].get(id)?.startDate ?? null,
    }));
    // An appointment is shown with its patient.
    const visited = new Set(
      subjects.map(({ kind, id }) => (kind === 'appointment' ? names[kind].get(id)?.patientId : 0)),
    );
    return {
      auditId: row.audit_id,
      at: row.occurred_at,
      actor: actorOf(row.actor, names),
      action: row.action,
      details: auditDetails(row.objects),
      refused: typeof refused === 'string' ? refused : null,
      count: typeof count === 'number' ? count : 1,
      subjects: shown.filter(({ kind, id }) => kind !== 'patient' || !visited.has(id)),
      more,
      address: row.address,
    };
  });
}

function subjectsOf(objects: AuditObjects): Pick<AuditSubject, 'kind' | 'id'>[] {
  const seen = new Map<string, Pick<AuditSubject, 'kind' | 'id'>>();
  // What a row is about comes before the lists that were read with it.
  const single = ([, value]: [string, unknown]) => Number(Array.isArray(value));
  for (const [key, value] of Object.entries(objects).toSorted((a, b) => single(a) - single(b))) {
    const kind = kindOfKey[key];
    if (!kind) continue;
    for (const id of Array.isArray(value) ? value : [value])
      if (typeof id === 'number' && id > 0) seen.set(`${kind} ${id}`, { kind, id });
  }
  return [...seen.values()];
}

const actorPattern = /^(A|D|U|P|G|Super|user)_(\d{1,15})$/;

/** The person of an actor such as 'A_12' (platform/caller.ts); none for the system and for strangers. */
function personOf(actor: string): Pick<AuditSubject, 'kind' | 'id'>[] {
  const [, role, id] = actorPattern.exec(actor) ?? [];
  return id === undefined ? [] : [{ kind: role === 'P' ? 'patient' : role === 'G' ? 'guest' : 'user', id: Number(id) }];
}

function actorOf(actor: string, names: Names): AuditRow['actor'] {
  const [, role] = actorPattern.exec(actor) ?? [];
  const [person] = personOf(actor);
  if (!person) return { kind: actor === 'system' ? 'system' : 'unknown', id: null, name: null, roleId: null };
  const name = names[person.kind].get(person.id)?.name ?? null;
  const kind =
    role === 'Super' ? 'installation' : person.kind === 'patient' || person.kind === 'guest' ? person.kind : 'user';
  return { kind, id: person.id, name, roleId: role === 'A' || role === 'D' || role === 'U' ? role : null };
}

/** Reads the names of people, appointments and companies, also of archived ones. */
async function readNames(tx: Tx, subjects: readonly Pick<AuditSubject, 'kind' | 'id'>[]): Promise<Names> {
  const idsOf = (kind: AuditSubject['kind']) => [
    ...new Set(subjects.filter((one) => one.kind === kind).map(({ id }) => id)),
  ];
  const named = async (ids: readonly number[], read: (ids: readonly number[]) => Promise<[number, Named][]>) =>
    new Map(ids.length === 0 ? [] : await read(ids));
  return {
    patient: await named(idsOf('patient'), async (ids) => {
      const query = tx.selectFrom('patients').select(['patient_id', 'first_name', 'last_name']);
      const rows = await query.where('patient_id', 'in', listed(ids)).execute();
      return rows.map((row) => [row.patient_id, { name: nameOf(row), startDate: null }]);
    }),
    appointment: await named(idsOf('appointment'), async (ids) => {
      const rows = await tx
        .selectFrom('appointments as a')
        .leftJoin('patients as p', 'p.patient_id', 'a.patient_id')
        .select(['a.appointment_id', 'a.patient_id', 'a.starts_at', 'p.first_name', 'p.last_name'])
        .where('a.appointment_id', 'in', listed(ids))
        .execute();
      return rows.map((row) => {
        const named = { name: nameOf(row), startDate: row.starts_at };
        return [row.appointment_id, row.patient_id === null ? named : { ...named, patientId: row.patient_id }];
      });
    }),
    user: await named(idsOf('user'), async (ids) => {
      const query = tx.selectFrom('users').select(['user_id', 'first_name', 'last_name']);
      const rows = await query.where('user_id', 'in', listed(ids)).execute();
      return rows.map((row) => [row.user_id, { name: nameOf(row), startDate: null }]);
    }),
    guest: await named(idsOf('guest'), async (ids) => {
      const query = tx.selectFrom('visit_guests').select(['guest_id', 'name']);
      const rows = await query.where('guest_id', 'in', listed(ids)).execute();
      return rows.map(({ guest_id, name }) => [guest_id, { name, startDate: null }]);
    }),
    company: await named(idsOf('company'), async (ids) => {
      const query = tx.selectFrom('companies').select(['company_id', 'company_name']);
      const rows = await query.where('company_id', 'in', listed(ids)).execute();
      return rows.map((row) => [row.company_id, { name: row.company_name, startDate: null }]);
    }),
  };
}

/** As a subquery: a long array would be searched for each row of the table. */
const listed = (ids: readonly number[]) => sql<number>`(select unnest(${ids}::bigint[]))`;

const nameOf = (row: { first_name: string | null; last_name: string | null }): string =>
  `${row.first_name ?? ''} ${row.last_name ?? ''}`.trim();
