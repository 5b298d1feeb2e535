import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Makes a folder of the whole run, named in E2E_SCRATCH; Playwright calls what this returns at the end. */
export default function setUp(): () => void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-e2e-run-'));
  process.env['E2E_SCRATCH'] = folder;
  return () => fs.rmSync(folder, { recursive: true, force: true });
}
