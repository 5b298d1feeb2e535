import { CardTraffic } from './support/card-traffic.ts';
import { cardNumbers } from './support/cards.ts';
import { expect, test } from './support/story.ts';

// All stories fail when a card is in the traffic of their pages. This one shows that it would be seen.
test('card in the traffic of a page: is seen in an address, a body and a response', async ({ browser, demo }) => {
  const context = await browser.newContext({ baseURL: demo.url });
  const traffic = new CardTraffic();
  const page = await context.newPage();
  traffic.watch(context);
  await page.route('**/echo', (route) => route.fulfill({ json: { cvc: '123' } }));
  await page.goto('/#/login');
  expect(await traffic.found()).toEqual([]);
  await page.evaluate(async (digits) => {
    const spaced = digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
    await fetch(`/ping?card=${encodeURIComponent(spaced)}`);
    await fetch('/ping', { method: 'POST', body: JSON.stringify({ token: digits }) });
    await (await fetch('/echo')).json();
  }, cardNumbers.good);
  await expect.poll(() => traffic.found()).toHaveLength(3);
  expect((await traffic.found()).map((found) => found.replace(demo.url, ''))).toEqual([
    'card in a request: /ping',
    'card in a request: /ping',
    'card in a response: /echo',
  ]);
  await context.close();
});
