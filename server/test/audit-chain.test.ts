import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { watchAudit } from '../src/features/upkeep/watch-audit.ts';
import { openAnchors } from '../src/platform/audit-anchors.ts';
import { checkAudit, readAuditHead, readAuditSeal, sealAudit } from '../src/platform/audit-chain.ts';
import { createAuditPartitions } from '../src/platform/audit-partitions.ts';
import { noteAuditCheck, readAuditState } from '../src/platform/audit-state.ts';
import { isoNow } from '../src/platform/clock.ts';
import { openDatabase } from '../src/platform/database/database.ts';
import { type Keys, openKeys } from '../src/platform/keys.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { runCommand } from './run-command.ts';
import { startTestApp } from './test-app.ts';
import { testSecret } from './test-secret.ts';

const at = '2026-03-02T09:00:00.000Z';

/** For tests of what the server does on its schedule. */
const app = await startTestApp();

/** A database without a server, so that only the test seals. */
let database: TestDatabase;
let owner: pg.Client;
let parts: { db: ReturnType<typeof openDatabase>; keys: Keys };
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase();
  owner = new pg.Client(database.owner);
  await owner.connect();
  const db = openDatabase(database.application, () => {});
  parts = { db, keys: await openKeys(db, testSecret) };
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-audit-'));
  onTestFinished(async () => {
    fs.rmSync(folder, { recursive: true });
    await db.close();
    await owner.end();
    await database.drop();
  });
});

const query = async <Row>(text: string, values: unknown[] = []) => (await owner.query(text, values)).rows as Row[];
const write = (count: number, action = 'getPatient') =>
  query(
    `insert into audit_log (company_id, occurred_at, actor, action, path, objects, request_id)
     select 1, $2, 'A_1', $3, '/api/patients/:patientId', jsonb_build_object('patientId', n), 'r' || n from generate_series(1, $1::int) n`,
    [count, at, action],
  );
/** Runs statements without triggers, which an attacker who owns the database can do. */
const runWithoutTriggers = async (...statements: string[]) => {
  await query('set session_replication_role = replica');
  for (const statement of statements) await query(statement);
  await query('set session_replication_role = origin');
};
const broken = async (options?: Parameters<typeof checkAudit>[1]) => (await checkAudit(parts, options)).broken;

/** Seals `count` rows. Polls, since the sealer waits for older transactions of other tests in the cluster. Returns the number of batches. */
async function seal(count: number): Promise<number> {
  let [sealed, batches] = [0, 0];
  const next = async () => {
    const rows = await sealAudit(parts);
    if (rows > 0) batches += 1;
    return (sealed += rows);
  };
  await expect.poll(next, { interval: 20 }).toBe(count);
  return batches;
}

/** Creates five seals over ten rows each. */
async function createFiveSeals(): Promise<void> {
  for (let sealed = 0; sealed < 5; sealed += 1) {
    await write(10);
    await seal(10);
  }
}

