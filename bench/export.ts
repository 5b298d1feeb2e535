import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { confirmIdentity } from '@roomside/contract/account-security/calls.ts';
import {
  type DataExport,
  getDataExport,
  openDataExport,
  startDataExport,
} from '@roomside/contract/data-export/calls.ts';
import pg from 'pg';
import type { App } from '../server/src/app.ts';
import { newUid } from '../server/src/platform/access-code.ts';
import { buildBenchApp } from './support/app.ts';
import { type BenchCluster, fillAppointments, startBenchCluster } from './support/cluster.ts';
import { round } from './support/load.ts';
import { buildClinic, password } from './support/pages.ts';
import { startServer } from './support/processes.ts';
import { signIn } from './support/requests.ts';

/** With 10,000 appointments a gigabyte of segments of recordings. */
const contentBytes = 1024 * 1024;
const appointmentsPerContent = 10;
const settleMs = 5_000;
const sampleMs = 50;

/**
 * Exports all data of a company with `count` appointments and 1 GB of contents for each 10,000 of them: the server's memory above its idle
 * memory (MB), seconds, and MB per second of the archive, for making it and for its download.
 */
export async function exportData(count = 10_000): Promise<Record<string, number>> {
  const cluster = await startBenchCluster();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-export-'));
  const env = { DATA_DIR: path.join(folder, 'data') };
  try {
    const app = await buildBenchApp(cluster.application, env);
    const { email } = await fill(cluster, app, count);
    await app.close();
    const server = await startServer('ours', cluster, 0, env);
    try {
      return { appointments: count, ...(await measure(server, email)) };
    } finally {
      await server.stop();
    }
  } finally {
    await cluster.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function measure({ port, pid }: { port: number; pid: number }, email: string): Promise<Record<string, number>> {
  const { accessToken } = await signIn(port, { email, password });
  const ask = async (
    call: { method: string; path: string },
    { body, exportId }: { body?: object; exportId?: number } = {},
  ) => {
    const response = await fetch(`http://127.0.0.1:${port}${call.path.replace(':exportId', String(exportId))}`, {
      method: call.method,
      headers: { authorization: `Bearer ${accessToken}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response;
  };
  await ask(confirmIdentity, { body: { currentPassword: password } });
  await pause(settleMs);
  const idle = rssOf(pid);
  let peak = idle;
  const sampling = setInterval(() => {
    peak = Math.max(peak, rssOf(pid));
  }, sampleMs);
  const { exportId } = (await (await ask(startDataExport)).json()) as { exportId: number };
  const read = async () => ((await (await ask(getDataExport)).json()) as { export: DataExport }).export;
  let last = await read();
  // The worker looks for exports every two seconds: the time counts from when it has begun.
  let from = performance.now();
  let shown = -1;
  while (last.state !== 'ready') {
    if (last.state === 'queued') from = performance.now();
    if (last.state !== 'queued' && last.state !== 'running') throw new Error(`The export is ${last.state}.`);
    if (last.percent !== shown) process.stdout.write(`${last.percent}%\n`);
    shown = last.percent;
    await pause(sampleMs);
    last = await read();
  }
  const seconds = (performance.now() - from) / 1000;
  const madePeak = peak;
  const megabytes = (last.size ?? 0) / 1e6;
  const { address } = (await (await ask(openDataExport, { exportId })).json()) as { address: string };
  const downloadFrom = performance.now();
  peak = rssOf(pid);
  let received = 0;
  const { body } = await fetch(`http://127.0.0.1:${port}${address}`);
  for await (const chunk of body ?? []) received += (chunk as Uint8Array).length;
  clearInterval(sampling);
  if (received !== last.size) throw new Error(`${received} bytes instead of ${last.size}.`);
  return {
    archiveMb: round(megabytes),
    idleMb: round(idle),
    aboveIdleMb: round(madePeak - idle),
    seconds: round(seconds),
    mbPerSecond: round(megabytes / seconds),
    downloadAboveIdleMb: round(peak - idle),
    downloadMbPerSecond: round(megabytes / ((performance.now() - downloadFrom) / 1000)),
  };
}

/** A company with appointments, chats, and contents of recordings. */
async function fill(cluster: BenchCluster, app: App, count: number): Promise<{ email: string }> {
  const { companyId, email, userId } = await buildClinic(app);
  await fillAppointments(cluster, companyId, count);
  const owner = new pg.Client(cluster.owner);
  await owner.connect();
  await owner.query(
    `insert into visits (company_id, appointment_id, patient_id, doctor_id, duration)
       select company_id, appointment_id, patient_id, doctor_id, 600 from appointments where company_id = $1`,
    [companyId],
  );
  const { rows } = await owner.query<{ appointment: number; patient: number }>(
    'select appointment_id::int as appointment, patient_id::int as patient from appointments where company_id = $1 order by 1 limit $2',
    [companyId, Math.max(1, Math.round(count / appointmentsPerContent))],
  );
  const content = randomBytes(contentBytes);
  for (const { appointment, patient } of rows) {
    const uid = newUid();
    const { size } = await app.context.blobs.put({ companyId, uid }, Readable.from([content]), {
      maxBytes: contentBytes,
    });
    await owner.query(
      `with track as (insert into recordings (company_id, appointment_id, patient_id, peer_id, created_at)
         values ($1, $2, $3, 'P', now()) returning recording_id)
       insert into recording_blobs (blob_uid, company_id, appointment_id, patient_id, recording_id, serial, started_at, stopped_at,
           media_type, size, content_hash, by_user_id, uploaded_at)
         select $4, $1, $2, $3, recording_id, $4, now() - interval '2 minutes', now(), 'video/mp4', $5, sha256('x'), $6, now() from track`,
      [companyId, appointment, patient, uid, size, userId],
    );
  }
  await owner.query('vacuum analyze');
  await owner.end();
  return { email };
}

/** The resident memory of a process, MB. */
function rssOf(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
