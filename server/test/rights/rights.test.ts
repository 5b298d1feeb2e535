import type { Call } from '@roomside/contract/call.ts';
import { signedOutError } from '@roomside/contract/room/messages.ts';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { announceUpload } from '../announce-upload.ts';
import { connectHub } from '../hub-client.ts';
import { startTestApp, type TestApp } from '../test-app.ts';
import { changes, countChanges } from './changes.ts';
import { calls, kinds, matrixSettings, printCells, showsPatients, superSees, targetsFor, tryCell } from './matrix.ts';
import { conflicts, type RightsRow, rightsRows } from './rows.ts';
import { buildWorld, canaries, type Principal, patientWord, type Target, type World } from './world.ts';

test('rightsRows: has a row for each call that needs a sign-in', () => {
  expect(Object.keys(rightsRows).sort()).toEqual(calls.map((call) => call.name).sort());
});

const app: TestApp = await startTestApp({ env: matrixSettings });
const world: World = await buildWorld(app);
const owner = new pg.Client(app.database.owner);
await owner.connect();
await countChanges(owner);

afterAll(async () => {
  await owner.end();
  printCells('rights matrix', cells, leaks.length);
});

/** Returns the expected status of a cell. */
function expected(call: Call, row: RightsRow, principal: Principal, target: Target): number {
  const refusedByToken =
    principal.tokenSays !== undefined && call.who !== 'anyone' && !call.who.includes(principal.tokenSays);
  if (principal.caller === undefined) return refusedByToken ? 403 : 401;
  if (call.who !== 'anyone' && !call.who.includes(principal.caller)) return 403;
  if (row.reaches === 'self') return row.done;
  if (principal.caller === 'Super') return target.kind === 'absent' || row.notSuper ? 404 : row.done;
  if (target.kind === 'absent') return 404;
  const theirs = target.kind === 'other';
  if (principal.companySide !== (theirs ? 'theirs' : 'ours')) return 404;
  if (principal.name === 'other D' && row.ownOnly) return 403;
  if (principal.caller !== 'P' && principal.caller !== 'G') return row.done;
  // Another visit of the same patient is none of a guest's.
  if (principal.caller === 'G' && target.appointmentId !== world.guestVisitId) return 404;
  // The 'own' target is the appointment of the first patient's code, and of the first guest's link.
  return principal.patientOf === 'own' && target.kind === 'own' ? (row.doneByPatient ?? row.done) : 404;
}

/** Returns the words that must not be in a response to this principal. */
function forbidden(principal: Principal, call: Call): string[] {
  if (principal.caller === 'Super' && superSees.has(call.name)) return [canaries.own, canaries.same];
  if (principal.caller === undefined || principal.caller === 'Super') return Object.values(canaries);
  if (principal.companySide === 'theirs') return [canaries.own, canaries.same];
  if (principal.caller !== 'P' && principal.caller !== 'G') return [canaries.other];
  return principal.patientOf === 'own' ? [canaries.same, canaries.other] : [canaries.own, canaries.other];
}

const patientWords = Object.values(canaries).map(patientWord);
const showsPatient = (text: string) => patientWords.some((word) => text.includes(word));

/** Returns the number of audit rows, since the last call of this, of requests that were not refused, or that showed data. */
async function auditedReads(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number; last: string }>(
    "select count(*) filter (where not (objects ? 'refused'))::int as n, coalesce(max(audit_id), $1) as last from audit_log where audit_id > $1",
    [lastAuditId],
  );
  lastAuditId = rows[0]?.last ?? lastAuditId;
  return rows[0]?.n ?? -1;
}
let lastAuditId = '0';

let cells = 0;
const leaks: string[] = [];

describe.each(calls.map((call) => [call.name, call] as const))('%s', (name, call) => {
  test('returns the expected status for each principal and target @ROLE-1 @ROLE-5', async () => {
    const row = rightsRows[name] as RightsRow;
    const targets = targetsFor(world, row);
    const wrong: string[] = [];
    let isShown = false;
    for (const principal of world.principals) {
      const unknown: string[] = [];
      for (const kind of kinds) {
        const target = await targets.of(kind);
        const before = await changes(owner);
        await auditedReads(owner);
        const answer = await tryCell(principal, call, row, target);
        targets.recordStatus(kind, answer.status);
        const wanted = expected(call, row, principal, target);
        const cell = `${name} by ${principal.name} on ${kind}`;
        cells += 1;
        if (answer.status !== wanted)
          wrong.push(`${cell}: ${answer.status} instead of ${wanted} ${answer.text.slice(0, 120)}`);
        for (const word of forbidden(principal, call)) if (answer.text.includes(word)) leaks.push(`${cell}: ${word}`);
        isShown ||= principal.companySide === 'ours' && answer.status < 400 && showsPatient(answer.text);
        // getSignIn shows patients their own name, which needs no audit row.
        const isOwnName = principal.caller === 'P' && name === 'getSignIn';
        if (!isOwnName && showsPatient(answer.text) && (await auditedReads(owner)) === 0)
          leaks.push(`${cell}: shows a patient without an audit row (${answer.status})`);
        if (answer.status >= 400 && (await changes(owner)) !== before)
          leaks.push(`${cell}: changed something though refused`);
        if (answer.status === 404) unknown.push(JSON.stringify(answer.problem));
      }
      // Objects of another company and absent ones must give identical refusals.
      if (new Set(unknown).size > 1)
        leaks.push(`${name} by ${principal.name}: refusals differ ${[...new Set(unknown)].join(' ')}`);
    }
    expect(wrong).toEqual([]);
    expect(leaks).toEqual([]);
    if (showsPatients.has(name)) expect(isShown).toBe(true);
  });
});