describe('audit chain', () => {
  test('has one seal per batch, contains every committed row once, and is valid', async () => {
    await createFiveSeals();
    expect(await sealAudit(parts)).toBe(0);
    expect(await checkAudit(parts)).toMatchObject({ broken: null, seals: 5, rows: 50, head: { sealNo: 5 } });
    expect(await readAuditHead(parts)).toEqual((await checkAudit(parts)).head);
    // Rows are sealed in the order of their transactions, so later ones wait for an uncommitted one.
    const slow = new pg.Client(database.owner);
    await slow.connect();
    await slow.query('begin');
    await slow.query(
      `insert into audit_log (occurred_at, actor, action, path, request_id) values ($1, 'A_1', 'x', '', 'slow')`,
      [at],
    );
    await write(1);
    expect(await sealAudit(parts)).toBe(0);
    await slow.query('commit');
    await slow.end();
    // Two batches when a transaction of another test began between the two of the rows.
    const batches = await seal(2);
    expect(await checkAudit(parts)).toMatchObject({ broken: null, seals: 5 + batches, rows: 52 });
  });

  test('seals a large backlog quickly, although its statements were planned with few rows', async () => {
    await query('vacuum analyze audit_log, audit_sealed, audit_seals');
    await write(1);
    await seal(1);
    expect((await checkAudit(parts)).rows).toBe(1);
    for (let many = 0; many < 3; many += 1) await write(10_000);
    // With a plan for many rows it takes a second, with a wrong plan longer than the test's timeout.
    await seal(30_000);
    expect(await checkAudit(parts)).toMatchObject({ broken: null, rows: 30_001 });
  });

  test('simultaneous sealers: each row is sealed once', async () => {
    await write(200);
    await Promise.all([sealAudit(parts), sealAudit(parts), sealAudit(parts)]);
    const before = await checkAudit(parts);
    await seal(200 - before.rows);
    expect(await checkAudit(parts)).toMatchObject({ broken: null, rows: 200 });
  });

  test.each<[name: string, expected: object, statements: string[]]>([
    [
      'a changed row',
      { sealNo: 3, why: 'changed' },
      [
        `update audit_log set actor = 'A_2' where request_id = 'r4' and audit_id in (select audit_id from audit_sealed where seal_no = 3)`,
      ],
    ],
    [
      'a removed row',
      { sealNo: 2, why: 'missing' },
      ['delete from audit_log where audit_id = (select min(audit_id) from audit_sealed where seal_no = 2)'],
    ],
    [
      'a removed row with its entry',
      { sealNo: 2, why: 'missing' },
      [
        'delete from audit_log where audit_id = (select min(audit_id) from audit_sealed where seal_no = 2)',
        'delete from audit_sealed where audit_id not in (select audit_id from audit_log)',
      ],
    ],
    [
      'a removed row, with its entry and count',
      { sealNo: 2, why: 'changed' },
      [
        'delete from audit_log where audit_id = (select min(audit_id) from audit_sealed where seal_no = 2)',
        'delete from audit_sealed where audit_id not in (select audit_id from audit_log)',
        'update audit_seals set row_count = 9 where seal_no = 2',
      ],
    ],
    ['a removed seal', { sealNo: 4, why: 'missing' }, ['delete from audit_seals where seal_no = 4']],
    [
      'a row moved under another seal',
      { sealNo: 1, why: 'missing' },
      ['update audit_sealed set seal_no = 2 where audit_id = (select min(audit_id) from audit_sealed)'],
    ],
  ])('checkAudit with %s: returns the number of the seal', async (_, expected, statements) => {
    await createFiveSeals();
    await runWithoutTriggers(...statements);
    expect(await broken()).toEqual(expected);
  });

  test('cannot be rewritten without the key, which the database has only sealed', async () => {
    await createFiveSeals();
    const other = { ...parts, keys: { ...parts.keys, audit: new Uint8Array(32) } };
    expect((await checkAudit(other)).broken).toEqual({ sealNo: 1, why: 'changed' });
    const hex = Buffer.from(parts.keys.audit).toString('hex');
    const rows = await query<{ text: string }>('select t::text as text from installation_keys t');
    expect(rows.map(({ text }) => text).join()).not.toContain(hex);
    expect(rows).toHaveLength(3);
  });
});

