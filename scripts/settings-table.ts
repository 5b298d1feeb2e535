import fs from 'node:fs';
import path from 'node:path';
import { settingsTable } from '../server/src/platform/settings.ts';
import { root } from './steps.ts';

/**
 * Prints the settings table, which is generated from the server's code. `--write` writes it to README.md between the two markers,
 * `--check` fails when README.md differs.
 */
const BEGIN = '<!-- settings: made by node scripts/settings-table.ts --write -->';
const END = '<!-- /settings -->';
const file = path.join(root, 'README.md');
const mode = process.argv[2];

if (mode === undefined) console.log(settingsTable());
else {
  const readme = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const start = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (start < 0 || end < start) {
    console.error(`README.md does not contain the lines ${BEGIN} and ${END}.`);
    process.exitCode = 1;
  } else {
    const wanted = `${readme.slice(0, start)}${BEGIN}\n\n${settingsTable()}\n\n${readme.slice(end)}`;
    if (mode === '--write') fs.writeFileSync(file, wanted);
    else if (readme !== wanted) {
      console.error('The settings in README.md are out of date: node scripts/settings-table.ts --write');
      process.exitCode = 1;
    }
  }
}
