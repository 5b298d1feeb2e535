import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import { findAppointments } from '../../server/src/features/appointments/find-appointments.ts';
import { findCompanies, pageOfCompanies } from '../../server/src/features/companies/list-companies.ts';
import { findUsers, pageOfUsers } from '../../server/src/features/users/list-users.ts';
import type { StaffCaller } from '../../server/src/platform/caller.ts';
import type { Tx } from '../../server/src/platform/database/database.ts';
import type { DB } from '../../server/src/platform/database/schema.ts';
import { limitToPage } from '../../server/src/platform/lists.ts';
import { codeLifetime } from '../../server/src/platform/open-sign-in.ts';

export interface ReferenceOptions {
  /** The application's role, under row-level security. */
  readonly application: pg.PoolConfig;
  readonly owner: pg.PoolConfig;
  readonly companyId: number;
}

/**
 * The reference of the benchmarks: plain node:http and `pg` with prepared statements, planned once, on 20 pooled
 * connections. It waits for the database only when it needs a result, and pipelines statements.
 *
 * `GET /list`, `/users` and `/companies` are one SQL statement and the audit row. `GET /count` and `POST /save` run as the application's role under row-level
 * security, in one transaction that opens the caller's sign-in first. `/save` has the product's guarantees: it locks the appointment,
 * then the provider, compares the version, checks for an overlap, updates under the exclusion constraint and writes the audit row in the
 * same transaction.
 *
 * The product does more: it routes the request, verifies a signed token, the role and every field of the body; it shares its
 * connections fairly among companies and people; its save checks whether patient and appointment allow the new time and whether
 * the patient must be notified, and sends a message to the company's staff.
 *
 * Returns the port that it listens on.
 */
