import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { deleteAppointment, getAppointment } from '@roomside/contract/appointments/calls.ts';
import { logout } from '@roomside/contract/auth/calls.ts';
import { deleteFile, downloadFile, listFiles, shareFiles, uploadFile } from '@roomside/contract/files/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { announceUpload } from '../../../test/announce-upload.ts';
import { watchAudit } from '../../../test/audit-rows.ts';
import { buildFile } from '../../../test/build-file.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { type BuiltAppointment, buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { blobFolder } from '../../platform/data-folder.ts';

const app = await startTestApp();
const { context, clock } = app;
let staff: Person;
let appointment: BuiltAppointment;
let companyId: number;

beforeAll(async () => {
  ({ companyId } = await buildCompany(context));
  const { email } = await buildUser(context, { companyId, role: 'U', password });
  staff = await app.signIn({ email, password });
  appointment = await buildAppointment(context, { companyId });
});

/** The beginning of a PNG. */
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000149444154', 'hex');
const params = () => ({ appointmentId: appointment.appointmentId });
const upload = (bytes: Buffer, { name = 'photo.png', type = 'image/png', headers = {} } = {}) =>
  staff.call(uploadFile, { params: params(), query: { name }, upload: { bytes, type }, headers });
const list = async () => (await staff.call(listFiles, { params: params() })).json.data;
const ids = async () => (await list()).map(({ fileId }) => fileId);
/** Every stored or unfinished file. */
const stored = () =>
  fs
    .readdirSync(blobFolder(context.settings), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).length;
/** A request without fetch, which would change HEAD, ranges and the access token. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${app.url}${path}`, { method, headers });
const authorization = () => ({ authorization: `Bearer ${staff.token}` });

/** Begins an upload and sends `bytes` of it. */
function begin(bytes: Buffer, type = 'application/octet-stream'): http.ClientRequest {
  const request = http.request(`${app.url}/api/appointments/${appointment.appointmentId}/files?name=a.bin`, {
    method: 'POST',
    headers: { ...authorization(), 'content-type': type, 'content-length': '10000000' },
  });
  request.on('error', () => {});
  request.write(bytes);
  return request;
}

