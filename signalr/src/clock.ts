import type { Clock } from './types.ts';

/** The system time. Its intervals do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setInterval: (callback, everyMs) => setInterval(callback, everyMs).unref(),
  clearInterval: (handle) => clearInterval(handle as NodeJS.Timeout),
};