export async function serveReference({ application, owner, companyId }: ReferenceOptions): Promise<number> {
  const ownerPool = new pg.Pool({ ...owner, max: 20 });
  const pool = new pg.Pool({
    ...application,
    max: 20,
    pipeline: true,
    options: '-c plan_cache_mode=force_generic_plan -c TimeZone=UTC',
  });
  const server = http.createServer((request, response) => {
    const answer = (status: number, value: unknown) => {
      const text = JSON.stringify(value);
      const length = Buffer.byteLength(text);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': length }).end(text);
    };
    handle(request).then(
      (value) => answer(200, value),
      (error: unknown) =>
        error instanceof HttpError ? answer(error.status, error.message) : answer(500, (error as Error).message),
    );
  });

  function handle(request: http.IncomingMessage): Promise<unknown> {
    if (request.url === '/list') return read(listQuery);
    const signInId = Number(request.headers['x-sign-in']);
    if (request.url === '/count') return count(signInId);
    if (request.url === '/save') return save(signInId, request);
    return read(pageQuery(request.url ?? ''));
  }

  const listQuery = findAppointments(compiler(), { companyId, timeZone: 'UTC' } as StaffCaller, {})
    .orderBy('a.starts_at')
    .orderBy('a.appointment_id')
    .limit(50)
    .compile();

  const pageQueries = new Map<string, CompiledQuery>();
  /** The statement of a page of users or companies, compiled once. */
  function pageQuery(url: string): CompiledQuery {
    const known = pageQueries.get(url) ?? compilePage(new URL(url, 'http://reference'));
    pageQueries.set(url, known);
    return known;
  }

  function compilePage({ pathname, searchParams }: URL): CompiledQuery {
    const query = { top: 50, skip: 0, total: 1, after: searchParams.get('after') ?? undefined };
    return pathname === '/users'
      ? limitToPage(findUsers(compiler(), query, companyId), query, pageOfUsers(query).page).compile()
      : limitToPage(
          findCompanies(compiler(), query, new Date().toISOString()),
          query,
          pageOfCompanies(query).page,
        ).compile();
  }

  async function read({ sql: text, parameters }: CompiledQuery): Promise<unknown> {
    const client = await ownerPool.connect();
    try {
      const { rows } = await client.query({ name: nameOf(text), text, values: [...parameters] });
      await audit(client, { companyId, actor: 'A_1', action: 'list', objects: {} });
      return { data: rows, total: null };
    } finally {
      client.release();
    }
  }

  async function count(signInId: number): Promise<unknown> {
    const client = await pool.connect();
    let isDone: Promise<unknown> = Promise.resolve();
    try {
      const caller = await openSignIn(client, signInId);
      const { rows } = await client.query<{ n: string }>({
        name: 'count',
        text: `select count(*) as n from visits
          where company_id = $1 and patient_present_at is not null and provider_present_at is null`,
        values: [caller.company_id],
      });
      return Number(rows[0]?.n);
    } finally {
      // Nothing was written, so the response does not wait for the commit.
      isDone = client.query('commit');
      void isDone.then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
    }
  }

  async function save(signInId: number, request: http.IncomingMessage): Promise<unknown> {
    const body = (await readJson(request)) as SaveBody;
    const client = await pool.connect();
    try {
      const caller = await openSignIn(client, signInId);
      const saved = await saveAppointment(client, caller, body);
      const objects = { appointmentId: body.appointmentId, patientId: body.patientId };
      const entry = {
        companyId: caller.company_id,
        actor: `${caller.role_id}_${caller.user_id}`,
        action: 'save',
        objects,
      };
      await together(client, () => [audit(client, entry), client.query('commit')]);
      return saved;
    } catch (error) {
      await client.query('rollback');
      throw (error as { code?: string }).code === EXCLUSION_VIOLATION ? new HttpError(409, 'taken') : error;
    } finally {
      client.release();
    }
  }

  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Names of prepared statements by their text. */
const names = new Map<string, string>();
function nameOf(text: string): string {
  const name = names.get(text) ?? `read ${names.size}`;
  names.set(text, name);
  return name;
}

const EXCLUSION_VIOLATION = '23P01';

class HttpError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Sends statements in one write. */
function together<const Q extends readonly Promise<unknown>[]>(client: pg.PoolClient, send: () => Q) {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.cork();
  const sent = Promise.all(send());
  stream.uncork();
  return sent;
}

interface SignIn {
  company_id: string;
  user_id: string;
  role_id: string;
}

/** Begins the transaction and opens the sign-in in one round trip. */
async function openSignIn(client: pg.PoolClient, signInId: number): Promise<SignIn> {
  const [, { rows }] = await together(client, () => [
    client.query('begin'),
    client.query<SignIn>({
      name: 'sign-in',
      text: 'select company_id, user_id, role_id from open_sign_in($1, $2, $3)',
      values: [signInId, new Date().toISOString(), codeLifetime],
    }),
  ]);
  const [caller] = rows;
  if (!caller) throw new HttpError(401, 'not signed in');
  return caller;
}

interface SaveBody {
  appointmentId: number;
  version: number;
  startDate: string;
  doctorId: number;
  patientId: number;
}

interface Stored {
  version: number;
  starts_at: Date;
  ends_at: Date;
}

async function saveAppointment(client: pg.PoolClient, caller: SignIn, body: SaveBody) {
  const { appointmentId, doctorId, patientId, version } = body;
  const [appointments, providers] = await together(client, () => [
    client.query<Stored>({
      name: 'stored',
      text: `select version, starts_at, ends_at from appointments
        where appointment_id = $1 and archived_at is null for no key update`,
      values: [appointmentId],
    }),
    client.query({
      name: 'provider',
      text: `select user_id from users where user_id = $1 and company_id = $2 and not disabled and role_id in ('A', 'D')
        for no key update`,
      values: [doctorId, caller.company_id],
    }),
  ]);
  const [stored] = appointments.rows;
  if (!stored || providers.rows.length === 0) throw new HttpError(404, 'not found');
  if (stored.version !== version) throw new HttpError(409, 'stale');
  const startsAt = new Date(body.startDate);
  const endsAt = new Date(startsAt.getTime() + stored.ends_at.getTime() - stored.starts_at.getTime());
  const overlaps = await client.query({
    name: 'overlap',
    text: `select appointment_id from appointments
      where company_id = $1 and doctor_id = $2 and starts_at < $4 and starts_at > $3::timestamptz - interval '600 minutes'
        and ends_at > $3 and not cancelled and not immediate and archived_at is null and appointment_id <> $5 limit 1`,
    values: [caller.company_id, doctorId, startsAt.toISOString(), endsAt.toISOString(), appointmentId],
  });
  if (overlaps.rows.length > 0) throw new HttpError(409, 'taken');
  const { rows } = await client.query({
    name: 'update',
    text: `update appointments set starts_at = $2, ends_at = $3, doctor_id = $4, patient_id = $5, overbooked = false,
        immediate = false, start_set_at = $6, version = version + 1, calendar_sequence = calendar_sequence + 1
      where appointment_id = $1 returning appointment_id, appointment_uid, version`,
    values: [
      appointmentId,
      startsAt.toISOString(),
      endsAt.toISOString(),
      doctorId,
      patientId,
      new Date().toISOString(),
    ],
  });
  return rows[0] as unknown;
}

interface AuditRow {
  companyId: number | string;
  actor: string;
  action: string;
  objects: Record<string, unknown>;
}

function audit(client: pg.PoolClient, { companyId, actor, action, objects }: AuditRow) {
  const text = `insert into audit_log (company_id, occurred_at, actor, action, path, objects, address, request_id)
    values ($1, $2, $3, $4, '/', $5, '', 'r')`;
  const values = [companyId, new Date().toISOString(), actor, action, JSON.stringify(objects)];
  return client.query({ name: 'audit', text, values });
}

async function readJson(request: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Returns a query compiler without a database. */
function compiler(): Tx {
  const dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  return new Kysely<DB>({ dialect }) as unknown as Tx;
}
