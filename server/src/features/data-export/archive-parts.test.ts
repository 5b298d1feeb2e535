import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import { ClaimLost, deleteParts, readParts, writeParts } from './archive-parts.ts';

const { context } = await startTestApp();

/** An export that this test has claimed. */
async function buildClaimed() {
  const { companyId } = await buildCompany(context);
  const { userId } = await buildUser(context, { companyId, role: 'A', password });
  const claim = randomUUID();
  const now = isoNow(context.clock);
  const lease_until = new Date(context.clock.now() + 600_000).toISOString();
  const { export_id: exportId } = await context.db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .insertInto('data_exports')
      .values({ company_id: companyId, by_user_id: userId, requested_at: now, state: 'running', claim, lease_until })
      .returning('export_id')
      .executeTakeFirstOrThrow(),
  );
  return { companyId, exportId, claim };
}

const partsOf = ({ companyId }: { companyId: number }) =>
  context.db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .selectFrom('data_export_parts')
      .select(['blob_uid', 'size'])
      .orderBy('part_no')
      .$narrowType<{ size: number }>()
      .execute(),
  );

async function* chunksOf(bytes: Buffer, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

test('an archive in parts: any range of it is read across their borders', async () => {
  const claimed = await buildClaimed();
  const bytes = randomBytes(10_500);
  expect(await writeParts(context, claimed, chunksOf(bytes, 700), 1000)).toBe(10_500);
  const parts = await partsOf(claimed);
  expect(parts.map(({ size }) => size)).toEqual([...Array.from({ length: 10 }, () => 1000), 500]);
  for (const [start, end] of [
    [0, 10_499],
    [0, 0],
    [999, 1000],
    [1000, 1999],
    [950, 3050],
    [10_499, 10_499],
  ] as const) {
    const read = await Readable.from(readParts(context, claimed.companyId, parts, { start, end })).toArray();
    expect([start, end, Buffer.concat(read).equals(bytes.subarray(start, end + 1))]).toEqual([start, end, true]);
  }
  await deleteParts(context, claimed);
  expect(await partsOf(claimed)).toEqual([]);
  expect(await Readable.from(context.blobs.list(claimed.companyId)).toArray()).toEqual([]);
});

test('a worker that has lost its claim: writes nothing more', async () => {
  const claimed = await buildClaimed();
  const lost = { ...claimed, claim: randomUUID() };
  await expect(writeParts(context, lost, chunksOf(randomBytes(100), 100), 50)).rejects.toThrow(ClaimLost);
  // Ended while a part is being written: the part is deleted.
  const ending = async function* () {
    yield randomBytes(10);
    await deleteParts(context, claimed);
    yield randomBytes(10);
  };
  await expect(writeParts(context, claimed, ending(), 50)).rejects.toThrow(ClaimLost);
  expect(await Readable.from(context.blobs.list(claimed.companyId)).toArray()).toEqual([]);
});
