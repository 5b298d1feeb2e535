import { afterAll, expect, test } from 'vitest';
import { startTestApp } from '../test-app.ts';
import { calls, kinds, matrixSettings, printCells, superSees, targetsFor, tryCell } from './matrix.ts';
import { type RightsRow, rightsRows } from './rows.ts';
import { buildWorld, canaries, patientWord } from './world.ts';

/** The rights matrix without the application's checks: what row-level security alone keeps apart. */
const app = await startTestApp({ skipChecks: true, env: matrixSettings });
const world = await buildWorld(app);

let cells = 0;
let leaks = 0;
afterAll(() => printCells('rights matrix without checks', cells, leaks));

test.each(calls)(
  'row-level security alone: $name shows no data of another company, and patients and guests none of another patient',
  async (call) => {
    const seen: string[] = [];
    const row = rightsRows[call.name] as RightsRow;
    const targets = targetsFor(world, row);
    for (const principal of world.principals) {
      for (const kind of kinds) {
        const answer = await tryCell(principal, call, row, await targets.of(kind));
        targets.recordStatus(kind, answer.status);
        cells += 1;
        const foreign: string[] = principal.companySide === 'theirs' ? [canaries.own, canaries.same] : [canaries.other];
        // Patients and guests are kept from other patients, too.
        if (principal.patientOf) foreign.push(patientWord(canaries[principal.patientOf === 'own' ? 'same' : 'own']));
        if (principal.caller === 'Super' && superSees.has(call.name)) continue;
        for (const word of foreign)
          if (answer.text.includes(word))
            seen.push(`${call.name} by ${principal.name} on ${kind}: ${word} (no checks)`);
      }
    }
    leaks += seen.length;
    expect(seen).toEqual([]);
  },
);
