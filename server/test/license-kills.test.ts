import { expect, test } from 'vitest';
import { runLicenseKills } from './license-kills.ts';
import { startTestApp } from './test-app.ts';

const app = await startTestApp();

test('servers that are killed while clinics buy licenses: each pays once, for one year and one invoice', async () => {
  const result = await runLicenseKills(app.context, app.database, { rounds: 3, perRound: 8 });
  expect(result).toMatchObject({ kills: 3, chargedTwice: 0, differences: 0, open: 0, gaps: 0 });
  expect(result.stopped).toBeGreaterThan(0);
});
