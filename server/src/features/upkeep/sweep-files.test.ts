import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildFile } from '../../../test/build-file.ts';
import { startServer } from '../../../test/server-process.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { type BuiltAppointment, buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';
import { newUid } from '../../platform/access-code.ts';
import { blobFolder } from '../../platform/data-folder.ts';
import { openBlobFiles } from '../../platform/open-blob-files.ts';
import { daily } from '../../platform/repeat.ts';
import { readSettings } from '../../platform/settings.ts';
import { sweepFiles } from './sweep-files.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-sweep-'));
const app = await startTestApp({ env: { DATA_DIR: folder } });
const { context } = app;
const hour = 3_600_000;
/** Removed after the database's tests, which read it. */
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

let staff: Person;
let appointment: BuiltAppointment;
beforeAll(async () => {
  const { companyId } = await buildCompany(context);
  const { email } = await buildUser(context, { companyId, role: 'U', password });
  staff = await app.signIn({ email, password });
  appointment = await buildAppointment(context, { companyId });
});

/** Every stored or unfinished file, as `UID` or `UID.*`. */
const stored = () =>
  fs
    .readdirSync(blobFolder({ DATA_DIR: folder }), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, size: fs.statSync(path.join(parentPath, name)).size }));
const namesOf = () => stored().map(({ name }) => name);
/** Sweeps as if so much time had passed. */
const sweepAfter = (ms: number) => sweepFiles({ ...context, clock: { ...app.clock, now: () => Date.now() + ms } });
afterEach(() => fs.rmSync(blobFolder({ DATA_DIR: folder }), { recursive: true, force: true }));

