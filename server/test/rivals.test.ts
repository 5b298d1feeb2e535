import { expect, test } from 'vitest';
import { runRivals } from './rivals.ts';
import { startTestApp } from './test-app.ts';

const app = await startTestApp();

// Each way is first once. `npm run bench -- rivals` runs 100 rounds of 200 rivals.
test('simultaneous requests for one slot, of every kind and on two instances: one succeeds, the others return the free slots', async () => {
  const { application, owner } = app.database;
  const result = await runRivals(app.context, application, owner, { rounds: 4, rivals: 60 });
  expect(result.wrongRounds).toEqual([]);
  expect(result.oddAnswers).toEqual([]);
  expect(result.overlaps).toBe(0);
  expect(result.rounds).toBe(4);
});
