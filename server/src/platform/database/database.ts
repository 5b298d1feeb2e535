import type { Socket } from 'node:net';
import {
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import pg from 'pg';
import { type TracedTransaction, transactions } from '../operations/trace-channels.ts';
import { Refusal } from '../refusal.ts';
import { PreparingClient, PromptDriver, types } from './driver.ts';
import { prepared } from './prepared.ts';
import { Probe } from './probe.ts';
import type { DB } from './schema.ts';
import { currentShare, insideTransaction, requireNoTransaction } from './scope.ts';
import { serverShare, type TurnLimits, Turns } from './turns.ts';
import type { AfterCommit, RowsOf, Statement, Statements, Tx } from './tx.ts';
import type { TxKind } from './tx-kind.ts';

export type { AfterCommit, RowsOf, Statement, Statements, Tx } from './tx.ts';
export type { TxKind } from './tx-kind.ts';

/**
 * Sends statements that do not need each other's results in one round trip. They run one after another, each with a new
 * snapshot: after one that waits for a lock, the next ones see what was committed meanwhile.
 *
 * @returns the rows by statement
 * @throws the first error; the statements after it did not run, and the transaction can only roll back
 */
export async function inOneTrip<Rows extends readonly unknown[]>(
  tx: Tx,
  ...statements: Statements<Rows>
): Promise<RowsOf<Rows>> {
  const compiled = (statements as readonly Statement<unknown>[]).map((statement) => statement.compile(tx));
  const results = await tx
    .getExecutor()
    .provideConnection((connection) => Promise.all(compiled.map((query) => connection.executeQuery(query))));
  return results.map(({ rows }) => rows) as RowsOf<Rows>;
}

/** The connection of a transaction, and the results of the statements for which nothing waits before its end. */
interface Sending {
  readonly connection: DatabaseConnection;
  readonly results: Promise<unknown>[];
}
const sendingOf = new WeakMap<Tx, Sending>();

/**
 * Sends a statement immediately, without waiting for it: in one round trip with the next statement or with the commit. Its error fails the
 * transaction, and is thrown instead of those of later statements.
 *
 * @param errorOf returns the error to throw for that of the statement
 */
export function send(tx: Tx, statement: Statement<unknown>, errorOf: (error: Error) => Error = (error) => error): void {
  const sending = sendingOf.get(tx);
  if (!sending) throw new Error('Not a transaction of this database.');
  // Kysely's queue of statements is not used: it does not keep their order, and the commit does not wait for it.
  const result = sending.connection.executeQuery(statement.compile(tx)).catch((error: Error) => {
    throw errorOf(error);
  });
  result.catch(() => {});
  sending.results.push(result);
}

const effectsOf = new WeakMap<Tx, (() => void)[]>();

/** Registers work that runs after the transaction's commit and only then, for functions that get the transaction alone. */
export function runAfterCommit(tx: Tx, effect: () => void): void {
  const effects = effectsOf.get(tx);
  if (!effects) throw new Error('Not a transaction of this database.');
  effects.push(effect);
}

/**
 * Changes a transaction of kind booking to kind patient, which may write only the rows of that patient.
 *
 * @param known the patient; default: a new id
 * @returns the patient's id
 */
export async function becomePatient(tx: Tx, known?: number): Promise<number> {
  const { rows } = await sql<{ patient_id: string }>`
    select set_config('app.patient', coalesce(${known ?? null}::bigint, nextval('ids'))::text, true) as patient_id,
      set_config('app.kind', 'patient', true)`.execute(tx);
  return Number(rows[0]?.patient_id);
}

/** Changes a transaction of kind company to kind job of the same company, for work that only jobs do. */
export async function becomeJob(tx: Tx): Promise<void> {
  const { rows } = await sql<{ was: string }>`select app_kind() as was`.execute(tx);
  if (rows[0]?.was !== 'company') throw new Error('Only the transaction of staff becomes that of a job.');
  await sql`select set_config('app.kind', 'job', true)`.execute(tx);
}

/** The connections of the pool. */
export interface DatabaseLoad {
  /** Connected, in use or not. */
  readonly open: number;
  readonly idle: number;
  /** Transactions that have not begun. */
  readonly waiting: number;
}

export interface Database {
  /**
   * Runs `work` in one transaction with the rights of its kind. An error rolls it back. The functions passed to
   * `afterCommit` run after the commit, in that order; changes are pushed only there.
   *
   * @throws Error inside another transaction
   */
  open<T>(kind: TxKind, work: (tx: Tx, afterCommit: AfterCommit) => Promise<T>): Promise<T>;
  /**
   * Reads in one transaction that sees the database as of one moment and may take long. It writes nothing. While it runs, rows that
   * others change are kept twice, so that it must not wait for anything slow.
   */
  snapshot<T>(kind: TxKind, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Opens a transaction that has no rights until `open_sign_in` has set them. */
  begin<T>(work: (tx: Tx, afterCommit: AfterCommit) => Promise<T>): Promise<T>;
  load(): DatabaseLoad;
  close(): Promise<void>;
}

const rights = prepared(
  (_tx, { kind, company, patient }: { kind: string; company: string; patient: string }) =>
    sql`select set_config('app.kind', ${kind}, true), set_config('app.company', ${company}, true),
      set_config('app.patient', ${patient}, true)`,
);

const poolSize = 20;
/**
 * `perGroup` keeps connections free for others than the busiest company. A transaction that has not begun after the timeout
 * is refused.
 */
const turnLimits: TurnLimits = {
  total: poolSize,
  perGroup: 14,
  // Few connections for callers without a sign-in, so that a flood of them does not block users.
  groups: { unauthenticated: 6, 'known devices': 6 },
  perMember: 8,
  maxWaiting: 500,
  timeoutMs: 15_000,
};

/** The socket of a client; the driver's types do not contain it. */
const streamOf = (client: pg.PoolClient) => (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** Connects as the application's role. `onError` is called when an idle connection breaks. */
export function openDatabase(config: pg.PoolConfig, onError: (error: Error) => void): Database {
  // One plan per prepared statement: planning joins under row-level security takes several times their execution.
  const planning = '-c plan_cache_mode=force_generic_plan -c TimeZone=UTC -c DateStyle=ISO';
  // Ends the transaction of an instance that disappeared, so that it does not keep its locks.
  const limits = '-c statement_timeout=15000 -c idle_in_transaction_session_timeout=90000';
  const settings = [config.options, planning, limits].filter(Boolean).join(' ');
  const alive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
  const own = { ...config, ...alive, options: settings, types, pipeline: true, Client: PreparingClient };
  const pool = new pg.Pool({ max: poolSize, connectionTimeoutMillis: 2000, ...own });
  pool.on('error', onError);
  // A checked-out client that breaks without a query has no other listener, and the process would end. Its next query fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  const checkedOut = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => checkedOut.add(client));
  pool.on('release', (_error, client) => checkedOut.delete(client));
  const probe = new Probe(config, () => {
    for (const client of checkedOut) streamOf(client).destroy(new Error('Connection terminated: no answer'));
  });
  const driver = new PromptDriver({ pool });
  const db = new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const turns = new Turns(turnLimits);
  const inTransaction = async <T>(tx: Tx, effects: (() => void)[], work: () => Promise<T>): Promise<T> => {
    const connection = await tx.getExecutor().provideConnection(async (own) => own);
    const results: Promise<unknown>[] = [];
    sendingOf.set(tx, { connection, results });
    effectsOf.set(tx, effects);
    try {
      const result = await insideTransaction(work);
      driver.keepForCommit(connection, results);
      return result;
    } catch (error) {
      // A statement after one that failed fails, too.
      await Promise.all(results);
      throw error;
    }
  };
  const run = async <T>(
    kind: TracedTransaction['kind'],
    work: (tx: Tx, afterCommit: AfterCommit) => Promise<T>,
    begin = db.transaction(),
  ): Promise<T> => {
    requireNoTransaction('A second transaction was opened');
    if (probe.isFrozen) throw new Refusal('unavailable', { retryAfter: 2 });
    const effects: (() => void)[] = [];
    const afterCommit: AfterCommit = (effect) => effects.push(effect);
    const share = currentShare();
    const traced: TracedTransaction = { kind, isServers: share === serverShare, waitedMs: 0 };
    const from = performance.now();
    const inTurn = () => {
      traced.waitedMs = performance.now() - from;
      return probe.watch(() => begin.execute((tx) => inTransaction(tx, effects, () => work(tx, afterCommit))));
    };
    const result = await transactions.tracePromise(() => turns.run(share, inTurn), traced);
    for (const effect of effects) effect();
    return result;
  };
  const setRights = async (tx: Tx, kind: TxKind) => {
    const company = 'companyId' in kind ? String(kind.companyId) : '';
    const patient = 'patientId' in kind ? String(kind.patientId) : '';
    await inOneTrip(tx, rights({ kind: kind.kind, company, patient }));
  };
  return {
    begin: (work) => run('caller', work),
    open: (kind, work) =>
      run(kind.kind, async (tx, afterCommit) => {
        await setRights(tx, kind);
        return work(tx, afterCommit);
      }),
    snapshot: (kind, work) => {
      const begin = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
      const reading = async (tx: Tx) => {
        await setRights(tx, kind);
        await sql`set local statement_timeout = 0`.execute(tx);
        return work(tx);
      };
      return run(kind.kind, reading, begin);
    },
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: turns.waiting + pool.waitingCount }),
    close: () => {
      // The pool ends before its sockets: errors in between are ignored.
      probe.stop();
      pool.off('error', onError).on('error', () => {});
      return db.destroy();
    },
  };
}