describe('anchors', () => {
  /** Removes the last rows and their seals, and sets the sealer back, as an attacker who owns the database can. */
  const cutEnd = () =>
    runWithoutTriggers(
      'delete from audit_log where audit_id in (select audit_id from audit_sealed where seal_no > 3)',
      'delete from audit_sealed where seal_no > 3',
      'delete from audit_seals where seal_no > 3',
      `update audit_sealer set sealed_to = '0'`,
    );

  test('show that the end was removed, also after the chain has grown again', async () => {
    const anchors = openAnchors(path.join(folder, 'audit-anchors.log'));
    await createFiveSeals();
    await anchors.append((await readAuditHead(parts))!, at);
    expect(await broken({ anchors: (await anchors.read()).heads })).toBeNull();
    await cutEnd();
    // The chain alone is valid.
    expect(await broken()).toBeNull();
    expect(await broken({ anchors: (await anchors.read()).heads })).toEqual({ sealNo: 4, why: 'missing' });
    for (let sealed = 0; sealed < 3; sealed += 1) {
      await write(10, 'listPatients');
      await seal(10);
    }
    expect(await broken()).toBeNull();
    expect(await broken({ anchors: (await anchors.read()).heads })).toEqual({ sealNo: 5, why: 'not-anchored' });
  });

  test('accepted restore: anchors after the restored head no longer count', async () => {
    const anchors = openAnchors(path.join(folder, 'audit-anchors.log'));
    await createFiveSeals();
    await anchors.append((await readAuditHead(parts))!, at);
    await cutEnd();
    const { head } = await checkAudit(parts);
    await anchors.acceptRestore(head, at);
    expect([...(await anchors.read()).heads]).toEqual([[3, head.hash]]);
    expect(await broken({ anchors: (await anchors.read()).heads })).toBeNull();
    await runWithoutTriggers('delete from audit_seals where seal_no = 3');
    expect(await broken({ anchors: (await anchors.read()).heads })).toEqual({ sealNo: 3, why: 'missing' });
  });

  test('file: incomplete lines are ignored, and the first anchor of a seal counts', async () => {
    const file = path.join(folder, 'audit-anchors.log');
    const anchors = openAnchors(file);
    const [one, two] = ['1'.repeat(64), '2'.repeat(64)];
    await anchors.append({ sealNo: 1, hash: one }, at);
    fs.appendFileSync(file, `${at} head 2 22`);
    await anchors.append({ sealNo: 3, hash: two }, at);
    await anchors.append({ sealNo: 1, hash: two }, at);
    expect([...(await anchors.read()).heads]).toEqual([
      [1, one],
      [3, two],
    ]);
    expect(fs.readFileSync(file, 'utf8').split('\n')).toHaveLength(5);
    expect(await openAnchors(path.join(folder, 'none')).read()).toEqual({ heads: new Map(), checked: {} });
  });
});

