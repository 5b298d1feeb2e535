import type { Page } from '@playwright/test';
import { demoPassword } from './support/server.ts';
import { expect, type Someone, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

const small = { width: 480, height: 400 };

/** Enters the room with a very small picture: many of them are encoded on one machine. */
async function enter({ context, page }: Someone, demo: { url: string }, email: string, uid: string): Promise<void> {
  await page.addInitScript(() => {
    const open = MediaDevices.prototype.getUserMedia;
    MediaDevices.prototype.getUserMedia = function (wish) {
      return open.call(this, wish?.video ? { ...wish, video: { width: 64, height: 48, frameRate: 1 } } : wish);
    };
  });
  const data = { isPatient: false, user: { email, password: demoPassword } };
  expect((await context.request.post(`${demo.url}/api/auth/login`, { data })).status()).toBe(200);
  await page.goto(`/#/appointment/${uid}`);
}

/** The number of columns in which the tiles of the others are shown. */
const columnsOf = (page: Page) =>
  page
    .locator('.room-tile')
    .evaluateAll((tiles) => new Set(tiles.map((tile) => Math.round(tile.getBoundingClientRect().left))).size);

test('others in the room: up to three are side by side, four in two columns, more in three', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 8 });
  const viewer = await someone();
  await enter(viewer, demo, 'admin@demo.test', visit.uid);
  const { page } = viewer;
  const tiles = page.locator('.room-tile');
  const others = ['doctor', 'doctor2', 'staff', 'doctor', 'doctor2'];
  for (const [at, who] of others.entries()) {
    const peers = at + 1;
    await enter(await someone({ viewport: small }), demo, `${who}@demo.test`, visit.uid);
    await expect(tiles).toHaveCount(peers, { timeout: 30_000 });
    expect([peers, await columnsOf(page)]).toEqual([peers, peers <= 3 ? peers : peers === 4 ? 2 : 3]);
  }
});
