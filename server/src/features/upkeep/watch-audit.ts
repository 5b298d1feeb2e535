import type { Anchored, AuditAnchors } from '../../platform/audit-anchors.ts';
import { type AuditCheck, type AuditHead, checkAudit, readAuditHead, sealAudit } from '../../platform/audit-chain.ts';
import { noteAuditCheck } from '../../platform/audit-state.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';

type Parts = Pick<Context, 'db' | 'keys' | 'clock' | 'log'>;

export interface AuditWatch {
  /** Writes the chain's head to the anchor file and the server's log, if it has changed. */
  anchor(): Promise<void>;
  /**
   * Checks what was sealed since the last check, which may have been before a restart. Once a day it also checks the next part
   * of the rest again, so that a check takes no longer when the log has grown.
   */
  check(): Promise<void>;
  /** Runs {@link check} the first time, and then when an hour has passed. */
  checkWhenDue(): Promise<void>;
  /** Aborts a running check. */
  stop(): void;
}

const checkIntervalMs = 3_600_000;
const recheckIntervalMs = 24 * checkIntervalMs;

/** Rows that are checked again per day, and rows after which progress is noted. Measured: a minute. */
const rowsPerPart = 2_000_000;

/**
 * Checks the audit log's chain. A broken chain is logged as an error. With `anchors` null only the server's log has the heads,
 * and the first check of each process begins with the first seal.
 */
export function watchAudit(
  parts: Parts,
  anchors: AuditAnchors | null,
  { maxRows = rowsPerPart }: { readonly maxRows?: number } = {},
): AuditWatch {
  const { clock, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let anchored = '';
  let checked: Anchored['checked'] = {};
  let recheckedAt = Number.NEGATIVE_INFINITY;
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
    const known = await anchors?.read();
    if (known) checked = known.checked;
    const heads = known?.heads ?? new Map<number, string>();
    const isFirst = checked.verified === undefined;
    const isDue = clock.now() - recheckedAt >= recheckIntervalMs;
    if (isDue) await sealAudit(parts, { restored: true });
    const before = checked.verified;
    let rows = 0;
    for (let isEnd = false; !isEnd; ) {
      const found = await checkPart(heads, checked.verified);
      if (found.broken) return alarm(found);
      if (found.head.sealNo !== checked.verified?.sealNo) await note('verified', found.head);
      rows += found.rows;
      ({ isEnd } = found);
    }
    let rechecked = 0;
    // What was checked a moment ago is not checked again.
    if (isDue && !isFirst && before && before.sealNo > 0) {
      const from = checked.rechecked && checked.rechecked.sealNo < before.sealNo ? checked.rechecked : undefined;
      const found = await checkPart(heads, from, before.sealNo);
      if (found.broken) return alarm(found);
      await note('rechecked', found.head);
      rechecked = found.rows;
    }
    if (isDue) recheckedAt = clock.now();
    log.info({ ...checked.verified, rows, rechecked }, 'the audit log is whole');
  }

  async function checkPart(heads: ReadonlyMap<number, string>, after?: AuditHead, upTo?: number): Promise<AuditCheck> {
    const found = await checkAudit(parts, {
      ...(after && { after }),
      ...(upTo !== undefined && { upTo }),
      anchors: later(heads, after),
      maxRows,
      signal,
    });
    await noteAuditCheck(parts, found, { after, at: isoNow(clock) });
    return found;
  }

  async function note(kind: 'verified' | 'rechecked', head: AuditHead): Promise<void> {
    checked = { ...checked, [kind]: head };
    await anchors?.note(kind, head, isoNow(clock));
  }

  function alarm({ broken }: AuditCheck): void {
    log.error(broken, 'the audit log is broken: see "The audit log" in docs/operations.md');
  }
}

const later = (anchors: ReadonlyMap<number, string>, after: AuditHead | undefined): ReadonlyMap<number, string> =>
  after ? new Map([...anchors].filter(([sealNo]) => sealNo > after.sealNo)) : anchors;
