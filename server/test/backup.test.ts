import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import { listMessages } from '@roomside/contract/room/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildAppointment, buildUser } from '../src/demo/builders.ts';
import { checkAudit, sealAudit } from '../src/platform/audit-chain.ts';
import { type Manifest, readManifest, tableFile } from '../src/platform/backup/format.ts';
import { restoreBackup } from '../src/platform/backup/restore-backup.ts';
import { writeBackup } from '../src/platform/backup/write-backup.ts';
import { type BlobFiles, folderFiles } from '../src/platform/blob-files.ts';
import { prepareDatabase } from '../src/platform/database/migrate.ts';
import { prepareJobs } from '../src/platform/jobs.ts';
import { openBlobFiles } from '../src/platform/open-blob-files.ts';
import { readSettings } from '../src/platform/settings.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { connectHub } from './hub-client.ts';
import { runCommand } from './run-command.ts';
import { startS3 } from './s3-server.ts';
import { startedServers } from './started-server.ts';
import { password, startTestApp } from './test-app.ts';
import { testSecret } from './test-secret.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-backup-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const place = (name: string) => path.join(folder, name);
const now = () => Temporal.Now.instant();
const restoredAt = now();

/** Tables of which a restore changes rows. */
const endedByRestore: ReadonlySet<string> = new Set(['sign_ins', 'one_time_tokens']);

/** The rows of a database by table, as text, without sign-ins and links, which a restore revokes. */
async function contentOf(connection: pg.ClientConfig): Promise<Map<string, string[]>> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const content = new Map<string, string[]>();
  for (const { name } of tables) {
    if (endedByRestore.has(name) || name === 'schema_migrations') continue;
    const { rows } = await client.query<{ line: string }>(`select t::text as line from ${name} t order by 1`);
    content.set(
      name,
      rows.map(({ line }) => line),
    );
  }
  const { rows } = await client.query<{ last: string }>('select last_value::text as last from ids');
  content.set('ids', [rows[0]?.last ?? '']);
  await client.end();
  return content;
}