describe('uploadFile', () => {
  test('stores the content sealed, and lists name, type and size', async () => {
    const content = Buffer.concat([png, randomBytes(300_000 - png.length)]);
    const { json, headers } = await upload(content, { name: 'Röntgen (links).png' });
    expect(json.size).toBe(content.length);
    expect(headers.get('connection')).not.toBe('close');
    const [file] = await list();
    expect(file).toMatchObject({
      fileId: json.fileId,
      name: 'Röntgen (links).png',
      mediaType: 'image/png',
      size: 300_000,
    });
    const response = await get(`/api/files/${json.fileUid}`, authorization());
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
  });

  test.each([
    ['a page as an image', '<html><script>alert(1)</script></html>', 'image/png', 'application/octet-stream'],
    ['an image as text', png, 'text/plain', 'image/png'],
    ['a document', '%PDF-1.7\n', 'image/jpeg', 'application/pdf'],
    ['text', 'Take one a day.', 'text/plain', 'text/plain'],
  ])('%s: has the type of its content', async (_what, content, type, expected) => {
    await upload(Buffer.from(content), { type });
    const { mediaType, address = '' } = (await list()).at(-1) ?? {};
    expect(mediaType).toBe(expected);
    const { headers } = await get(address);
    const isShown = expected === 'image/png';
    expect(headers.get('content-disposition')).toMatch(isShown ? /^inline/ : /^attachment/);
    expect(headers.get('content-type')).toBe(isShown ? expected : 'application/octet-stream');
  });

  test('content that differs from its digest: returns 422 and leaves nothing', async () => {
    const [before, files] = [await ids(), stored()];
    const digest = (of: Buffer) => ({
      'content-digest': `sha-256=:${createHash('sha256').update(of).digest('base64')}:`,
    });
    const content = Buffer.from('whole');
    const refused = await upload(content, { headers: digest(Buffer.from('other')) });
    expect([refused.status, refused.problem.code]).toEqual([422, 'cut-off']);
    expect([await ids(), stored()]).toEqual([before, files]);
    expect((await upload(content, { headers: digest(content) })).status).toBe(200);
  });

  test.each([
    ['too large', { 'content-length': String(101 * 1024 * 1024) }, 413],
    ['without a media type', { 'content-type': 'none' }, 415],
    ['with a digest of another kind', { 'content-digest': 'md5=:AAAA:' }, 400],
  ])('%s: is refused before the body is sent', async (_what, headers, status) => {
    const input = { params: params(), query: { name: 'x' } };
    expect(await announceUpload(app.url, staff, uploadFile, input, headers)).toBe(status);
  });

  test('an aborted upload leaves nothing', async () => {
    const [before, files] = [await ids(), stored()];
    const request = begin(Buffer.alloc(200_000));
    await expect.poll(stored).toBe(files + 1);
    request.destroy();
    await expect.poll(stored).toBe(files);
    expect(await ids()).toEqual(before);
  });

  test('uploads that are under way hold no connection of the database', async () => {
    const files = stored();
    // More than the pool has, and than one person may use.
    const requests = Array.from({ length: 25 }, () => begin(Buffer.alloc(70_000)));
    await expect.poll(stored).toBe(files + 25);
    expect((await staff.call(getAppointment, { params: params(), query: {} })).status).toBe(200);
    for (const request of requests) request.destroy();
    await expect.poll(stored).toBe(files);
  });

  test('the appointment gets another patient while a file is sent: is refused, and leaves nothing', async () => {
    const own = await buildAppointment(context, { companyId });
    const { patientId } = await buildPatient(context, { companyId });
    const before = stored();
    const given = await holdUntilBlocking(context, companyId, (tx) =>
      tx
        .updateTable('appointments')
        .set({ patient_id: patientId })
        .where('appointment_id', '=', own.appointmentId)
        .execute(),
    );
    const upload = { bytes: png, type: 'image/png' };
    const sent = staff.call(uploadFile, {
      params: { appointmentId: own.appointmentId },
      query: { name: 'a.png' },
      upload,
    });
    const [{ status }] = await Promise.all([sent, given()]);
    expect(status).toBe(404);
    expect(stored()).toBe(before);
  });

  test('an appointment with a file cannot be deleted; a deleted file is gone, with its content', async () => {
    const { appointmentId, patientId } = await buildAppointment(context, { companyId });
    const fileUid = await buildFile(context, { companyId, appointmentId, patientId });
    expect((await staff.call(deleteAppointment, { params: { appointmentId } })).problem.code).toBe('has-activity');
    const files = stored();
    expect((await staff.call(deleteFile, { params: { fileUid } })).status).toBe(204);
    await expect.poll(stored).toBe(files - 1);
    expect((await staff.call(downloadFile, { params: { fileUid } })).status).toBe(404);
    expect((await staff.call(deleteAppointment, { params: { appointmentId } })).status).toBe(204);
  });
});