describe('watchAudit', () => {
  const lines: { level: string; message: string; values: object }[] = [];
  const note = (level: string) => (values: object, message: string) => void lines.push({ level, message, values });
  const log = { info: note('info'), error: note('error') } as unknown as Parameters<typeof watchAudit>[0]['log'];
  let now = 0;
  const watch = (options?: Parameters<typeof watchAudit>[2]) => {
    lines.length = 0;
    const clock = { now: () => now } as Parameters<typeof watchAudit>[0]['clock'];
    return watchAudit({ ...parts, clock, log }, openAnchors(path.join(folder, 'audit-anchors.log')), options);
  };

  test('anchor: writes a changed head to the file and the log', async () => {
    const { anchor } = watch();
    await anchor();
    expect(lines).toEqual([]);
    await write(3);
    await seal(3);
    await anchor();
    await anchor();
    const head = await readAuditHead(parts);
    expect(lines).toEqual([{ level: 'info', message: 'the head of the audit log', values: head }]);
    expect(fs.readFileSync(path.join(folder, 'audit-anchors.log'), 'utf8')).toBe(
      `1970-01-01T00:00:00.000Z head 1 ${head?.hash}\n`,
    );
  });

  test('check: notes until when the log is verified, and an alarm until a check finds the changed row whole', async () => {
    const state = () => parts.db.open({ kind: 'super' }, readAuditState);
    const clock = { now: () => now } as Parameters<typeof watchAudit>[0]['clock'];
    // Without anchors each process begins with the first seal.
    const checkAll = () => watchAudit({ ...parts, clock, log }, null).check();
    expect(await state()).toEqual({ checkedAt: null, verifiedTo: null, brokenAt: null });
    now = Date.parse('2026-03-02T10:00:00.000Z');
    await createFiveSeals();
    await checkAll();
    expect(await state()).toEqual({ checkedAt: isoNow(clock), verifiedTo: at, brokenAt: null });
    const change = (actor: string) =>
      runWithoutTriggers(
        `update audit_log set actor = '${actor}' where audit_id = (select min(audit_id) from audit_sealed where seal_no = 2)`,
      );
    await change('A_666');
    now += 3_600_000;
    await checkAll();
    const brokenAt = isoNow(clock);
    expect(await state()).toEqual({ checkedAt: brokenAt, verifiedTo: at, brokenAt });
    await change('A_1');
    // A check of later seals only does not end the alarm.
    now += 3_600_000;
    const after = (await readAuditHead(parts)) ?? undefined;
    await noteAuditCheck(parts, await checkAudit(parts, { ...(after && { after }) }), { after, at: isoNow(clock) });
    expect(await state()).toEqual({ checkedAt: isoNow(clock), verifiedTo: at, brokenAt });
    await checkAll();
    expect(await state()).toMatchObject({ brokenAt: null });
    now = 0;
  });

  test('check: is complete at first, incremental afterwards, checks again daily, and logs the number of a broken seal', async () => {
    const { check, anchor } = watch();
    await createFiveSeals();
    await check();
    expect(lines.at(-1)).toMatchObject({ level: 'info', values: { sealNo: 5, rows: 50, rechecked: 0 } });
    await write(10);
    await seal(10);
    await check();
    expect(lines.at(-1)).toMatchObject({ level: 'info', values: { sealNo: 6, rows: 10, rechecked: 0 } });
    await anchor();
    await runWithoutTriggers(
      `update audit_log set address = '203.0.113.9' where audit_id = (select min(audit_id) from audit_log)`,
    );
    await check();
    expect(lines.at(-1)).toMatchObject({ level: 'info', values: { rows: 0, rechecked: 0 } });
    now += 24 * 3_600_000;
    await check();
    expect(lines.at(-1)).toMatchObject({ level: 'error', values: { sealNo: 1, why: 'changed' } });
    await check();
    expect(lines.at(-1)).toMatchObject({ level: 'error', values: { sealNo: 1, why: 'changed' } });
  });

  test('check: goes on after a restart where it was, and checks the rest again part by part, one per day', async () => {
    await createFiveSeals();
    await watch({ maxRows: 20 }).check();
    expect(lines.at(-1)).toMatchObject({ level: 'info', values: { sealNo: 5, rows: 50, rechecked: 0 } });
    await write(10);
    await seal(10);
    const { check } = watch({ maxRows: 20 });
    const found: unknown[] = [];
    for (let day = 0; day < 4; day += 1) {
      await check();
      found.push(lines.at(-1)?.values);
      now += 24 * 3_600_000;
    }
    // Two seals of the five on the first day, two on the second, the last and the new one on the third.
    expect(found).toMatchObject([
      { sealNo: 6, rows: 10, rechecked: 20 },
      { sealNo: 6, rows: 0, rechecked: 20 },
      { sealNo: 6, rows: 0, rechecked: 20 },
      { sealNo: 6, rows: 0, rechecked: 20 },
    ]);
    await runWithoutTriggers(
      `update audit_log set actor = 'A_2' where audit_id in (select audit_id from audit_sealed where seal_no = 4)`,
    );
    await check();
    expect(lines.at(-1)).toMatchObject({ level: 'error', values: { sealNo: 4, why: 'changed' } });
  });

  test('schedule: checks a minute after the start, then each hour', async () => {
    const { checkWhenDue } = watch();
    await createFiveSeals();
    await checkWhenDue();
    expect(lines).toHaveLength(1);
    now += 3_599_000;
    await checkWhenDue();
    expect(lines).toHaveLength(1);
    now += 1_000;
    await checkWhenDue();
    expect(lines).toHaveLength(2);
  });

  test('check: finds a removed end within an hour without anchors', async () => {
    const { check } = watch();
    await createFiveSeals();
    await check();
    await runWithoutTriggers('delete from audit_seals where seal_no = 5');
    await check();
    expect(lines.at(-1)).toMatchObject({ level: 'error', values: { sealNo: 5, why: 'missing' } });
  });

  test('stop: aborts a running check without an error', async () => {
    const { check, stop } = watch();
    await createFiveSeals();
    stop();
    await check();
    expect(lines).toEqual([]);
  });

  test('schedule: seals committed rows', async () => {
    const plain = new pg.Client(app.database.owner);
    await plain.connect();
    onTestFinished(() => plain.end());
    await plain.query(
      `insert into audit_log (occurred_at, actor, action, path, request_id) values ($1, 'A_1', 'x', '', 'r')`,
      [at],
    );
    const unsealed = async () => {
      const { rowCount } = await plain.query(
        'select from audit_log l where not exists (select from audit_sealed s where s.audit_id = l.audit_id)',
      );
      return rowCount;
    };
    await expect.poll(unsealed).toBe(0);
    expect((await checkAudit(app.context)).broken).toBeNull();
  });
});

