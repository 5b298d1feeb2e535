import { once } from 'node:events';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Turns } from '../../platform/database/turns.ts';
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

/**
 * Threads of this process: two, and one for a company, whose further readings wait for theirs. A reading that is claimed must
 * not wait for longer than its lease (run-readings.ts).
 */
const turns = new Turns({ total: 2, perGroup: 2, perMember: 1, maxWaiting: 4, timeoutMs: 40_000 });

/** Who waits for a calendar: a person who saves its address, or the readings that repeat. Both get turns. */
export interface Reader {
  readonly by: 'save' | 'repeat';
  readonly companyId: number;
}

type Answer = { readonly events: BusyEvents } | { readonly problem: BusyProblem };

/**
 * As `busyEvents`, in a thread with limits of time and memory.
 *
 * @throws CalendarUnread
 * @throws Refusal `unavailable` when too many readings wait
 */
export const readBusyEvents = ({ by, companyId }: Reader, query: BusyQuery): Promise<BusyEvents> =>
  turns.run({ group: by, member: `company ${companyId}` }, () => readInThread(query));

async function readInThread(query: BusyQuery): Promise<BusyEvents> {
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
