import fs from 'node:fs';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';

/** The long cells of the fault table run with ROOM_FAULTS=long, as in `npm run test:faults`. */
export const withLongFaults = process.env['ROOM_FAULTS'] === 'long';

const table = path.join(import.meta.dirname, '../../test-results/faults.jsonl');

/** One cell of the table: what was done, and what was measured. */
export function record(fault: string, measured: Record<string, number | string>): void {
  fs.mkdirSync(path.dirname(table), { recursive: true });
  fs.appendFileSync(table, `${JSON.stringify({ fault, ...measured })}\n`);
}

/** Counts how often a text appears on a page. Call it before the page is opened. */
export async function countNotice(page: Page, text: string): Promise<() => Promise<number>> {
  await page.addInitScript((wanted) => {
    const seen = { count: 0, present: false };
    Object.assign(globalThis, { noticesSeen: seen });
    const look = () => {
      const present = [...document.querySelectorAll('.MuiSnackbar-root')].some((one) =>
        one.textContent.includes(wanted),
      );
      if (present && !seen.present) seen.count += 1;
      seen.present = present;
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  }, text);
  return () => page.evaluate(() => (globalThis as unknown as { noticesSeen: { count: number } }).noticesSeen.count);
}

/** Returns when new sound of the other side has arrived at the page, ms since 1970. `watchCalls` must have been called. */
export function nextSound(page: Page, timeoutMs = 60_000): Promise<number> {
  return page.evaluate(async (timeout) => {
    const read = async () => {
      const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
      const connection = madeConnections.findLast((one) => one.connectionState === 'connected');
      let bytes = 0;
      for (const report of (await connection?.getStats())?.values() ?? [])
        if (report.type === 'inbound-rtp' && report.kind === 'audio') bytes += report.bytesReceived ?? 0;
      return { connection, bytes };
    };
    const before = await read();
    const until = Date.now() + timeout;
    for (;;) {
      const now = await read();
      const counted = now.connection === before.connection ? now.bytes - before.bytes : now.bytes;
      // Several packets of sound, not a late one.
      if (counted > 400) return Date.now();
      if (Date.now() > until) throw new Error('No sound has arrived.');
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }, timeoutMs);
}

/** Seconds until sound arrives at all pages again. */
export async function secondsUntilSound(pages: readonly Page[]): Promise<number> {
  const from = Date.now();
  const at = await Promise.all(pages.map((page) => nextSound(page)));
  return (Math.max(...at) - from) / 1000;
}

/** Waits as long as a fault lasts. The length of the fault is what is tested. */
export const lasts = (page: Page, seconds: number): Promise<void> => page.waitForTimeout(seconds * 1000);

/** Expects that each side has each message exactly once. */
export async function expectChat(pages: readonly Page[], messages: readonly string[]): Promise<void> {
  for (const page of pages)
    for (const message of messages)
      await expect(page.getByRole('log').getByText(message, { exact: true })).toHaveCount(1);
}

/** The sound that has arrived: samples in all, and those made up for lost packets; the codec that both sides prefer. */
export function soundSamples(page: Page): Promise<{ all: number; concealed: number; codec: string }> {
  return page.evaluate(async () => {
    const { madeConnections } = globalThis as unknown as { madeConnections: RTCPeerConnection[] };
    const pc = madeConnections.findLast((one) => one.connectionState === 'connected');
    // The statistics name the codec inside of RED.
    const sdp = pc?.remoteDescription?.sdp ?? '';
    const first = /^m=audio \S+ \S+ (\d+)/m.exec(sdp)?.[1] ?? '';
    const codec = new RegExp(`^a=rtpmap:${first} (\\w+)`, 'm').exec(sdp)?.[1] ?? '';
    for (const report of (await pc?.getStats())?.values() ?? []) {
      if (report.type !== 'inbound-rtp' || report.kind !== 'audio') continue;
      return {
        all: report.totalSamplesReceived as number,
        concealed: (report.concealedSamples as number) - (report.silentConcealedSamples as number),
        codec,
      };
    }
    throw new Error('There is no sound.');
  });
}
