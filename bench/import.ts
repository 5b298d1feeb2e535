import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import {
  type CsvColumns,
  type CsvProgress,
  checkCsv,
  getCsvProgress,
  parseCsv,
  uploadCsv,
} from '@roomside/contract/csv-import/calls.ts';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { fold } from '../server/src/platform/fold.ts';
import { buildBenchApp } from './support/app.ts';
import { type BenchCluster, fillAppointments, startBenchCluster } from './support/cluster.ts';
import { round } from './support/load.ts';
import { buildClinic, password, type Read, readAs } from './support/pages.ts';
import { startServer } from './support/processes.ts';
import { signIn } from './support/requests.ts';

const settleMs = 5_000;
const sampleMs = 50;
const idleReads = 400;
const startedAt = '2026-01-01T00:00:00Z';

/**
 * Imports `count` patients into a clinic that works, and copies as many rows to the same tables with their indexes by COPY: seconds of both and
 * their ratio, memory of the server above idle (MB), and the 99th percentile of an appointment list meanwhile against idle.
 */
export async function importPatients(count = 1_000_000): Promise<Record<string, number>> {
  const cluster = await startBenchCluster();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-import-'));
  const env = { DATA_DIR: path.join(folder, 'data') };
  try {
    const app = await buildBenchApp(cluster.application, env);
    const { email, companyId } = await buildClinic(app);
    await fillAppointments(cluster, companyId, 10_000);
    const other = await buildClinic(app);
    const copied = await copySeconds(cluster, other.companyId, count);
    process.stdout.write(`COPY: ${round(copied)} s\n`);
    await app.close();
    const server = await startServer('ours', cluster, 0, env);
    try {
      const measured = await measure(server, email, count);
      return { rows: count, copySeconds: round(copied), ...measured, ratio: round(measured.importSeconds / copied) };
    } finally {
      await server.stop();
    }
  } finally {
    await cluster.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

interface Person {
  readonly first: string;
  readonly last: string;
  /** YYYY-MM-DD */
  readonly born: string;
  readonly phone: string;
  readonly email: string;
  readonly id: string;
}

const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'ha', 'je', 'ki', 'lo', 'mu', 'na', 'pe', 'ri', 'so', 'tu', 've'];
const wordOf = (number: number) =>
  [0, 4, 8, 12]
    .map((shift) => syllables[(number >> shift) & 15])
    .join('')
    .replace(/^./, (first) => first.toUpperCase());

function personOf(no: number): Person {
  const mixed = Math.imul(no, 2_654_435_761) >>> 0;
  const born = new Date(Date.UTC(1930, 0, 1 + (mixed % 33_000))).toISOString().slice(0, 10);
  const phone = `${200 + (no % 790)}${200 + (Math.floor(no / 790) % 790)}${String(mixed % 10_000).padStart(4, '0')}`;
  const first = wordOf(mixed & 0xffff);
  const last = wordOf((mixed >>> 16) ^ (no & 0xff));
  return { first, last, born, phone, email: `${first}.${no}@bench.test`.toLowerCase(), id: `P${no}` };
}

/** Copies the rows that the import writes, with ids, search texts and phones made before: only COPY counts. */
async function copySeconds(cluster: BenchCluster, companyId: number, count: number): Promise<number> {
  const owner = new pg.Client(cluster.owner);
  await owner.connect();
  const { rows } = await owner.query<{ from: string }>(`select setval('ids', nextval('ids') + $1) - $1 as from`, [
    count,
  ]);
  const from = Number(rows[0]?.from);
  const files = ['patients', 'phones'].map((name) => path.join(os.tmpdir(), `roomside-${process.pid}-${name}`));
  const [patients = '', phones = ''] = files;
  const lines = (line: (person: Person, id: number) => string) =>
    Readable.from(
      (function* () {
        for (let no = 0; no < count; no += 1) yield line(personOf(no), from + no);
      })(),
    );
  const search = ({ first, last, email, id, phone }: Person) =>
    fold(`${first} ${last} ${first} ${email} ${id} ${phone}`);
  await pipeline(
    lines(
      (p, id) =>
        `${id}\t${companyId}\t${p.first}\t${p.last}\t${p.born}\t${p.email}\t${p.id}\t${search(p)}\t${startedAt}\n`,
    ),
    fs.createWriteStream(patients),
  );
  await pipeline(
    lines((p, id) => `${companyId}\t${id}\t0\t+1${p.phone}\n`),
    fs.createWriteStream(phones),
  );
  const begun = performance.now();
  await pipeline(
    fs.createReadStream(patients),
    owner.query(
      copyFrom(
        'copy patients (patient_id, company_id, first_name, last_name, birth_date, email, external_id, search, created_at) from stdin',
      ),
    ),
  );
  await pipeline(
    fs.createReadStream(phones),
    owner.query(copyFrom('copy patient_phones (company_id, patient_id, position, phone) from stdin')),
  );
  const seconds = (performance.now() - begun) / 1000;
  for (const file of files) fs.rmSync(file);
  await owner.query('vacuum analyze');
  await owner.end();
  return seconds;
}

async function measure({ port, pid }: { port: number; pid: number }, email: string, count: number) {
  const { accessToken } = await signIn(port, { email, password });
  const ask = async (call: { method: string; path: string }, body?: object, query = '') => {
    const response = await fetch(`http://127.0.0.1:${port}${call.path}${query}`, {
      method: call.method,
      headers: { authorization: `Bearer ${accessToken}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response;
  };
  const read = await readAs(port, { email });
  await listTimes(read, idleReads, () => false);
  const idleP99 = percentile(await listTimes(read, idleReads, () => false));
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const idle = rssOf(pid);
  let peak = idle;
  const sampling = setInterval(() => {
    peak = Math.max(peak, rssOf(pid));
  }, sampleMs);
  const uploadFrom = performance.now();
  const columns = await uploadRows(port, accessToken, count);
  const uploadSeconds = (performance.now() - uploadFrom) / 1000;
  const printPeak = (work: string) => process.stdout.write(`${work}: at most ${round(peak - idle)} MB above idle\n`);
  printPeak('upload');
  const fileId = columns.fileId;
  const until = async (state: string) => {
    const from = performance.now();
    for (let shown = -10; ; ) {
      const { import: progress } = (await (await ask(getCsvProgress, undefined, `?fileId=${fileId}`)).json()) as {
        import: CsvProgress;
      };
      if (progress.state === state) return { seconds: (performance.now() - from) / 1000, progress };
      if (progress.state === 'failed') throw new Error('The import has failed.');
      if (progress.percent >= shown + 10) process.stdout.write(`${progress.state} ${(shown = progress.percent)}%\n`);
      await new Promise((resolve) => setTimeout(resolve, sampleMs));
    }
  };
  await ask(checkCsv, columns.definition);
  const checked = await until('checked');
  printPeak('upload and check');
  let isOver = false;
  const meanwhile = listTimes(read, Number.POSITIVE_INFINITY, () => isOver);
  await ask(parseCsv, columns.definition);
  const done = await until('done');
  isOver = true;
  const times = await meanwhile;
  clearInterval(sampling);
  if (done.progress.created !== count) throw new Error(`${done.progress.created} patients were created.`);
  return {
    uploadSeconds: round(uploadSeconds),
    checkSeconds: round(checked.seconds),
    importSeconds: round(done.seconds),
    idleMb: round(idle),
    aboveIdleMb: round(peak - idle),
    lists: times.length,
    idleP99: round(idleP99),
    p99: round(percentile(times)),
    p99Ratio: round(percentile(times) / idleP99),
  };
}

async function uploadRows(port: number, accessToken: string, count: number): Promise<CsvColumns> {
  const content = async function* () {
    yield 'Patient ID,First Name,Last Name,Birth Date,Mobile Phone,Email\r\n';
    for (let no = 0; no < count; ) {
      let text = '';
      for (const end = Math.min(count, no + 1000); no < end; no += 1) {
        const { id, first, last, born, phone, email } = personOf(no);
        const [year, month, day] = born.split('-');
        text += `${id},${first},${last},${month}/${day}/${year},(${phone.slice(0, 3)}) ${phone.slice(3, 6)}-${phone.slice(6)},${email}\r\n`;
      }
      yield text;
    }
  };
  const response = await fetch(`http://127.0.0.1:${port}${uploadCsv.path}?name=bench.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'text/csv' },
    body: Readable.toWeb(Readable.from(content(), { objectMode: true }).map((text: string) => Buffer.from(text))),
    duplex: 'half',
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as CsvColumns;
}

/** Reads the list of a day's appointments one after another. Returns how long each took, ms. */
async function listTimes(read: Read, max: number, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (times.length < max && !isOver()) {
    times.push((await read(listAppointments, { top: '50', skip: '0', total: '1' })).ms);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return times;
}

const percentile = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;

/** The resident memory of a process, MB. */
function rssOf(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