describe('partitions', () => {
  const partitions = async () =>
    (await query<{ name: string }>(`select relname as name from pg_class where relispartition and relkind = 'r'`)).map(
      ({ name }) => name,
    );
  const inPartition = async () =>
    (await query<{ name: string }>('select distinct tableoid::regclass::text as name from audit_log order by 1')).map(
      ({ name }) => name,
    );
  const clockAt = (iso: string) =>
    ({ now: () => Date.parse(iso) }) as Parameters<typeof createAuditPartitions>[0]['clock'];
  const writeAt = (iso: string) =>
    query(`insert into audit_log (occurred_at, actor, action, path, request_id) values ($1, 'A_1', 'x', '', 'r')`, [
      iso,
    ]);

  test('are created for this month and half a year, each with its seals, and only once', async () => {
    const clock = clockAt('2099-11-30T23:59:59Z');
    expect(await createAuditPartitions({ ...parts, clock })).toBe(14);
    expect(await createAuditPartitions({ ...parts, clock })).toBe(0);
    const names = await partitions();
    for (const name of ['audit_log_2099_11', 'audit_sealed_2099_11', 'audit_log_2100_05'])
      expect(names).toContain(name);
    await writeAt('2099-11-01T00:00:00Z');
    await writeAt('2100-05-31T23:59:59.999Z');
    expect(await inPartition()).toEqual(['audit_log_2099_11', 'audit_log_2100_05']);
    await seal(2);
    expect(await checkAudit(parts)).toMatchObject({ broken: null, rows: 2 });
  });

  test('row of a month without a partition: is stored, sealed and verified; the month stays in the default partition', async () => {
    await writeAt('2150-06-15T12:00:00Z');
    await seal(1);
    expect(await inPartition()).toEqual(['audit_log_default']);
    expect(await createAuditPartitions({ ...parts, clock: clockAt('2150-06-15T12:00:00Z') })).toBe(12);
    await writeAt('2150-06-16T12:00:00Z');
    await writeAt('2150-07-16T12:00:00Z');
    expect(await inPartition()).toEqual(['audit_log_2150_07', 'audit_log_default']);
    await seal(2);
    expect(await checkAudit(parts)).toMatchObject({ broken: null, rows: 3 });
  });

  test('creation while a transaction holds the log: gives up, and rows are written', async () => {
    const holder = new pg.Client(database.owner);
    await holder.connect();
    await holder.query('begin; lock table audit_log in row exclusive mode');
    const clock = clockAt('2099-11-30T23:59:59Z');
    await query('alter function create_audit_partitions set lock_timeout = 20');
    expect(await createAuditPartitions({ ...parts, clock })).toBeLessThan(14);
    await writeAt('2099-11-01T00:00:00Z');
    await holder.query('rollback');
    await holder.end();
    await createAuditPartitions({ ...parts, clock });
    expect(await partitions()).toContain('audit_log_2099_12');
  });

  test('schedule: a server whose clock is far ahead creates them', async () => {
    const far = await startTestApp();
    const plain = new pg.Client(far.database.owner);
    await plain.connect();
    onTestFinished(() => plain.end());
    // A step of the clock runs the schedules, unless the run before has not ended: the start begins one, for its own months.
    const isThere = async () => {
      far.clock.set(Date.parse('2131-02-10T09:00:00Z'));
      return (await plain.query<{ name: string | null }>(`select to_regclass('audit_log_2131_02') as name`)).rows[0]
        ?.name;
    };
    await expect.poll(isThere).toBe('audit_log_2131_02');
  });
});

