import { once } from 'node:events';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BusyEvents, BusyProblem, BusyQuery } from './busy-events.ts';
import { CalendarUnread } from './download-calendar.ts';

/** Longer than the largest calendars take on a slow machine, ms. */
const timeoutMs = 20_000;
const resourceLimits = { maxOldGenerationSizeMb: 512 };

const server = path.dirname(findPackageJSON('..', import.meta.url) ?? '');
const program = path.join(
  server,
  import.meta.url.endsWith('.ts') ? 'src/calendar-worker.ts' : 'dist/calendar-worker.js',
);

type Answer = { readonly events: BusyEvents } | { readonly problem: BusyProblem };

/**
 * As `busyEvents`, in a thread with limits of time and memory.
 *
 * @throws CalendarUnread
 */
export async function readBusyEvents(query: BusyQuery): Promise<BusyEvents> {
  const worker = new Worker(program, { workerData: query, resourceLimits });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const [answer] = (await once(worker, 'message', { signal })) as [Answer];
    if ('problem' in answer) throw new CalendarUnread(answer.problem);
    return answer.events;
  } catch (error) {
    if (error instanceof CalendarUnread) throw error;
    const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (signal.aborted || isMemory) throw new CalendarUnread('too-complex', { cause: error });
    throw error;
  } finally {
    await worker.terminate();
  }
}
