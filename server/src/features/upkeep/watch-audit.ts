import type { AuditAnchors } from '../../platform/audit-anchors.ts';
import { type AuditHead, checkAudit, readAuditHead, sealAudit } from '../../platform/audit-chain.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';

type Parts = Pick<Context, 'db' | 'keys' | 'clock' | 'log'>;

export interface AuditWatch {
  /** Writes the chain's head to the anchor file and the server's log, if it has changed. */
  anchor(): Promise<void>;
  /** Checks what was sealed since the last check; the first time and once a day the whole chain and all anchors. */
  check(): Promise<void>;
  /** Runs {@link check} the first time, and then when an hour has passed. */
  checkWhenDue(): Promise<void>;
  /** Aborts a running check. */
  stop(): void;
}

const checkIntervalMs = 3_600_000;
const fullCheckIntervalMs = 24 * checkIntervalMs;

/** Checks the audit log's chain. A broken chain is logged as an error. With `anchors` null only the server's log has the heads. */
export function watchAudit(parts: Parts, anchors: AuditAnchors | null): AuditWatch {
  const { clock, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let anchored = '';
  /** The last head that was verified. */
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
      if (clock.now() - checkedAt < checkIntervalMs) return;
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
    const isFull = clock.now() - fullAt >= fullCheckIntervalMs;
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
