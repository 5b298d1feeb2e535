import { expect, test } from 'vitest';
import { runPaymentKills } from './payment-kills.ts';
import { startTestApp } from './test-app.ts';

const app = await startTestApp();

// `npm run bench -- payments` makes 1,000 payments.
test('servers that are killed while patients pay: no one is charged twice, no payment is lost', async () => {
  const result = await runPaymentKills(app.context, app.database, { payments: 60, perRound: 15 });
  expect(result).toMatchObject({ payments: 60, kills: 4, chargedTwice: 0, differences: 0, lost: 0, open: 0 });
  expect(result.answered).toBe(60);
});
