import type { Page } from '@playwright/test';
import { buildRecordedVisit, expectTracksLoaded } from './support/recorded-visit.ts';
import { desktop, expect, phone, signIn, test } from './support/story.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const slider = (page: Page) => page.getByRole('slider', { name: 'Position' });

interface Shown {
  segment: string;
  time: number;
  paused: boolean;
}

interface Tracks {
  look(): Shown[];
  noted: Shown[][];
}

/** Keeps in the page what the tracks show every 50 ms: they play for seconds only, and this process may be late. */
const noteTracks = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const look = () =>
      [...document.querySelectorAll<HTMLVideoElement>('.rec-tile video')].map(
        ({ currentSrc, currentTime, paused }) => ({
          segment: /Recording\/(\w+)/.exec(currentSrc)?.[1] ?? '',
          time: Math.round(currentTime * 10) / 10,
          paused,
        }),
      );
    const tracks: Tracks = { look, noted: [] };
    Object.assign(globalThis, { tracks });
    setInterval(() => tracks.noted.push(look()), 50);
  });

/** What each track shows, in the order of the tracks. */
const shown = (page: Page): Promise<Shown[]> =>
  page.evaluate(() => (globalThis as unknown as { tracks: Tracks }).tracks.look());

const noted = (page: Page, from = 0): Promise<Shown[][]> =>
  page.evaluate((at) => (globalThis as unknown as { tracks: Tracks }).tracks.noted.slice(at), from);

/** Does something, and expects that the tracks show this then or later, be it for a moment. */
async function expectTracks(
  page: Page,
  cause: () => Promise<unknown>,
  isWanted: (tracks: readonly Shown[]) => boolean,
): Promise<void> {
  const { length } = await noted(page);
  await cause();
  await expect.poll(async () => (await noted(page, length)).some(isWanted)).toBe(true);
}

/** Where the segments of each track are drawn, as seconds of 24. */
const lanes = (page: Page) =>
  page.locator('.rec-lane').evaluateAll((all) =>
    all.map((lane) => {
      const { left, width } = lane.getBoundingClientRect();
      const second = (x: number) => Math.round(((x - left) / width) * 24);
      return [...lane.children].map((one) => {
        const box = one.getBoundingClientRect();
        return [second(box.left), second(box.right)];
      });
    }),
  );

async function openRecordings(page: Page, appointmentId: number): Promise<void> {
  await signIn(page, 'doctor@demo.test');
  await expect(page.getByRole('heading', { name: /Waiting/ })).toBeVisible();
  await page.goto(`/#/recordings/${appointmentId}`);
  await expectTracksLoaded(page);
  await noteTracks(page);
}

test('tracks play, seek and end together, and removed ones are restored @STATE-29', async ({ someone, demo }) => {
  const { page } = await someone({ viewport: desktop });
  await page.goto('/#/link');
  // The second track touches both segments of the first; the third overlaps with none.
  const tracks = [
    [
      [0, 4],
      [8, 12],
    ],
    [[4, 8]],
    [[20, 24]],
  ] as const;
  // Longer than a segment: a busy machine may draw nothing at the start and the end.
  const { appointmentId, segments } = await buildRecordedVisit(demo, page, tracks, 4_600);
  const [[a1 = '', a2 = ''] = [], [b1 = ''] = [], [c1 = ''] = []] = segments;
  await openRecordings(page, appointmentId);
  // Below the position: who was recorded when, in twenty-fourths of the whole.
  expect(await lanes(page)).toEqual([
    [
      [0, 4],
      [8, 12],
    ],
    [[4, 8]],
    [[20, 24]],
  ]);
  const tiles = page.getByRole('figure');
  const segmentButton = (tile: number, index: number) =>
    tiles
      .nth(tile)
      .getByRole('button', { name: /^\d+:\d+:\d+ [AP]M$/ })
      .nth(index);

  // A segment is selected: the other goes to its overlapping one, whose last moment it is; the third pauses.
  await segmentButton(0, 1).click();
  await expect.poll(async () => (await shown(page))[0]).toEqual({ segment: a2, time: 0, paused: true });
  await expect.poll(async () => (await shown(page))[1]?.time).toBeGreaterThan(3.5);
  expect((await shown(page))[1]?.segment).toBe(b1);
  // The same at the other end, and back to an earlier segment, while it plays: slowly, so that it still plays.
  await page.getByRole('combobox', { name: 'Speed' }).click();
  await page.getByRole('option', { name: '0.5×', exact: true }).click();
  await expectTracks(
    page,
    () => button(page, 'Play all').click(),
    ([a]) => a !== undefined && a.time > 0.5,
  );
  await expectTracks(
    page,
    () => segmentButton(1, 0).click(),
    ([a, b, c]) =>
      a?.segment === a1 && a.time > 3.5 && b?.segment === b1 && b.time > 0.5 && !b.paused && c?.paused === true,
  );
  // Only the third has an overlap.
  await expectTracks(
    page,
    () => segmentButton(2, 0).click(),
    ([a, b, c]) => a?.paused === true && b?.paused === true && c?.paused === false && c.segment === c1,
  );

  // Every track has finished: playback stops and all rewind.
  await expect(button(page, 'Play all')).toBeVisible({ timeout: 60_000 });
  await expect
    .poll(() => shown(page))
    .toEqual([
      { segment: a1, time: 0, paused: true },
      { segment: b1, time: 0, paused: true },
      { segment: c1, time: 0, paused: true },
    ]);

  // A removed track is restored, and plays with the others.
  const first = await tiles.nth(0).locator('.rec-name').textContent();
  await button(page, `Close ${first}`).click();
  await expect(tiles).toHaveCount(2);
  await button(page, 'Restore removed tracks').click();
  await expect(tiles).toHaveCount(3);
  await expectTracks(
    page,
    () => button(page, 'Play all').click(),
    ([a]) => a?.segment === a1 && a.time > 0.5 && !a.paused,
  );
  await button(page, 'Stop').click();

  // One track is deleted: the others play on, and what was closed stays closed, as does the toolbar.
  await tiles
    .nth(1)
    .getByRole('button', { name: /^Close / })
    .click();
  await button(page, 'Play all').click();
  await button(page, 'Hide toolbar').click();
  await tiles
    .nth(1)
    .getByRole('button', { name: /^Delete track of / })
    .click();
  await expectTracks(
    page,
    () => page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click(),
    ([a, ...others]) => a !== undefined && others.length === 0 && a.time > 0.5 && !a.paused,
  );
  await expect(tiles).toHaveCount(1);
  await expect(button(page, 'Show toolbar')).toBeVisible();
});

