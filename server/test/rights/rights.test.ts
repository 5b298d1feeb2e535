import type { Call } from '@roomside/contract/call.ts';
import { allCalls } from '@roomside/contract/calls.ts';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../test-app.ts';
import { needsRow, type RightsRow, rightsRows } from './rows.ts';
import { buildWorld, canaries, type Principal, type Target, type World } from './world.ts';

const kinds = ['own', 'same', 'other', 'absent'] as const;
const calls = allCalls.filter(needsRow);

test('every call has its row of expected rights, and every row its call', () => {
  expect(Object.keys(rightsRows).sort()).toEqual(calls.map((call) => call.name).sort());
});

const app: TestApp = await startTestApp();
const unchecked: TestApp = await startTestApp({ skipChecks: true });
const world: World = await buildWorld(app);
const uncheckedWorld: World = await buildWorld(unchecked);
const owner = new pg.Client(app.database.owner);
await owner.connect();

afterAll(async () => {
  await owner.end();
  console.log(`rights matrix: ${cells} cells tried, ${leaks.length} leaks`);
});

/** The status of a cell, by the table of decisions, section 3. */
function expected(call: Call, row: RightsRow, principal: Principal, target: Target): number {
  if (principal.caller === undefined) return 401;
  if (call.who !== 'anyone' && !call.who.includes(principal.caller)) return 403;
  if (row.reaches === 'self') return row.done;
  if (target.kind === 'absent') return 404;
  const theirs = target.kind === 'other';
  if (principal.companySide !== (theirs ? 'theirs' : 'ours')) return 404;
  if (principal.caller !== 'P') return row.done;
  // The 'own' visit is the one that the first patient's code was made for; nobody else's code opens it.
  return principal.patientOf === 'own' && target.kind === 'own' ? row.done : 404;
}

/** Words that must not be in an answer to this principal. */
function forbidden(principal: Principal): string[] {
  if (principal.caller === undefined || principal.caller === 'Super') return Object.values(canaries);
  if (principal.companySide === 'theirs') return [canaries.own, canaries.same];
  if (principal.caller !== 'P') return [canaries.other];
  return principal.patientOf === 'own' ? [canaries.same, canaries.other] : [canaries.own, canaries.other];
}

/** A fingerprint of everything that a clinic has. */
async function fingerprint(client: pg.Client): Promise<string> {
  const tables = ['companies', 'users', 'patients', 'patient_phones', 'appointments', 'visits', 'ledger', 'chat_messages', 'notification_logs'];
  const sums = tables.map((name) => `(select coalesce(sum(hashtextextended(t::text, 0)), 0) from ${name} t)::text`);
  const { rows } = await client.query<{ sum: string }>(`select ${sums.join(` || '/' || `)} as sum`);
  return rows[0]?.sum ?? '';
}

async function tryCell(principal: Principal, call: Call, row: RightsRow, target: Target) {
  const { params, query, body } = row.attempt(target);
  return principal.person.call(call, { params: params as never, query: query as never, body: body as never });
}

let cells = 0;
const leaks: string[] = [];

describe.each(calls.map((call) => [call.name, call] as const))('%s', (name, call) => {
  test('answers each principal for each object as the table says @ROLE-1 @ROLE-2 @ROLE-5 @ROLE-6', async () => {
    const row = rightsRows[name] as RightsRow;
    const wrong: string[] = [];
    for (const principal of world.principals) {
      const unknown: string[] = [];
      for (const kind of kinds) {
        const target = await world.makeTarget(kind);
        const before = await fingerprint(owner);
        const answer = await tryCell(principal, call, row, target);
        const should = expected(call, row, principal, target);
        const cell = `${name} by ${principal.name} on ${kind}`;
        cells += 1;
        // A second save of the one 'own' target meets the version of the first: still a success of rights.
        const isDone = should === row.done && [200, 204, 409].includes(answer.status);
        if (answer.status !== should && !isDone) wrong.push(`${cell}: ${answer.status} instead of ${should} ${answer.text.slice(0, 120)}`);
        for (const word of forbidden(principal)) if (answer.text.includes(word)) leaks.push(`${cell}: ${word}`);
        if (answer.status >= 400 && (await fingerprint(owner)) !== before) leaks.push(`${cell}: changed something though refused`);
        if (answer.status === 404) unknown.push(JSON.stringify(answer.problem));
      }
      // Foreign and absent look the same, to the letter.
      if (new Set(unknown).size > 1) leaks.push(`${name} by ${principal.name}: refusals differ ${[...new Set(unknown)].join(' ')}`);
    }
    expect(wrong).toEqual([]);
    expect(leaks).toEqual([]);
  });
});

describe('with the application’s checks switched off', () => {
  test('row-level security alone shows nothing of one company to another', async () => {
    for (const call of calls) {
      const row = rightsRows[call.name] as RightsRow;
      for (const principal of uncheckedWorld.principals) {
        for (const kind of kinds) {
          const answer = await tryCell(principal, call, row, await uncheckedWorld.makeTarget(kind));
          cells += 1;
          const foreign = principal.companySide === 'theirs' ? [canaries.own, canaries.same] : [canaries.other];
          for (const word of foreign) if (answer.text.includes(word)) leaks.push(`${call.name} by ${principal.name} on ${kind}: ${word} (no checks)`);
        }
      }
    }
    expect(leaks).toEqual([]);
  }, 60_000);
});
