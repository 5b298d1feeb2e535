import { desktop, expect, expectAccessible, phone, test } from './support/story.ts';

/** The sections of the design page, by heading; the loading shapes move and have no picture. */
const sections = [
  'Colors',
  'Type and corners',
  'Dates and times',
  'Buttons',
  'Fields',
  'Messages',
  'Lists',
  'Patients’ pages',
] as const;

const nameOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z]+/g, '-');

for (const [scheme, viewport] of [
  ['light', desktop],
  ['dark', phone],
] as const) {
  test(`design page, ${scheme}: looks as in the pictures and is accessible`, async ({ someone }) => {
    test.skip(Boolean(process.env['CHROME_PATH']), 'The pictures are of the browser from npm.');
    // High enough that the title bar covers no section.
    const { page } = await someone({ viewport: { ...viewport, height: 2400 }, colorScheme: scheme });
    await page.goto('/dev/design');
    await expect(page.getByRole('heading', { name: 'Design', level: 1 })).toBeVisible();
    await page.evaluate(() => document.fonts.ready);
    for (const name of sections) {
      const section = page.getByRole('region', { name, exact: true });
      await expect(section).toHaveScreenshot(`${nameOf(name)}-${scheme}.png`);
    }
    await expectAccessible(page);
    for (const [button, heading] of [
      ['Open a dangerous question', 'Invite Zoe O’Brien?'],
      ['Open a dialog', 'Send invitation'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole(button === 'Open a dialog' ? 'dialog' : 'alertdialog', { name: heading });
      await expect(dialog).toHaveScreenshot(`${nameOf(button)}-${scheme}.png`);
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
    }
    await page.getByRole('button', { name: 'Show success' }).click();
    await expect(page.locator('.MuiSnackbar-root').getByRole('status')).toHaveText(/notified/);
  });
}