describe('uploadFile of a form', () => {
  const boundary = 'x-boundary';
  const part = (headers: string, content: string | Buffer) =>
    Buffer.concat([Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
  const field = (name: string, value: number | string) =>
    part(`Content-Disposition: form-data; name="${name}"`, String(value));
  const file = (content: string | Buffer, name = 'Plan.txt') =>
    part(`Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain`, content);
  const end = Buffer.from(`--${boundary}--\r\n`);
  const type = `multipart/form-data; boundary=${boundary}`;
  const send = (parts: Buffer[], query = {}, contentType = type) =>
    staff.call(uploadFile, { params: params(), query, upload: { bytes: Buffer.concat(parts), type: contentType } });

  test('form with patient, appointment and a file: stores the file under its name, with the type of its content @CALL-15', async () => {
    const { appointmentId, patientId } = appointment;
    const content = Buffer.concat([png, randomBytes(300_000)]);
    const ids = [field('patientId', patientId), field('appointmentId', appointmentId)];
    const { status, json } = await send([...ids, file(content, 'Röntgen.png'), field('later', 1), end]);
    expect([status, json.size]).toEqual([200, content.length]);
    expect((await list()).at(-1)).toMatchObject({ name: 'Röntgen.png', mediaType: 'image/png', size: content.length });
    const response = await get(`/api/files/${json.fileUid}`, authorization());
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect((await send([file('text'), end], { name: 'Other.txt' })).status).toBe(200);
    expect((await list()).at(-1)?.name).toBe('Other.txt');
  });

  test.each<[string, number, () => Buffer[]]>([
    ['another patient', 404, () => [field('patientId', 1), file('text'), end]],
    ['another appointment', 404, () => [field('appointmentId', 1), file('text'), end]],
    ['no file', 400, () => [field('patientId', appointment.patientId), end]],
    ['a file without a name', 400, () => [file('text', ''), end]],
    ['no end', 422, () => [file(Buffer.alloc(200_000))]],
    ['half a header', 422, () => [Buffer.from(`--${boundary}\r\nContent-Disp`)]],
  ])('with %s: returns %i and leaves nothing', async (_what, status, parts) => {
    const [before, files] = [await ids(), stored()];
    expect((await send(parts())).status).toBe(status);
    expect([await ids(), stored()]).toEqual([before, files]);
  });

  test('form without a boundary, or a body without a name: returns 400', async () => {
    expect((await send([file('text'), end], {}, 'multipart/form-data')).status).toBe(400);
    const input = { params: params(), query: {}, upload: { bytes: Buffer.from('x'), type: 'text/plain' } };
    expect((await staff.call(uploadFile, input)).problem).toMatchObject({ status: 400, fields: { name: 'Required' } });
  });

  test('form that announces more than a file may have: is refused before the body is sent', async () => {
    const input = { params: params(), query: {} };
    const headers = { 'content-type': type, 'content-length': String(101 * 1024 * 1024) };
    expect(await announceUpload(app.url, staff, uploadFile, input, headers)).toBe(413);
  });

  test('form whose sender disconnects: leaves nothing', async () => {
    const [before, files] = [await ids(), stored()];
    const request = begin(Buffer.concat([file(Buffer.alloc(200_000))]), type);
    await expect.poll(stored).toBe(files + 1);
    request.destroy();
    await expect.poll(stored).toBe(files);
    expect(await ids()).toEqual(before);
  });
});

describe('shareFiles', () => {
  const build = async (shared = false) => {
    const of = await buildAppointment(context, { companyId });
    const fileUid = await buildFile(context, of, { name: 'Plan.pdf', shared });
    const patient = await app.signInPatient(of.accessCode);
    const seen = async () => (await patient.call(listFiles, { params: { appointmentId: of.appointmentId } })).json.data;
    const share = (fileUids: string[], isShared = true) =>
      staff.call(shareFiles, { body: { fileUids, shared: isShared } });
    return { of, fileUid, patient, seen, share };
  };

  test('the patient sees, loads and loses a file; staff see that it was downloaded', async () => {
    const { of, fileUid, patient, seen, share } = await build();
    expect(await seen()).toEqual([]);
    expect((await patient.call(downloadFile, { params: { fileUid } })).status).toBe(404);
    expect((await share([fileUid])).status).toBe(204);
    expect(await seen()).toMatchObject([{ fileUid, name: 'Plan.pdf', shared: true, downloaded: null }]);
    const ofStaff = async () =>
      (await staff.call(listFiles, { params: { appointmentId: of.appointmentId } })).json.data[0];
    expect(await ofStaff()).toMatchObject({ shared: true, downloaded: null });
    expect(await (await get((await seen())[0]?.address ?? '')).text()).toBe('text');
    expect((await ofStaff())?.downloaded).toEqual(expect.any(String));
    const { address = '' } = (await seen())[0] ?? {};
    expect((await share([fileUid], false)).status).toBe(204);
    expect(await seen()).toEqual([]);
    expect((await get(address)).status).toBe(404);
  });

  test('a room: is notified after sharing, the first download, hiding and deleting', async () => {
    const { of, fileUid, patient, share } = await build();
    const hub = await connectHub(app, patient);
    await hub.subscribe(of.appointmentUid);
    const count = () => hub.types().filter((type) => type === messageType.filesChanged).length;
    await share([fileUid]);
    await expect.poll(count).toBe(1);
    for (let i = 0; i < 2; i += 1) expect((await patient.call(downloadFile, { params: { fileUid } })).status).toBe(200);
    await expect.poll(count).toBe(2);
    await share([fileUid], false);
    await expect.poll(count).toBe(3);
    await staff.call(deleteFile, { params: { fileUid } });
    await expect.poll(count).toBe(4);
  });

  test('request with an unknown or foreign file: shares none', async () => {
    const { fileUid, seen, share } = await build();
    const foreign = await buildAppointment(context);
    const theirs = await buildFile(context, foreign);
    expect((await share([fileUid, theirs])).problem.code).toBe('not-found');
    expect(await seen()).toEqual([]);
  });

  test('another patient’s shared file, and an own appointment’s unshared one: stay unknown to a patient', async () => {
    const [one, other] = [await build(true), await build(true)];
    const unshared = await buildFile(context, one.of);
    for (const fileUid of [other.fileUid, unshared]) {
      expect((await one.patient.call(downloadFile, { params: { fileUid } })).status).toBe(404);
    }
    const params = { appointmentId: other.of.appointmentId };
    expect((await one.patient.call(listFiles, { params })).status).toBe(404);
  });
});

describe('downloadFile', () => {
  const content = Buffer.from('0123456789');
  let path: string;
  beforeAll(async () => {
    const file = { name: 'page.html', content, mediaType: 'text/html' };
    path = `/api/files/${await buildFile(context, appointment, file)}`;
  });
  const ask = async (headers: Record<string, string>, method = 'GET') => {
    const response = await get(path, { ...authorization(), ...headers }, method);
    const range = response.headers.get('content-range');
    return [response.status, range, response.headers.get('content-length'), await response.text()];
  };

  test('whole: has headers that let no browser run or keep it', async () => {
    const { headers, status } = await get(path, authorization());
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="page.html"; filename*=UTF-8''page.html`,
      'content-security-policy': expect.stringMatching(/^default-src 'none';.* sandbox$/),
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    });
  });

  test('an image: is shown in the page', async () => {
    const uid = await buildFile(context, appointment, { name: 'x.png', content, mediaType: 'image/png' });
    const { headers } = await get(`/api/files/${uid}`, authorization());
    expect([headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]).toEqual([
      'image/png',
      'inline',
    ]);
  });

  test('ranges: 206 with the bytes, 416 behind the end, all bytes for several ranges', async () => {
    expect(await ask({ range: 'bytes=2-4' })).toEqual([206, 'bytes 2-4/10', '3', '234']);
    expect(await ask({ range: 'bytes=7-' })).toEqual([206, 'bytes 7-9/10', '3', '789']);
    expect(await ask({ range: 'bytes=-2' })).toEqual([206, 'bytes 8-9/10', '2', '89']);
    expect((await ask({ range: 'bytes=10-' })).slice(0, 2)).toEqual([416, 'bytes */10']);
    expect(await ask({ range: 'bytes=0-1,4-5' })).toEqual([200, null, '10', '0123456789']);
  });

  test('If-Range: sends the range of the same bytes only', async () => {
    const etag = (await get(path, authorization())).headers.get('etag') ?? '';
    expect((await ask({ range: 'bytes=0-0', 'if-range': etag }))[0]).toBe(206);
    expect((await ask({ range: 'bytes=0-0', 'if-range': '"other"' }))[0]).toBe(200);
  });

  test('HEAD: has the headers of the whole and of a range, without the bytes', async () => {
    expect(await ask({}, 'HEAD')).toEqual([200, null, '10', '']);
    expect(await ask({ range: 'bytes=2-4' }, 'HEAD')).toEqual([206, 'bytes 2-4/10', '3', '']);
  });
});

test('download that the client ends early: is logged', async () => {
  const content = randomBytes(20 * 1024 * 1024);
  const uid = await buildFile(context, appointment, { name: 'long.bin', content, mediaType: 'video/mp4' });
  app.logged.length = 0;
  const request = http.get(`${app.url}/api/files/${uid}`, { headers: authorization(), agent: false });
  request.on('error', () => {});
  request.on('response', (response) => response.once('data', () => request.destroy()));
  await expect
    .poll(() => app.logged.map((line) => JSON.parse(line) as object))
    .toContainEqual(expect.objectContaining({ route: '/api/files/:fileUid', status: 200, aborted: true }));
});

describe('signed address', () => {
  test('opens its file without the access token; its query is not logged', async () => {
    await upload(Buffer.from('picture'));
    const { address = '' } = (await list()).at(-1) ?? {};
    app.logged.length = 0;
    const response = await get(address, { range: 'bytes=0-2' });
    expect([response.status, await response.text()]).toEqual([206, 'pic']);
    await expect.poll(() => app.logged.join('\n')).toContain('/api/files/:fileUid');
    expect(app.logged.join('\n')).not.toContain('access=');
  });

  test('signed address that is changed, or used for another file or call: returns 401', async () => {
    await upload(Buffer.from('one'));
    await upload(Buffer.from('two'));
    const [one, two] = (await list()).slice(-2).map(({ address }) => address);
    const [path = '', access = ''] = one?.split('?') ?? [];
    const [content = '', mac = ''] = access.replace('access=', '').split('.');
    const forged = Buffer.from(content, 'base64url').toString().replace('"U"', '"A"');
    const wrong = [
      `${two?.split('?')[0]}?${access}`,
      `${path}?access=${Buffer.from(forged).toString('base64url')}.${mac}`,
      `${path}?access=${content}.${mac.slice(0, -2)}${mac.endsWith('AA') ? 'BA' : 'AA'}`,
      `${path}?access=${content}`,
      `${path}?access=`,
      `/api/appointments/${appointment.appointmentId}/files?${access}`,
    ];
    const added = await watchAudit(app);
    for (const address of wrong) expect([address, (await get(address)).status]).toEqual([address, 401]);
    const rows = await added();
    expect(rows.map(({ objects }) => Number(objects['count'] ?? 1)).reduce((all, one) => all + one)).toBe(5);
    for (const row of rows)
      expect(row).toMatchObject({ action: 'downloadFile', objects: { refused: 'not-signed-in' } });
    expect((await get(one ?? '', {}, 'DELETE')).status).toBe(401);
    expect((await get(one ?? '')).status).toBe(200);
  });

  test('is of its person: another company’s file stays unknown, and the end of the sign-in or ten minutes end it', async () => {
    const other = await buildUser(context, { role: 'A', password });
    const foreign = await app.signIn({ email: other.email, password });
    await upload(Buffer.from('one'));
    const { fileUid = '', address = '' } = (await list()).at(-1) ?? {};
    expect((await foreign.call(downloadFile, { params: { fileUid } })).status).toBe(404);
    const user = await buildUser(context, { companyId, role: 'U', password });
    const person = await app.signIn({ email: user.email, password });
    const own = (await person.call(listFiles, { params: params() })).json.data.at(-1)?.address ?? '';
    expect((await get(own)).status).toBe(200);
    expect((await person.call(logout, { body: { kind: 'staff' } })).status).toBe(204);
    expect((await get(own)).status).toBe(401);
    expect((await get(address)).status).toBe(200);
    clock.set(clock.now() + 10 * 60_000);
    expect((await get(address)).status).toBe(401);
  });
});
