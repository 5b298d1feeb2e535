import { type Problem, type RefusalCode, refusals } from '@roomside/contract/refusals.ts';
import type { AuditObjects } from './audit-objects.ts';

interface Details {
  fields?: Record<string, string>;
  retryAfter?: number;
  current?: unknown;
  text?: string;
  /** Which patient data `current` shows, by kind of id: it is audited as a read. */
  objects?: AuditObjects;
  /**
   * What `current` is looked up from, by the reader of the code (`Context.refusalReaders`): in a transaction of its own,
   * after the refused one has released its locks, so that a slow look-up keeps no one waiting.
   */
  about?: object;
}

/** An expected refusal; one place maps it to HTTP (http/problem.ts), one on the screen to words. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: RefusalCode;
  readonly details: Details;

  constructor(code: RefusalCode, details: Details = {}) {
    super(details.text ?? refusals[code].text);
    this.code = code;
    this.details = details;
  }

  /** RFC 9457. */
  toProblem(): Problem {
    const { status } = refusals[this.code];
    const { fields, retryAfter, current } = this.details;
    return {
      type: `about:blank#${this.code}`,
      title: this.message,
      status,
      code: this.code,
      ...(fields && { fields }),
      ...(retryAfter !== undefined && { retryAfter }),
      ...(current !== undefined && { current }),
    };
  }
}

/** What is missing, archived or another company's: they all look the same. */
export const notFound = () => new Refusal('not-found');
