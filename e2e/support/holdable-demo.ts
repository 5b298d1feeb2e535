import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Demo, startDemo } from './server.ts';

const module = new URL('./hold-server-reading.ts', import.meta.url).href;
const file = path.join(os.tmpdir(), `roomside-hold-${process.pid}`);

/** Starts a demo whose server can be kept from reading large files to their end, so that its work on such a file stays where it is. */
export const startHoldableDemo = (): Promise<Demo> =>
  startDemo({ NODE_OPTIONS: `--import=${module}`, HOLD_READING: file });

/** From now on the server reads only the first half megabyte of a stored file, until `releaseServerReading`. */
export const holdServerReading = (): void => fs.writeFileSync(file, '');

/** The server goes on reading. */
export const releaseServerReading = (): void => fs.rmSync(file, { force: true });
