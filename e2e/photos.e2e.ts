import type { Page } from '@playwright/test';
import { buildPhotos } from './support/photos.ts';
import { expect, expectAccessibleEverywhere, phone, signIn, test } from './support/story.ts';

const photo = (page: Page) => page.getByRole('main').getByRole('img');
const addressOf = (page: Page) => new URL(page.url()).hash;

test('photos of a patient: from the form to the list, through them, and away @PHOTO-1 @PHOTO-2 @CALL-16', async ({
  someone,
  demo,
}) => {
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  const without = await buildPhotos(page, demo, 'Unphotographed', 0);
  await page.goto(`/#/patient-edit/${without}`);
  await page.getByRole('link', { name: 'Photos' }).click();
  await expect(page.getByText('There are no photos yet', { exact: true })).toBeVisible();
  await expect(photo(page)).toHaveCount(0);
  await expectAccessibleEverywhere(page);
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page).toHaveURL(new RegExp(`patient-edit/${without}$`));
  const patientId = await buildPhotos(page, demo, 'Photographed', 7);

  await page.goto(`/#/patient-edit/${patientId}`);
  await page.getByRole('link', { name: 'Photos' }).click();
  await expect(photo(page)).toHaveCount(7);
  await expect
    .poll(() => photo(page).evaluateAll((all) => all.every((one) => (one as HTMLImageElement).naturalWidth === 1280)))
    .toBe(true);
  // Five in the first row, two in the second.
  const tops = await photo(page).evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
  expect(tops.filter((top) => top === tops[0])).toHaveLength(5);
  await expectAccessibleEverywhere(page);

  const [, second] = await page
    .getByRole('main')
    .getByRole('link')
    .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).hash));
  await page.getByRole('main').getByRole('link').nth(1).click();
  await expect(photo(page)).toHaveCount(1);
  expect(addressOf(page)).toBe(second);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(phone);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect(page.getByText('150%')).toBeVisible();
  await page.getByRole('button', { name: 'Rotate' }).click();
  await expect(page.getByText('100%')).toBeVisible();
  expect(await photo(page).getAttribute('style')).toContain('rotate(90deg)');
  // A turned photo fits too.
  await expect(async () => {
    const [image, stage] = [await photo(page).boundingBox(), await page.getByRole('main').boundingBox()];
    expect(image?.width ?? Infinity).toBeLessThanOrEqual(stage?.width ?? 0);
    expect(image?.height ?? Infinity).toBeLessThanOrEqual(stage?.height ?? 0);
  }).toPass();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^Photo .+\.jpg$/);

  // While another photo is read, the one that is shown is downloaded.
  const { promise: isLookedAt, resolve: goOn } = Promise.withResolvers<void>();
  await page.route('**/api/photos/*', async (route) => {
    await isLookedAt;
    await route.continue();
  });
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => addressOf(page)).not.toBe(second);
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.resourceType() === 'fetch' && one.url().includes('/Photo/')),
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(new URL(request.url()).pathname).toBe(`/Photo/${second?.split('/').at(-1)}`);
  goOn();
  await expect(page.getByRole('button', { name: 'Previous photo' })).toHaveCount(0);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => addressOf(page)).toBe(second);
  // The photo before is shown until the next one is known.
  await expect(page.getByRole('button', { name: 'Previous photo' })).toBeVisible();
  // It has its place once it is loaded.
  await expect(photo(page)).toHaveJSProperty('naturalWidth', 1280);
  const shown = (await photo(page).getAttribute('src')) ?? '';
  const box = await photo(page).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 250, (box?.y ?? 0) + 60);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 60, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => addressOf(page)).not.toBe(second);
  await expect(photo(page)).not.toHaveAttribute('src', shown);
  // An image that is still being loaded when the photo is deleted is not found.
  await expect(photo(page)).toHaveJSProperty('complete', true);

  const deleted = addressOf(page);
  await page.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Would you like to delete this photo?');
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => addressOf(page)).not.toBe(deleted);
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(photo(page)).toHaveCount(6);
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page).toHaveURL(new RegExp(`patient-edit/${patientId}`));
});

test('patient’s form: has its buttons, and the instant appointment for providers only @PATIENT-1', async ({
  someone,
  demo,
}) => {
  for (const [email, mayConnect] of [
    ['doctor@demo.test', true],
    ['admin@demo.test', true],
    ['staff@demo.test', false],
  ] as const) {
    const { page } = await someone();
    await signIn(page, email);
    await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
    const patientId = await buildPhotos(page, demo, 'Buttoned', 0);
    await page.goto(`/#/patient-edit/${patientId}`);
    await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled();
    for (const [name, address] of [
      ['New Appointment', `#/appointment-edit/${patientId}/0`],
      ['Photos', `#/photo-list/${patientId}`],
      ['All Patients', '#/patient-list'],
    ] as const) {
      await expect(page.locator('form').getByRole('link', { name, exact: true })).toHaveAttribute('href', address);
    }
    await expect(page.getByRole('button', { name: 'Instant Appointment' })).toBeEnabled({ enabled: mayConnect });
  }
});

test('patient without photos: the list says so', async ({ someone, demo }) => {
  const { page } = await someone();
  await signIn(page, 'staff@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  const patientId = await buildPhotos(page, demo, 'Unphotographed', 0);
  await page.goto(`/#/photo-list/${patientId}`);
  await expect(page.getByText('There are no photos yet')).toBeVisible();
  await expectAccessibleEverywhere(page);
});
