import fs from 'node:fs';
import path from 'node:path';
import { root, runStep } from './steps.ts';

/** `npm run test:faults`: all cells of the fault table in real browsers, then the table with what was measured. */
const table = path.join(root, 'test-results/faults.jsonl');

fs.rmSync(table, { force: true });
const { ok } = await runStep({
  name: 'faults of calls',
  command: ['playwright', 'test', '--config', 'e2e/playwright.config.ts', 'e2e/room-faults'],
  env: { ROOM_FAULTS: 'long' },
  live: true,
});
const rows = fs.existsSync(table) ? fs.readFileSync(table, 'utf8').trim().split('\n') : [];
console.log('\n| fault | measured |\n| --- | --- |');
for (const row of rows) {
  const { fault, ...measured } = JSON.parse(row) as Record<string, string | number>;
  const figures = Object.entries(measured).map(([name, value]) => `${name}: ${value}`);
  console.log(`| ${fault} | ${figures.join('; ')} |`);
}
if (!ok) process.exitCode = 1;
