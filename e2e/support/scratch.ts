import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Creates a folder for the whole run, named in E2E_SCRATCH; Playwright calls the returned function at the end. */
export default function setUp(): () => void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-e2e-run-'));
  process.env['E2E_SCRATCH'] = folder;
  // Browsers and killed servers leave files behind.
  process.env['TMPDIR'] = folder;
  return () => fs.rmSync(folder, { recursive: true, force: true });
}