describe('writeBackup and restoreBackup', () => {
  const source = { blobs: place('source-blobs'), anchors: place('source-anchors.log') };
  const target = { blobs: place('target-blobs'), anchors: place('target-anchors.log') };
  const filesOf = ({ blobs, anchors }: { blobs: string; anchors: string }) => ({ blobs: folderFiles(blobs), anchors });
  let email: string;
  let appointment: Awaited<ReturnType<typeof buildAppointment>>;
  let before: Map<string, string[]>;
  let restored: TestDatabase;
  const blobUid = 'a'.repeat(32);
  const otherUids = ['b', 'c'].map((digit) => digit.repeat(32));

  beforeAll(async () => {
    const app = await startTestApp({ env: { DATA_DIR: place('source') } });
    const { context } = app;
    const doctor = await buildUser(context, { password, lastName: "O'Hara\\ \t" });
    email = doctor.email;
    const companyId = doctor.companyId as number;
    appointment = await buildAppointment(context, {
      companyId,
      doctorId: doctor.userId,
      notes: 'Allergic to\nnuts 🥜',
      fee: '60',
      collected: '25',
    });
    const patient = await app.signInPatient(appointment.accessCode);
    const hub = await connectHub(app, patient).catch(() => null);
    await hub?.subscribe(appointment.appointmentUid).catch(() => {});
    await hub?.connection.stop();
    await context.blobs.put({ companyId, uid: blobUid }, Readable.from([Buffer.from('a picture')]), { maxBytes: 1000 });
    for (const uid of otherUids)
      await context.blobs.put({ companyId, uid }, Readable.from([Buffer.from(uid)]), { maxBytes: 1000 });
    await app.signIn({ email, password });
    const invited = await buildUser(context, { companyId });
    await query(
      app.database,
      `update users set invited_at = now(), password_hash = null where user_id = ${invited.userId}`,
    );
    await context.security.flush();
    await sealAudit(context);
    // Stops the server, so that the database does not change after the backup.
    await app.close();
    fs.renameSync(place('source/blobs'), source.blobs);
    await writeBackup({ ...filesOf(source), owner: app.database.owner }, place('backup'), now().toString());
    // With the links the invitations end.
    const ended = `invited_at = null, invitation_ended_at = '${restoredAt}'`;
    await query(app.database, `update users set ${ended} where user_id = ${invited.userId}`);
    before = await contentOf(app.database.owner);
    restored = await createTestDatabase({ empty: true });
    await restoreBackup(
      { ...filesOf(target), owner: restored.owner, application: restored.application },
      place('backup'),
      restoredAt,
    );
  });

  test('restore into an empty database: has the same rows and files', async () => {
    const after = await contentOf(restored.owner);
    expect([...after.keys()].filter((name) => before.has(name))).toEqual([...before.keys()]);
    // Other tables are partitions of the months around the restore, which are empty.
    for (const [name, lines] of after) if (!before.has(name)) expect([name, lines]).toEqual([name, []]);
    for (const [name, lines] of before) expect([name, after.get(name)]).toEqual([name, lines]);
    // Rows of the log are in the partition of their month again.
    const isFilledMonth = ([name, lines]: [string, string[]]) =>
      /^audit_log_\d{4}_\d{2}$/.test(name) && lines.length > 0;
    expect([...after].some(isFilledMonth)).toBe(true);
    expect(after.get('audit_log_default')).toEqual([]);
    expect(before.get('appointments')?.length).toBeGreaterThan(0);
    // The trigger of the ledger does not add to restored sums.
    const { rows } = await query(restored, 'select collected from appointments where collected > 0');
    expect(rows).toEqual([{ collected: '25.00' }]);
    const files = (of: string) => fs.readdirSync(of, { recursive: true }).map(String).sort();
    expect(files(target.blobs)).toEqual(files(source.blobs));
    expect(files(target.blobs).some((file) => file.includes(blobUid))).toBe(true);
  });

  test('restored server: sign-ins are revoked, users can sign in, notes and files can be read, the audit chain is valid', async () => {
    fs.mkdirSync(place('target'));
    fs.cpSync(target.blobs, place('target/blobs'), { recursive: true });
    await prepareJobs(restored.owner);
    const app = await startTestApp({ database: restored, env: { DATA_DIR: place('target') } });
    const { rows } = await query(restored, 'select count(*)::int as n from sign_ins where revoked_at is null');
    expect(rows).toEqual([{ n: 0 }]);
    const doctor = await app.signIn({ email, password });
    const { appointmentId } = appointment;
    const { json } = await doctor.call(getAppointment, { params: { appointmentId }, query: {} });
    expect([json.notes, json.accessCode]).toEqual(['Allergic to\nnuts 🥜', appointment.accessCode]);
    await app.signInPatient(appointment.accessCode);
    const blob = await app.context.blobs.read({ companyId: appointment.companyId, uid: blobUid });
    expect(await text(blob as Readable)).toBe('a picture');
    await sealAudit(app.context);
    expect(await checkAudit(app.context)).toMatchObject({ broken: null });
    // New rows get ids that are not in use.
    await buildAppointment(app.context, { companyId: appointment.companyId });
    expect((await doctor.call(listMessages, { params: { uid: appointment.appointmentUid } })).status).toBe(200);
  });

  test('restore and backup with an owner that is not a superuser: keep all rows', async () => {
    const given = await createTestDatabase({ empty: true });
    const [owner, plain] = [`${given.name}_owner`, `${given.name}_plain`];
    await query(
      given,
      `create role ${owner} login; create role ${plain} login; grant app_user, roomside_definer to ${owner};
       grant app_user to ${plain}; alter database ${given.name} owner to ${owner};
       alter schema public owner to ${owner}`,
    );
    const asOwner = { ...given.owner, user: owner };
    const into = { owner: asOwner, application: { ...given.owner, user: plain } };
    await restoreBackup(
      { ...into, blobs: folderFiles(place('given-blobs')), anchors: place('given-anchors') },
      place('backup'),
      restoredAt,
    );
    const after = await contentOf(given.owner);
    for (const [name, lines] of before) expect([name, after.get(name)]).toEqual([name, lines]);
    const again = { owner: asOwner, blobs: folderFiles(place('given-blobs')), anchors: place('given-anchors') };
    const { tables } = await writeBackup(again, place('again'), now().toString());
    for (const { name, rows } of tables) {
      if (before.has(name)) expect([name, rows]).toEqual([name, before.get(name)?.length]);
    }
    await given.drop();
    const cluster = await createTestDatabase({ empty: true });
    await query(cluster, `drop role ${owner}; drop role ${plain}`);
    await cluster.drop();
  });

  test('restore: gives the definer’s role no additional rights', async () => {
    const sql = `select relname, relacl::text as acl from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and (not relispartition or relacl::text like '%roomside_definer=%') order by 1`;
    const fresh = await createTestDatabase();
    const rights = async (database: TestDatabase) =>
      (await query(database, sql)).rows.map(
        ({ relname, acl }) => `${relname} ${/roomside_definer=([^/]*)/.exec(`${acl}`)?.[1] ?? 'none'}`,
      );
    // Revoking sign-ins needs no right that clean-up does not have.
    expect(await rights(restored)).toEqual(await rights(fresh));
    await fresh.drop();
  });

  test('backup that is damaged, incomplete or of another version: is refused, and the database stays empty', async () => {
    const empty = await createTestDatabase({ empty: true });
    const attempt = async (name: string, damage: (backup: string) => void) => {
      fs.cpSync(place('backup'), place(name), { recursive: true });
      damage(place(name));
      const into = {
        owner: empty.owner,
        blobs: folderFiles(place(`${name}-blobs`)),
        anchors: place(`${name}-anchors`),
      };
      const outcome = await restoreBackup(into, place(name), now()).then(
        () => 'restored',
        (error: Error) => `${error.name}: ${error.message}`,
      );
      const { rows } = await query(empty, `select to_regclass('patients') is null as absent`);
      const patients = rows[0]?.['absent'] ? [] : (await query(empty, 'select from patients')).rows;
      expect(patients).toHaveLength(0);
      await query(empty, 'drop schema public cascade; create schema public; drop schema if exists pgboss cascade');
      return outcome;
    };
    const rewrite = (file: string, change: (content: string) => string) =>
      fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')));
    expect(await attempt('cut', (b) => fs.rmSync(path.join(b, 'manifest.json')))).toMatch(/no complete backup/);
    expect(
      await attempt('changed', (b) => {
        const file = path.join(b, 'tables/companies.gz');
        fs.writeFileSync(file, gzipSync(gunzipSync(fs.readFileSync(file)).toString().replace('USD', 'EUR')));
      }),
    ).toMatch(/companies is damaged/);
    expect(
      await attempt('short', (b) => {
        const file = path.join(b, 'tables/appointments.gz');
        fs.writeFileSync(file, gzipSync(''));
      }),
    ).toMatch(/appointments is damaged/);
    expect(
      await attempt('newer', (b) =>
        rewrite(path.join(b, 'manifest.json'), (json) => json.replace('"001-baseline.sql"', '"999-later.sql"')),
      ),
    ).toMatch(/newer Roomside: it has migration 999-later\.sql/);
    await empty.drop();
  });

  test('backup with a missing and a damaged file: the rest is restored, and they are named', async () => {
    const damaged = place('damaged');
    fs.cpSync(place('backup'), damaged, { recursive: true });
    const files = fs.readdirSync(path.join(damaged, 'blobs'), { recursive: true }).map(String);
    const [missing = '', changed = ''] = [blobUid, otherUids[0]].map((uid) =>
      files.find((file) => file.endsWith(`${uid}`)),
    );
    fs.rmSync(path.join(damaged, 'blobs', missing));
    fs.appendFileSync(path.join(damaged, 'blobs', changed), 'x');
    fs.writeFileSync(path.join(damaged, 'audit-anchors.log'), 'the anchors\n');
    const manifest = path.join(damaged, 'manifest.json');
    fs.writeFileSync(manifest, JSON.stringify({ ...JSON.parse(fs.readFileSync(manifest, 'utf8')), anchors: true }));
    const into = async (name: string) => {
      const database = await createTestDatabase({ empty: true });
      onTestFinished(() => database.drop());
      return { owner: database.owner, blobs: folderFiles(place(`${name}-blobs`)), anchors: place(`${name}-anchors`) };
    };
    const half = await into('half');
    expect((await restoreBackup(half, damaged, now())).damaged).toEqual([`blobs/${missing}`, `blobs/${changed}`]);
    expect((await contentOf(half.owner)).get('appointments')).toEqual(before.get('appointments'));
    const stored = fs.readdirSync(place('half-blobs'), { recursive: true, withFileTypes: true });
    expect(stored.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([otherUids[1]]);
    expect(fs.readFileSync(half.anchors, 'utf8')).toBe('the anchors\n');
    // A target that cannot be written is no damage of the backup.
    const full = await into('full');
    const write = () => Promise.reject(new Error('no space left'));
    await expect(restoreBackup({ ...full, blobs: { ...full.blobs, write } }, damaged, now())).rejects.toThrow(
      'no space left',
    );
    // Its rows are there, its files are not.
    await expect(prepareDatabase({ owner: full.owner, now: now() })).rejects.toThrow(
      'A restore into this database did not finish',
    );
    await expect(prepareDatabase({ owner: half.owner, now: now() })).resolves.toBeDefined();
  });

  test('backup while the key of a company changes: is refused, since files may need the new key', async () => {
    const list: BlobFiles['list'] = async function* (...of) {
      await query(
        restored,
        `update data_keys set superseded_at = now();
         insert into data_keys (company_id, sealed, created_at) select company_id, sealed, now() from data_keys`,
      );
      yield* folderFiles(target.blobs).list(...of);
    };
    const changing = { owner: restored.owner, blobs: { ...folderFiles(target.blobs), list }, anchors: target.anchors };
    await expect(writeBackup(changing, place('changing'), '')).rejects.toThrow('Keys of companies were changed');
    await expect(restoreBackup(changing, place('changing'), now())).rejects.toThrow('no complete backup');
  });

  test.each(['folder', 'bucket'] as const)(
    'file in a %s that is deleted while it is copied: is left out or whole',
    async (kind) => {
      const database = await createTestDatabase();
      onTestFinished(() => database.drop());
      const s3 = await startS3();
      onTestFinished(() => s3.close());
      const files = kind === 'folder' ? folderFiles(place('deleted')) : await openBlobFiles(readSettings(s3.settings));
      const content = Buffer.from('sealed bytes');
      const names = ['c', 'd'].map((digit) => ({ companyId: 1, uid: digit.repeat(32) }));
      for (const name of names) await files.write(name, Readable.from([content]));
      // As if a user, or the sweep of files, deleted it at the worst moment.
      const open: BlobFiles['open'] = async (name) => {
        const file = await files.open(name);
        if (name.uid === names[0]?.uid) await files.delete(name);
        return file;
      };
      const to = place(`deleted-from-${kind}`);
      const source = { owner: database.owner, blobs: { ...files, open }, anchors: place('no-anchors.log') };
      const manifest = await writeBackup(source, to, now().toString());
      const copied = fs
        .readdirSync(path.join(to, 'blobs'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile());
      expect(manifest.blobs.map(({ size }) => size)).toEqual(copied.map(() => content.length));
      expect(copied.map(({ name }) => name)).toEqual(names.slice(kind === 'folder' ? 0 : 1).map(({ uid }) => uid));
    },
  );

  test('database or folder that is not empty: restore and backup are refused', async () => {
    const used = await createTestDatabase();
    const into = { owner: used.owner, blobs: folderFiles(place('x')), anchors: place('y') };
    await expect(restoreBackup(into, place('backup'), now())).rejects.toThrow('The database is not empty');
    const empty = await createTestDatabase({ empty: true });
    const over = { owner: empty.owner, blobs: folderFiles(source.blobs), anchors: place('y') };
    await expect(restoreBackup(over, place('backup'), now())).rejects.toThrow('There are uploaded files');
    await expect(writeBackup({ ...filesOf(source), owner: used.owner }, place('backup'), '')).rejects.toThrow(
      'is not empty',
    );
    await expect(writeBackup({ ...filesOf(source), owner: empty.owner }, place('none'), '')).rejects.toThrow(
      'nothing to back up',
    );
    await Promise.all([used.drop(), empty.drop()]);
  });

  describe('npm run backup and restore, built-in database', () => {
    const { start, firstSuper, waitUntilServing, signIn, installation, place: running } = startedServers();

    test('backup of a running server, restored into a new folder: has the same rows and files and a whole audit log, and users can sign in', async () => {
      const data = path.join(running.folder, 'data');
      const fresh = path.join(running.folder, 'fresh');
      const backup = path.join(running.folder, 'backup');
      const settingsOf = (folder: string) => ({ ...installation(), SECRET_KEY: testSecret, DATA_DIR: folder });
      expect(await runCommand('restore', [place('backup')], settingsOf(data))).toMatchObject({ code: 0 });
      const one = start({ ...settingsOf(data), ...firstSuper });
      await waitUntilServing();
      expect((await signIn()).status).toBe(200);
      const written = await runCommand('backup', [backup], settingsOf(data));
      expect(written).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^\d+ rows of \d+ tables and 3 files are in /),
      });
      one.child.kill('SIGTERM');
      await one.exited;
      // Without a server the command starts the database. It refuses a folder that is not empty.
      expect(await runCommand('backup', [backup], settingsOf(data))).toMatchObject({
        code: 1,
        output: expect.stringContaining('is not empty'),
      });
      expect(await runCommand('restore', [backup], settingsOf(data))).toMatchObject({
        code: 1,
        output: expect.stringContaining('is not empty: choose a new folder'),
      });
      const restored = await runCommand('restore', [backup], settingsOf(fresh));
      expect(restored).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^\d+ rows and 3 files of [^]* are restored\. All sign-ins have ended\.$/),
      });
      // The rows and files of a backup of what was restored.
      const again = path.join(running.folder, 'again');
      expect(await runCommand('backup', [again], settingsOf(fresh))).toMatchObject({ code: 0 });
      const [manifest, manifestAgain] = [await readManifest(backup), await readManifest(again)];
      const rows = rowsOf(backup, manifest);
      expect(rows.get('appointments')?.length).toBe(before.get('appointments')?.length);
      expect(rowsOf(again, manifestAgain)).toEqual(rows);
      expect(manifestAgain.sequences).toEqual(manifest.sequences);
      expect(manifestAgain.blobs.toSorted(byFile)).toEqual(manifest.blobs.toSorted(byFile));
      expect(await runCommand('verify-audit', [], settingsOf(fresh))).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^The audit log is whole: [1-9]\d* rows under [1-9]\d* seals/),
      });
      // Without one of its files.
      const { file } = manifest.blobs[0] ?? { file: '' };
      fs.rmSync(path.join(backup, 'blobs', file));
      const half = path.join(running.folder, 'half');
      expect(await runCommand('restore', [backup], settingsOf(half))).toEqual({
        code: 1,
        output: expect.stringMatching(new RegExp(` rows and 2 files of [^]* blobs/${file} is damaged or missing`)),
      });
      start(settingsOf(fresh));
      await waitUntilServing();
      expect((await signIn()).status).toBe(200);
    });
  });
});

/** The rows of a backup by table, as lines in one order, without what a restore ends. */
function rowsOf(backup: string, { tables }: Manifest): Map<string, string[]> {
  const linesOf = (name: string) =>
    gunzipSync(fs.readFileSync(tableFile(backup, name)))
      .toString()
      .match(/.+/g) ?? [];
  return new Map(
    tables.filter(({ name }) => !endedByRestore.has(name)).map(({ name }) => [name, [...linesOf(name)].sort()]),
  );
}
const byFile = (one: { file: string }, other: { file: string }) => (one.file < other.file ? -1 : 1);

async function query(database: TestDatabase, sql: string) {
  const client = new pg.Client(database.owner);
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(sql);
  } finally {
    await client.end();
  }
}