describe('checkAudit of a part', () => {
  test('checks its seals and rows only', async () => {
    await createFiveSeals();
    const after = (await readAuditSeal(parts, 2))!;
    expect(await checkAudit(parts, { after, upTo: 4 })).toMatchObject({
      broken: null,
      seals: 2,
      rows: 20,
      head: { sealNo: 4 },
    });
    expect(await checkAudit(parts, { after, maxRows: 11 })).toMatchObject({ seals: 2, rows: 20, isEnd: false });
    expect(await checkAudit(parts, { after, upTo: 6 })).toMatchObject({ broken: { sealNo: 6, why: 'missing' } });
    await runWithoutTriggers(
      `update audit_log set actor = 'A_2' where audit_id in (select audit_id from audit_sealed where seal_no = 5)`,
    );
    expect((await checkAudit(parts, { after, upTo: 4 })).broken).toBeNull();
    expect((await checkAudit(parts, { after })).broken).toEqual({ sealNo: 5, why: 'changed' });
    expect(await readAuditSeal(parts, 6)).toBeNull();
  });
});

describe('restore into a cluster with other transaction ids', () => {
  test('the sealer seals each row once', async () => {
    await write(3);
    await seal(3);
    // Transaction ids of the old cluster, far ahead of this one's.
    await query(
      `insert into audit_log (occurred_at, actor, action, path, request_id, xid) values ($1, 'A_1', 'x', '', 'old', '900000007')`,
      [at],
    );
    await runWithoutTriggers(`update audit_sealer set sealed_to = '900000000'`);
    await write(2);
    await seal(3);
    await write(4);
    await seal(4);
    expect(await checkAudit(parts)).toMatchObject({ broken: null, rows: 10 });
  });

  test('an unsealed row of the old cluster is sealed by the daily check', async () => {
    await write(3);
    await seal(3);
    await query(
      `insert into audit_log (occurred_at, actor, action, path, request_id, xid) values ($1, 'A_1', 'x', '', 'old', '900000007')`,
      [at],
    );
    expect(await sealAudit(parts)).toBe(0);
    expect(await sealAudit(parts, { restored: true })).toBe(1);
    expect(await sealAudit(parts, { restored: true })).toBe(0);
    expect(await checkAudit(parts)).toMatchObject({ broken: null, rows: 4 });
  });
});

