import type { AuditAnchors } from '../../platform/audit-anchors.ts';
import { type AuditHead, checkAudit, readAuditHead, sealAudit } from '../../platform/audit-chain.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';

type Parts = Pick<Context, 'db' | 'keys' | 'clock' | 'log'>;

export interface AuditWatch {
  /** Notes the chain's head outside of the database, when it has grown: in a file and in the server's log. */
  anchor(): Promise<void>;
  /** Checks what was sealed since the last time; all of it and all anchors once a day, and at first. */
  check(): Promise<void>;
  /** Checks when an hour has passed since the last time, and at first. */
  checkWhenDue(): Promise<void>;
  /** Gives up a check that is running. */
  stop(): void;
}

const everyMs = 3_600_000;
const fullEveryMs = 24 * everyMs;

/** Watches over the audit log's chain; the alarm is a line of level error. Without anchors only the server's log has the heads. */
export function watchAudit(parts: Parts, anchors: AuditAnchors | null): AuditWatch {
  const { clock, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let anchored = '';
  /** Up to where the chain was whole. */
  let verified: AuditHead | undefined;
  let fullAt = Number.NEGATIVE_INFINITY;
  let checkedAt = Number.NEGATIVE_INFINITY;

  return {
    async anchor() {
      const head = await readAuditHead(parts);
      if (!head || head.hash === anchored) return;
      await anchors?.append(head, isoNow(clock));
      anchored = head.hash;
      log.info(head, 'the head of the audit log');
    },
    check,
    async checkWhenDue() {
      if (clock.now() - checkedAt < everyMs) return;
      await check();
      checkedAt = clock.now();
    },
    stop: () => stopping.abort(),
  };

  async function check(): Promise<void> {
    try {
      await checkNow();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async function checkNow(): Promise<void> {
    const isFull = clock.now() - fullAt >= fullEveryMs;
    if (isFull) await sealAudit(parts, { restored: true });
    const known = (await anchors?.read()) ?? new Map<number, string>();
    const { broken, head, seals, rows } = await checkAudit(
      parts,
      isFull || !verified ? { anchors: known, signal } : { after: verified, anchors: after(known, verified), signal },
    );
    if (broken) {
      log.error(broken, 'the audit log is broken: see "The audit log" in docs/operations.md');
      return;
    }
    verified = head;
    if (isFull) fullAt = clock.now();
    log.info({ ...head, seals, rows, isFull }, 'the audit log is whole');
  }
}

const after = (anchors: ReadonlyMap<number, string>, head: AuditHead): ReadonlyMap<number, string> =>
  new Map([...anchors].filter(([sealNo]) => sealNo > head.sealNo));
