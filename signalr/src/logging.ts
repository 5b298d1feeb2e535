import { promiseOf } from './application-code.ts';
import type { Logger } from './types.ts';

// oxlint-disable no-console -- The console is what this logger writes to.
/** The default: warnings and errors go to the console, the rest nowhere. */
export const consoleLogger: Logger = {
  debug() {},
  info() {},
  warn: (details, message) => console.warn(`signalr: ${message}`, details),
  error: (details, message) => console.error(`signalr: ${message}`, details),
};
// oxlint-enable no-console

type Level = keyof Logger;

/** The same logger, but what it throws or rejects with is ignored: there is nowhere left to say it. */
export function guarded(logger: Logger): Logger {
  const write = (level: Level) => (details: object, message: string) => {
    try {
      promiseOf(logger[level](details, message))?.catch(() => {});
    } catch {}
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

interface Tally {
  readonly level: Level;
  readonly message: string;
  readonly target: string | undefined;
  count: number;
}

/** Warnings and errors of one kind that are logged one by one, per second. */
const perSecond = 10;
/** Kinds that are told apart within a second; the target of a message is the client's choice. */
const maxKinds = 100;

/**
 * A guarded logger for what clients cause: one that provokes the same error thousands of times a second fills neither the log nor the
 * time of others. Beyond 10 in a second only their number is logged, as `suppressed`.
 */
export class LimitedLogger implements Logger {
  readonly #logger: Logger;
  #tallies = new Map<string, Tally>();

  constructor(logger: Logger) {
    this.#logger = guarded(logger);
  }

  debug(details: object, message: string): void {
    this.#logger.debug(details, message);
  }

  info(details: object, message: string): void {
    this.#logger.info(details, message);
  }

  warn(details: object, message: string): void {
    this.#limited('warn', details, message);
  }

  error(details: object, message: string): void {
    this.#limited('error', details, message);
  }

  /** Once a second: logs how many were left out, and starts to count again. */
  tick(): void {
    if (this.#tallies.size === 0) return;
    const tallies = this.#tallies;
    this.#tallies = new Map();
    for (const { level, message, target, count } of tallies.values()) {
      if (count > perSecond) this.#logger[level]({ target, suppressed: count - perSecond }, message);
    }
  }

  #limited(level: 'warn' | 'error', details: object & { target?: unknown }, message: string): void {
    const named = typeof details.target === 'string' ? details.target.toLowerCase() : undefined;
    const target = this.#tallies.size < maxKinds ? named : undefined;
    const key = `${level} ${message} ${target}`;
    let tally = this.#tallies.get(key);
    if (!tally) this.#tallies.set(key, (tally = { level, message, target, count: 0 }));
    tally.count++;
    if (tally.count <= perSecond) this.#logger[level](details, message);
  }
}
