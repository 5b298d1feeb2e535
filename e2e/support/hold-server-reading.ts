import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Loaded into a server before its own code. While the file of HOLD_READING exists, the server reads no stored file further than half a megabyte,
 * as from a disk that is asleep. The end of a file, which is read first and in a small step, is not held.
 */
const { HOLD_READING: file } = process.env;
const start = 500_000;
const smallStep = 100_000;

if (file !== undefined) {
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle) as {
    read(buffer: Buffer, offset: number, length: number, position: number): Promise<unknown>;
  };
  await handle.close();
  const { read } = prototype;
  prototype.read = async function (buffer, offset, length, position) {
    while (position > start && length > smallStep && fs.existsSync(file)) await sleep(50);
    return read.call(this, buffer, offset, length, position);
  };
}
