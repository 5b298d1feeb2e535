import { type Problem, type RefusalCode, refusals } from '@roomside/contract/refusals.ts';
import type { AuditObjects } from './audit-objects.ts';

interface Details {
  fields?: Record<string, string>;
  retryAfter?: number;
  current?: unknown;
  text?: string;
  /** The ids of patient data in `current`, by kind: it is audited as a read. */
  objects?: AuditObjects;
  /**
   * Input of the reader that computes `current` (`Context.refusalReaders`). It runs in a separate transaction, after the
   * refused one has released its locks.
   */
  about?: object;
  /** Its handler has recorded it in the security log, with the account that it is about. */
  isRecorded?: boolean;
}

/** An expected refusal. http/problem.ts maps it to an HTTP response. */
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

/** A refusal about one field of the request: its text stands at that field, and above the form unless the code is `invalid`. `field` is the path in the body, such as `user.email`. */
export const fieldRefusal = (code: RefusalCode, field: string, text: string = refusals[code].text) =>
  new Refusal(code, { fields: { [field]: text }, ...(code !== 'invalid' && { text }) });

/** The refusal of an unknown, archived or foreign object: the same for all three. */
export const notFound = () => new Refusal('not-found');

/**
 * Requires that a row is as the caller has read it.
 *
 * @throws Refusal `stale`, with the present version
 */
export function checkVersion({ version }: { readonly version: number }, read: number): void {
  if (version !== read) throw new Refusal('stale', { current: { version } });
}
