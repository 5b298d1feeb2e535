import { parentPort, workerData } from 'node:worker_threads';

/** Expands one calendar in a thread: a large or malicious one must not stop the server (features/calendars/read-busy-events.ts). */
if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');

const { BusyError, busyEvents } = await import('./features/calendars/busy-events.ts');

try {
  parentPort?.postMessage({ events: busyEvents(workerData) });
} catch (error) {
  if (!(error instanceof BusyError)) throw error;
  parentPort?.postMessage({ problem: error.problem });
}
