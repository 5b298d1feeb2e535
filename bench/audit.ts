import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { checkAudit, readAuditHead, sealAudit } from '../server/src/platform/audit-chain.ts';
import { openDatabase } from '../server/src/platform/database/database.ts';
import { openKeys } from '../server/src/platform/keys.ts';
import { startBenchCluster } from './support/cluster.ts';
import { round } from './support/load.ts';

/** Rows per statement of the insertion. */
const perStatement = 10_000;

/**
 * Fills the audit log with `count` rows of one year, and measures the time per row of inserting, sealing and verifying, of the first and
 * of the last tenth. Constant times per row give what 100,000,000 rows take.
 */
export async function audit(count = 10_000_000): Promise<Record<string, number>> {
  const cluster = await startBenchCluster();
  const client = new pg.Client(cluster.application);
  const db = openDatabase(cluster.application, () => {});
  try {
    await client.connect();
    const parts = { db, keys: await openKeys(db, 'a secret of the bench, longer than 32 characters') };
    await client.query(`select create_audit_partitions('2026-01-01', 12)`);
    let filled = 0;
    const fillTo = async (target: number) => {
      const start = performance.now();
      const before = filled;
      for (; filled < target; filled += perStatement)
        await client.query(insertion, [filled, Math.min(filled + perStatement, target), count]);
      filled = target;
      return perRow(start, target - before);
    };
    const seal = async (rows: number) => {
      const start = performance.now();
      for (let sealed = 0; sealed < rows; ) {
        const more = await sealAudit(parts);
        sealed += more;
        // A transaction of the cluster's own work, such as autovacuum's, may hold the sealer up.
        if (more === 0) await wait(5);
      }
      return perRow(start, rows);
    };
    const verify = async (options: Parameters<typeof checkAudit>[1]) => {
      const start = performance.now();
      const { broken, rows } = await checkAudit(parts, options);
      if (broken) throw new Error(`The chain is broken: ${JSON.stringify(broken)}`);
      return perRow(start, rows);
    };
    const tenth = Math.floor(count / 10);
    const measureTenth = async () => {
      const head = await readAuditHead(parts);
      const insert = await fillTo(filled + tenth);
      return { insert, seal: await seal(tenth), verify: await verify(head ? { after: head } : {}) };
    };
    const first = await measureTenth();
    for (let i = 0; i < 8; i += 1) {
      await fillTo(filled + tenth);
      await seal(tenth);
      process.stdout.write(`${filled} rows\n`);
    }
    const last = await measureTenth();
    const verifyAll = await verify({});
    return {
      rows: filled,
      insertFirstTenthUs: first.insert,
      insertLastTenthUs: last.insert,
      sealFirstTenthUs: first.seal,
      sealLastTenthUs: last.seal,
      verifyFirstTenthUs: first.verify,
      verifyLastTenthUs: last.verify,
      verifyAllUs: verifyAll,
      // Microseconds per row of 100,000,000 rows, in hours.
      insert100MHours: round(last.insert / 36),
      seal100MHours: round(last.seal / 36),
      verify100MHours: round(Math.max(last.verify, verifyAll) / 36),
    };
  } finally {
    await client.end().catch(() => {});
    await db.close();
    await cluster.stop();
  }
}

/** Microseconds per row since `start`. */
const perRow = (start: number, rows: number): number => round(((performance.now() - start) * 1000) / rows);

const insertion = `insert into audit_log (company_id, occurred_at, actor, action, path, objects, address, request_id)
  select n % 500, '2026-01-01'::timestamptz + n * (interval '364 days' / $3::bigint), 'A_' || n % 5000, 'getPatient', '/api/patients/:patientId',
    jsonb_build_object('patientId', n % 200000), '203.0.113.' || n % 255, md5(n::text)
  from generate_series($1::bigint, $2::bigint - 1) n`;