describe.each(calls.filter(({ upload }) => upload).map((call) => [call.name, call] as const))(
  'upload: %s',
  (name, call) => {
    test('is refused before its body is sent @ROLE-1', async () => {
      const row = rightsRows[name] as RightsRow;
      const targets = targetsFor(world, row);
      const wrong: string[] = [];
      for (const principal of world.principals) {
        for (const kind of kinds) {
          const target = await targets.of(kind);
          const wanted = expected(call, row, principal, target);
          if (wanted < 400) continue;
          cells += 1;
          const status = await announceUpload(app.url, principal.person, call, row.attempt(target));
          if (status !== wanted) wrong.push(`${principal.name} on ${kind}: ${status} instead of ${wanted}`);
        }
      }
      expect(wrong).toEqual([]);
    });
  },
);

describe('refusal with patient data', () => {
  const staff = world.principals.find(({ name }) => name === 'U') as Principal;

  test.each(Object.entries(conflicts))(
    '%s: has an audit row of the appointment that it showed',
    async (name, conflict) => {
      const call = calls.find((one) => one.name === name) as Call;
      const [target, rival] = [await targetOf('own'), await targetOf('own')];
      await auditedReads(owner);
      const { params, query, body } = conflict(target, rival);
      const answer = await staff.person.call(call, {
        params: params as never,
        query: query as never,
        body: body as never,
      });
      cells += 1;
      expect([answer.status, showsPatient(answer.text)]).toEqual([409, true]);
      expect(await auditedReads(owner)).toBe(1);
      const { rows } = await owner.query<{ action: string; objects: object }>(
        // Refusals of earlier calls may be written at any time.
        "select action, objects from audit_log where not (objects ? 'refused') order by audit_id desc limit 1",
      );
      expect(rows).toEqual([{ action: name, objects: expect.objectContaining({ appointmentId: expect.any(Number) }) }]);
      // When its audit row cannot be written, it shows no data.
      await owner.query('alter table audit_log rename to audit_log_away');
      const unaudited = await staff.person.call(call, {
        params: params as never,
        query: query as never,
        body: body as never,
      });
      await owner.query('alter table audit_log_away rename to audit_log');
      expect([unaudited.status >= 400, showsPatient(unaudited.text)]).toEqual([true, false]);
    },
  );

  const targetOf = (kind: Target['kind']) => world.buildTarget(kind, { changes: true, ofPatient: false, parts: false });
});

/** The outcome of a hub call: 'done', or the code of the refusal. */
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.message.replace(/^.*HubException: /, ''),
  );

describe('hub', () => {
  test('Subscribe: is allowed for staff of the company and the patient of the appointment, and returns the same refusal to others @ROLE-1', async () => {
    const wrong: string[] = [];
    for (const principal of world.principals) {
      const mayConnect = principal.caller !== undefined || principal.tokenSays !== undefined;
      const hub = await connectHub(app, principal.person).catch(() => null);
      cells += 1;
      if ((hub !== null) !== mayConnect) wrong.push(`${principal.name}: connects ${hub !== null}`);
      if (!hub) continue;
      for (const kind of kinds) {
        const { appointmentUid: session } = await world.buildTarget(kind, {
          changes: false,
          ofPatient: false,
          parts: false,
        });
        const ours = principal.companySide === 'ours' && (kind === 'own' || kind === 'same');
        const reaches =
          principal.caller === 'P' || principal.caller === 'G'
            ? principal.patientOf === 'own' && kind === 'own'
            : ours || (principal.companySide === 'theirs' && kind === 'other');
        const refused = principal.tokenSays ? 'sign-in-ended' : 'not-found';
        const answers = {
          SendData: [await outcome(hub.sendData({ type: 4, session })), 'not-found'],
          SendText: [await outcome(hub.sendText({ session, payload: 'hello', key: 'a-key-123' })), 'not-found'],
          Unsubscribe: [await outcome(hub.unsubscribe(session)), 'done'],
          Ping: [await outcome(hub.connection.invoke('Ping')), 'done'],
          // Only callers with access may receive `early` and `no-provider`.
          Subscribe: [
            (await outcome(hub.subscribe(session))).replace(/early|no-provider/, 'done'),
            reaches ? 'done' : refused,
          ],
        };
        for (const [method, [is, wanted]] of Object.entries(answers)) {
          cells += 1;
          // A connection with a revoked sign-in is closed within a second, possibly during a call.
          if (principal.tokenSays && hub.closed() !== undefined) expect(`${hub.closed()}`).toContain(signedOutError);
          else if (is !== wanted) wrong.push(`${method} by ${principal.name} on ${kind}: ${is} instead of ${wanted}`);
        }
        await outcome(hub.unsubscribe(session));
        if (hub.closed() !== undefined) break;
      }
      await hub.connection.stop();
    }
    expect(wrong).toEqual([]);
  });
});
