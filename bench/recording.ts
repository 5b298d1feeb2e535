import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type Random, randomOf } from '../contract/src/scheduling-rules/recurrence-random.ts';
import { buildAppointment, buildCompany, buildUser } from '../server/src/demo/builders.ts';
import { buildBenchApp } from './support/app.ts';
import { type BenchCluster, startBenchCluster } from './support/cluster.ts';
import { median, round } from './support/load.ts';
import { startFileServer, startServer } from './support/processes.ts';
import { signIn } from './support/requests.ts';

const rooms = 20;
/** A segment of two minutes at the bit rate of recordings, bytes. */
const segmentBytes = 8 * 1024 * 1024;
/** What a browser reads after a seek, bytes. */
const seekBytes = 256 * 1024;
const seeks = 100;
const password = 'three blue ferries';

interface Recorded {
  readonly uid: string;
  readonly appointmentId: number;
  readonly patientId: number;
}

/**
 * Uploads of segments by 20 rooms at the same time, and reads of ranges as after a seek, relative to a plain server that writes files
 * with fsync and reads them. `alternations`: how often both are measured.
 */
export async function recording(alternations = 7): Promise<Record<string, number>> {
  const seed = Number(process.env['SEED'] ?? 20_260_301);
  process.stdout.write(`SEED=${seed}\n`);
  const cluster = await startBenchCluster();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-recordings-'));
  try {
    const { email, recorded } = await buildRooms(cluster);
    const server = await startServer('ours', cluster, 0, { DATA_DIR: path.join(folder, 'data') });
    const plain = await startFileServer(folder);
    const { accessToken } = await signIn(server.port, { email, password });
    const authorization = `Bearer ${accessToken}`;
    const content = randomBytes(segmentBytes);
    const digest = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`;
    const headers = { authorization, 'content-type': 'video/mp4', 'content-digest': digest };
    const toOurs = () =>
      uploadAll(
        recorded.map((room) => [server.port, `/api/recordings?${queryOf(room)}`] as const),
        headers,
        content,
      );
    const toPlain = () =>
      uploadAll(
        recorded.map(({ uid }) => [plain.port, `/${uid}`] as const),
        { 'content-type': 'video/mp4' },
        content,
      );
    await toOurs();
    await toPlain();
    const uploads: number[] = [];
    for (let i = 0; i < alternations; i += 1) {
      const [plainMs, oursMs] = [await toPlain(), await toOurs()];
      process.stdout.write(`uploads: ${oursMs.toFixed(0)} ms, plain ${plainMs.toFixed(0)} ms\n`);
      uploads.push(plainMs / oursMs);
    }

    const [first] = recorded;
    const list = await ask(server.port, 'GET', `/api/appointments/${first?.appointmentId}/recordings`, {
      authorization,
    });
    const { data } = JSON.parse(list.toString()) as { data: { blobs: { address: string }[] }[] };
    const address = data[0]?.blobs[0]?.address ?? '';
    const reads: number[] = [];
    for (let i = 0; i <= alternations; i += 1) {
      // Both read the same places.
      const places = seed + i;
      const oursMs = await seekTime(server.port, address, randomOf(places));
      const plainMs = await seekTime(plain.port, `/${first?.uid}`, randomOf(places));
      process.stdout.write(`seek: ${oursMs.toFixed(2)} ms, plain ${plainMs.toFixed(2)} ms\n`);
      // The first one warms up.
      if (i > 0) reads.push(oursMs / plainMs);
    }
    await server.stop();
    await plain.stop();
    return {
      rooms,
      segmentMb: segmentBytes / 1024 / 1024,
      uploadThroughput: round(median(uploads)),
      seekP50: round(median(reads)),
    };
  } finally {
    await cluster.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Twenty visits whose patients have allowed a recording. */
async function buildRooms(cluster: BenchCluster): Promise<{ email: string; recorded: Recorded[] }> {
  const app = await buildBenchApp(cluster.application);
  const { companyId } = await buildCompany(app.context, { allowRecording: true });
  const { email, userId } = await buildUser(app.context, { companyId, role: 'D', password });
  const recorded: Recorded[] = [];
  const owner = new pg.Client(cluster.owner);
  await owner.connect();
  for (let i = 0; i < rooms; i += 1) {
    const startDate = new Date(Date.now() + i * 3_600_000).toISOString();
    const made = await buildAppointment(app.context, { companyId, doctorId: userId, startDate });
    const ids = [companyId, made.appointmentId, made.patientId];
    const { rows } = await owner.query<{ id: string }>(
      `insert into recording_runs (company_id, appointment_id, patient_id, by_user_id, peer_id, asked_at)
       values ($1, $2, $3, $4, 'D', now()) returning run_id as id`,
      [...ids, userId],
    );
    await owner.query(
      `insert into recording_consents
         (company_id, appointment_id, patient_id, run_id, peer_id, stream_id, allowed, answered_at)
       values ($1, $2, $3, $4, $5, '', true, now())`,
      [...ids, rows[0]?.id, `P_${made.patientId}_phone`],
    );
    recorded.push({ uid: made.appointmentUid, appointmentId: made.appointmentId, patientId: made.patientId });
  }
  await owner.end();
  await app.close();
  return { email, recorded };
}

const queryOf = ({ uid, patientId }: Recorded) =>
  new URLSearchParams({
    appointmentUid: uid,
    roleId: 'P',
    userId: String(patientId),
    device: 'phone',
    serial: randomUUID(),
    started: '2030-01-01T10:00:00.000Z',
    stopped: '2030-01-01T10:02:00.000Z',
  }).toString();

/** Uploads the content to all addresses at the same time. Returns the time, ms. */
async function uploadAll(
  addresses: readonly (readonly [port: number, path: string])[],
  headers: Record<string, string>,
  content: Buffer,
): Promise<number> {
  const start = performance.now();
  await Promise.all(addresses.map(([port, address]) => ask(port, 'POST', address, headers, content)));
  return performance.now() - start;
}

/** Returns the median time of reading a range at a random place, ms. */
async function seekTime(port: number, address: string, random: Random): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < seeks; i += 1) {
    const from = random(segmentBytes - seekBytes);
    const start = performance.now();
    const bytes = await ask(port, 'GET', address, { range: `bytes=${from}-${from + seekBytes - 1}` });
    times.push(performance.now() - start);
    if (bytes.length !== seekBytes) throw new Error(`${bytes.length} bytes instead of a range.`);
  }
  return median(times);
}

const agent = new http.Agent({ keepAlive: true, maxSockets: rooms });

function ask(
  port: number,
  method: string,
  address: string,
  headers: Record<string, string>,
  body?: Buffer,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const length = body && { 'content-length': String(body.length) };
    const request = http.request(
      { agent, host: '127.0.0.1', port, method, path: address, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const all = Buffer.concat(chunks);
          if (response.statusCode && response.statusCode < 300) resolve(all);
          else reject(new Error(`${response.statusCode} ${all.toString().slice(0, 300)}`));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