test('pause, stop and speed hold for all tracks; the grid has one column for each track, at most three', async ({
  someone,
  demo,
}) => {
  const { page } = await someone({ viewport: desktop });
  await page.goto('/#/link');
  // Long enough for a slow machine, on which it is still playing when it is paused.
  const period = [0, 20] as const;
  const { appointmentId } = await buildRecordedVisit(demo, page, [[period], [period], [period], [period]], 20_000);
  await openRecordings(page, appointmentId);
  await expectTracks(
    page,
    () => button(page, 'Play all').click(),
    // A pause may take a track back by a tenth of a second.
    (tracks) => tracks.every(({ time, paused }) => time > 1 && !paused),
  );
  await button(page, 'Pause all').click();
  await expect.poll(async () => (await shown(page)).map(({ paused }) => paused)).toEqual([true, true, true, true]);
  const held = await slider(page).inputValue();
  expect((await shown(page)).every(({ time }) => time > 0.5)).toBe(true);
  await button(page, 'Play all').click();
  await expect.poll(async () => Number(await slider(page).inputValue())).toBeGreaterThan(Number(held));
  // From the start, so that it is still playing when its speed has changed.
  await button(page, 'Stop').click();
  await button(page, 'Play all').click();
  // Rounded: a track that is early or late plays a little slower or faster for a moment.
  const speeds = () =>
    page
      .locator('.rec-tile video')
      .evaluateAll((all: HTMLVideoElement[]) => all.map((one) => Math.round(one.playbackRate)));
  await expect.poll(speeds).toEqual([1, 1, 1, 1]);
  await page.getByRole('combobox', { name: 'Speed' }).click();
  await page.getByRole('option', { name: '2×' }).click();
  await expect.poll(speeds).toEqual([2, 2, 2, 2]);
  const fast = Number(await slider(page).inputValue());
  await expect.poll(async () => Number(await slider(page).inputValue())).toBeGreaterThan(fast);
  await button(page, 'Stop').click();
  await expect
    .poll(async () => (await shown(page)).map(({ time, paused }) => [time, paused]))
    .toEqual(Array(4).fill([0, true]));
  await expect(slider(page)).toHaveValue('0');

  const tiles = page.getByRole('figure');
  const columns = () =>
    tiles.evaluateAll((all) => new Set(all.map((one) => Math.round(one.getBoundingClientRect().left))).size);
  for (const [tracks, expected] of [
    [4, 3],
    [3, 3],
    [2, 2],
    [1, 1],
  ] as const) {
    await expect(tiles).toHaveCount(tracks);
    await expect.poll(columns).toBe(expected);
    await tiles
      .last()
      .getByRole('button', { name: /^Close / })
      .click();
  }
  await expect(page.getByText('All tracks are closed.')).toBeVisible();
  await button(page, 'Restore removed tracks').click();
  await expect(tiles).toHaveCount(4);
  await page.setViewportSize(phone);
  // The browser lays the page out after the change of its size.
  await expect.poll(columns).toBe(1);
});
