import { promiseOf } from './application-code.ts';
import type { Logger } from './types.ts';

// oxlint-disable no-console -- The console is what this logger writes to.
/** The default logger: writes warnings and errors to the console. */
export const consoleLogger: Logger = {
  debug() {},
  info() {},
  warn: (details, message) => console.warn(`signalr: ${message}`, details),
  error: (details, message) => console.error(`signalr: ${message}`, details),
};
// oxlint-enable no-console

type Level = keyof Logger;

/** Returns a logger whose errors and rejections are ignored. */
export function safeLogger(logger: Logger): Logger {
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

/** The maximum number of equal warnings or errors that are logged per second. */
const perSecond = 10;
/** The maximum number of kinds counted separately within a second; clients choose the targets. */
const maxKinds = 100;

/**
 * A safe logger with a rate limit, for errors that clients cause. Beyond 10 equal entries in a second only their number is logged, as
 * `suppressed`.
 */
export class LimitedLogger implements Logger {
  readonly #logger: Logger;
  #tallies = new Map<string, Tally>();

  constructor(logger: Logger) {
    this.#logger = safeLogger(logger);
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

  /** Called once a second: logs how many entries were suppressed, and resets the counts. */
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
