import { expect, test } from 'vitest';
import { runRivals } from './rivals.ts';
import { startTestApp } from './test-app.ts';

const app = await startTestApp();

// Each way is in front once. The full measure, 100 rounds of 200 rivals, is `npm run bench -- rivals`.
test('of many who want one time, by every way and on two servers, one gets it and all others hear what is free', async () => {
  const { application, owner } = app.database;
  const result = await runRivals(app.context, application, owner, { rounds: 4, rivals: 60 });
  expect(result.wrongRounds).toEqual([]);
  expect(result.oddAnswers).toEqual([]);
  expect(result.overlaps).toBe(0);
  expect(result.rounds).toBe(4);
}, 120_000);