describe('rights to the audit log', () => {
  test('roomside_auditor: may read the log and its seals, and may not write', async () => {
    await createFiveSeals();
    await query('set role roomside_auditor');
    expect(await query('select count(*)::int as n from audit_log')).toEqual([{ n: 50 }]);
    expect(await query('select count(*)::int as n from audit_seals join audit_sealed using (seal_no)')).toEqual([
      { n: 50 },
    ]);
    for (const statement of [
      'delete from audit_log',
      'update audit_seals set row_count = 1',
      'select from patients',
      'select from data_keys',
      'select from installation_keys',
    ])
      await expect(owner.query(statement)).rejects.toThrow(/permission denied|only grows/);
    await query('reset role');
  });

  test('functions of the page: return rows to a company’s staff and a Super only', async () => {
    await write(3);
    const seen = (kind: Parameters<typeof parts.db.open>[0]) =>
      parts.db.open(kind, async (tx) => {
        const none = sql`null, null, null, null, null, null`;
        const { rows } = await sql`select * from list_audit(${none}, null, null, false, 0, 10)`.execute(tx);
        const counted = await sql<{ n: number }>`select count_audit(${none}, 10) as n`.execute(tx);
        const state = await sql`select * from get_audit_state()`.execute(tx);
        return [rows.length, counted.rows[0]?.n, state.rows.length];
      });
    expect(await seen({ kind: 'company', companyId: 1 })).toEqual([3, 3, 1]);
    expect(await seen({ kind: 'company', companyId: 2 })).toEqual([0, 0, 1]);
    expect(await seen({ kind: 'super' })).toEqual([0, 0, 1]);
    for (const kind of [
      { kind: 'patient', companyId: 1, patientId: 1 },
      { kind: 'booking', companyId: 1 },
      { kind: 'job', companyId: 1 },
      { kind: 'unauthenticated' },
      { kind: 'installation' },
    ] as const)
      expect(await seen(kind)).toEqual([0, 0, 0]);
    await expect(
      parts.db.open({ kind: 'company', companyId: 1 }, (tx) =>
        sql`select note_audit_check(now(), 0, 1, null)`.execute(tx),
      ),
    ).rejects.toThrow('Only the check of the chain');
  });

  test('functions of the chain: return nothing in a company’s transaction', async () => {
    await createFiveSeals();
    const plain = new pg.Client(database.application);
    await plain.connect();
    await plain.query(`set app.kind = 'company'; set app.company = '1'`);
    for (const call of [
      'unsealed_audit(10, true)',
      'list_audit_seals(0, 10)',
      'list_sealed_audit(1, 5)',
      'audit_head()',
    ])
      expect([call, (await plain.query(`select * from ${call}`)).rowCount]).toEqual([call, 0]);
    await expect(plain.query(`select add_audit_seal(6, '{1}', '{2026-03-02}', '\\x00', null)`)).rejects.toThrow(
      'Only the sealer',
    );
    await plain.end();
  });
});

test('npm run verify-audit: prints whether the chain is valid, and exits with 1 when not', async () => {
  const { host, port } = database.application;
  const env = {
    SECRET_KEY: testSecret,
    DATA_DIR: folder,
    DATABASE_URL: `postgres://app_user@localhost:${port}/${database.name}?host=${encodeURIComponent(String(host))}`,
    DATABASE_OWNER_URL: 'postgres://owner@localhost/unused',
  };
  const verify = (...args: string[]) => runCommand('verify-audit', args, env);
  await createFiveSeals();
  await openAnchors(path.join(folder, 'audit-anchors.log')).append((await readAuditHead(parts))!, at);
  const whole = await verify();
  expect(whole).toEqual({
    code: 0,
    output: expect.stringMatching(/^The audit log is whole: 50 rows under 5 seals, 1 anchors\. Head: 5 [0-9a-f]{64}$/),
  });
  await runWithoutTriggers(
    'delete from audit_log where audit_id in (select audit_id from audit_sealed where seal_no = 5)',
    'delete from audit_sealed where seal_no = 5',
    'delete from audit_seals where seal_no = 5',
  );
  expect(await verify()).toEqual({
    code: 1,
    output: 'The audit log is broken at seal 5: it, or a row under it, is missing. Up to seal 4 it is whole.',
  });
  expect(await verify('--from', '2', '--to', '4')).toEqual({
    code: 0,
    output: expect.stringMatching(/^The audit log is whole: 30 rows under 3 seals, 0 anchors\. Head: 4 [0-9a-f]{64}$/),
  });
  expect((await verify('--from', '4', '--to', '2')).output).toContain('Name the seals by their numbers');
  expect((await verify('--accept-restore')).code).toBe(0);
  expect((await verify()).code).toBe(0);
  await runWithoutTriggers(`update audit_log set actor = 'A_9' where audit_id = (select min(audit_id) from audit_log)`);
  expect(await verify('--accept-restore')).toEqual({
    code: 1,
    output: 'The audit log is broken at seal 1: a row under it, or the seal, was changed. Up to seal 0 it is whole.',
  });
});