/** Begins an upload to a server process. It ends only when the server does. */
function upload(url: string, bytes: Buffer, length: number): void {
  const request = http.request(`${url}/api/appointments/${appointment.appointmentId}/files?name=a.bin`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${staff.token}`,
      'content-type': 'application/octet-stream',
      'content-length': String(length),
    },
  });
  request.on('error', () => {});
  request.write(bytes);
}

describe('sweepFiles', () => {
  test('server killed during an upload: the unfinished file stays for a day, then it is deleted', async () => {
    const kept = await buildFile(context, appointment);
    const server = await startServer(app.database.application, { DATA_DIR: folder });
    onTestFinished(() => server.stop());
    upload(server.url, Buffer.alloc(1_000_000), 5_000_000);
    await expect.poll(() => stored().some(({ name, size }) => name.includes('.') && size > 100_000)).toBe(true);
    await server.stop();
    const unfinished = namesOf().filter((name) => name !== kept);
    expect(unfinished).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.[0-9a-f-]{36}$/)]);
    expect(await sweepAfter(23.9 * hour)).toEqual({ unfinished: 0, orphans: 0 });
    expect(namesOf()).toContain(unfinished[0]);
    expect(await sweepAfter(24.1 * hour)).toEqual({ unfinished: 1, orphans: 0 });
    expect(namesOf()).toEqual([kept]);
  });

  test('server killed before the row of an uploaded file was committed: the file is deleted after a day', async () => {
    const kept = await buildFile(context, appointment);
    const server = await startServer(app.database.application, { DATA_DIR: folder });
    onTestFinished(() => server.stop());
    const owner = new pg.Client(app.database.owner);
    await owner.connect();
    onTestFinished(() => owner.end());
    // The row of the file waits for this lock of its appointment.
    await owner.query('begin');
    await owner.query('select from appointments where appointment_id = $1 for update', [appointment.appointmentId]);
    upload(server.url, Buffer.from('content'), 7);
    const orphans = () => namesOf().filter((name) => name !== kept && !name.includes('.'));
    await expect.poll(orphans).toHaveLength(1);
    await server.stop();
    await owner.query('rollback');
    expect(await sweepAfter(23.9 * hour)).toEqual({ unfinished: 0, orphans: 0 });
    expect(orphans()).toHaveLength(1);
    expect(await sweepAfter(24.1 * hour)).toEqual({ unfinished: 0, orphans: 1 });
    expect(namesOf()).toEqual([kept]);
  });

  test('files with rows stay, of each company; those of others without one are deleted', async () => {
    const other = await buildAppointment(context);
    const kept = [await buildFile(context, appointment), await buildFile(context, other)];
    const lost = [appointment.companyId, other.companyId].map((companyId) => ({ companyId, uid: newUid() }));
    for (const name of lost) await context.blobs.put(name, Readable.from([Buffer.from('lost')]), { maxBytes: 10 });
    expect(await sweepAfter(25 * hour)).toEqual({ unfinished: 0, orphans: 2 });
    expect(namesOf().sort()).toEqual(kept.sort());
  });

  test('most files have no row, as with the wrong database: none is deleted, and the log has an error', async () => {
    for (let n = 0; n < 101; n += 1) {
      const name = { companyId: appointment.companyId, uid: newUid() };
      await context.blobs.put(name, Readable.from([Buffer.from('x')]), { maxBytes: 10 });
    }
    expect(await sweepAfter(25 * hour)).toEqual({ unfinished: 0, orphans: 0 });
    expect(stored()).toHaveLength(101);
    const [line = ''] = app.logged.filter((one) => one.includes('many files have no row'));
    expect(JSON.parse(line)).toMatchObject({ level: 50, orphans: 101, total: 101 });
  });

  test('runs with the server’s repeated work, once a day', async () => {
    const name = { companyId: appointment.companyId, uid: newUid() };
    const store = () => context.blobs.put(name, Readable.from([Buffer.from('lost')]), { maxBytes: 10 });
    let now = Date.now() + 25 * hour;
    const sweep = daily({ now: () => now }, () => sweepFiles({ ...context, clock: { ...app.clock, now: () => now } }));
    await store();
    await sweep();
    expect(namesOf()).toEqual([]);
    await store();
    now += 23.9 * hour;
    await sweep();
    expect(namesOf()).toEqual([name.uid]);
    now += 0.2 * hour;
    await sweep();
    expect(namesOf()).toEqual([]);
    await store();
    app.clock.set(Date.now() + 25 * hour);
    await expect.poll(namesOf).toEqual([]);
  });
});

/** Answers the list of multipart uploads, in two pages, as S3 describes it. Its other answers are empty. */
async function startUploadList(initiated: Readonly<Record<string, string>>) {
  const requests: string[] = [];
  const entries = Object.entries(initiated);
  const server = http.createServer(({ method, url = '' }, response) => {
    requests.push(`${method} ${url}`);
    const { searchParams } = new URL(url, 'http://s3');
    if (method !== 'GET' || !searchParams.has('uploads')) {
      response.writeHead(204).end();
      return;
    }
    const at = searchParams.has('key-marker') ? 1 : 0;
    const [key, time] = entries[at] ?? [];
    response.writeHead(200, { 'content-type': 'application/xml' }).end(
      `<?xml version="1.0" encoding="UTF-8"?><ListMultipartUploadsResult><Bucket>b</Bucket>
       <NextKeyMarker>${key}</NextKeyMarker><NextUploadIdMarker>id-${at}</NextUploadIdMarker>
       <IsTruncated>${at + 1 < entries.length}</IsTruncated>
       <Upload><Key>${key}</Key><UploadId>id-${at}</UploadId><Initiated>${time}</Initiated></Upload>
       </ListMultipartUploadsResult>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const env = {
    S3_BUCKET: 'b',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
    S3_PATH_STYLE: 'true',
  };
  return { requests, files: await openBlobFiles(readSettings(env)) };
}

test('bucket: multipart uploads of before a day are listed page by page and aborted', async () => {
  const [older, newer] = ['a', 'b'].map((digit) => `7/${digit}${digit}/${digit.repeat(32)}`);
  const { requests, files } = await startUploadList({
    [`${older}`]: '2026-03-01T10:00:00.000Z',
    [`${newer}`]: '2026-03-02T10:00:00.000Z',
  });
  expect(await files.deleteUnfinished(Date.parse('2026-03-02T00:00:00Z'))).toBe(1);
  const lists = requests.filter((request) => request.startsWith('GET'));
  expect(lists).toHaveLength(2);
  expect(lists[1]).toMatch(/key-marker=7%2Faa%2Fa{32}.*upload-id-marker=id-0/);
  const aborted = requests.filter((request) => request.startsWith('DELETE'));
  expect(aborted).toEqual([expect.stringContaining(`/b/${older}?uploadId=id-0`)]);
});
