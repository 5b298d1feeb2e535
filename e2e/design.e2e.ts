import { desktop, expect, expectAccessible, phone, test } from './support/story.ts';

/** The sections of the design page, by heading. Playwright stops what moves before it takes a picture. */
const sections = [
  'Colors',
  'Type and corners',
  'Spacing',
  'Dates and times',
  'Buttons',
  'Fields',
  'Text fields',
  'Choices',
  'Rows',
  'Dialogs',
  'Messages',
  'Notices',
  'Lists',
  'Tables and cards',
  'Tools',
  'Loading',
  'Patients’ pages',
  'Page of a patient',
] as const;

const nameOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z]+/g, '-');

for (const [scheme, viewport] of [
  ['light', desktop],
  ['dark', phone],
] as const) {
  test(`design page, ${scheme}: looks as in the pictures and is accessible`, async ({ someone }) => {
    test.skip(Boolean(process.env['CHROME_PATH']), 'The pictures are of the browser from npm.');
    // High enough that the title bar covers no section.
    const { page } = await someone({ viewport: { ...viewport, height: 3600 }, colorScheme: scheme });
    // A time zone's field shows its time.
    await page.clock.setFixedTime('2026-11-24T14:30:00Z');
    await page.goto('/dev/design');
    await expect(page.getByRole('heading', { name: 'Design', level: 1 })).toBeVisible();
    await page.evaluate(() => document.fonts.ready);
    for (const name of sections) {
      const section = page.getByRole('region', { name, exact: true });
      await expect(section).toHaveScreenshot(`${nameOf(name)}-${scheme}.png`);
    }
    await expectAccessible(page);
    for (const [button, heading, role] of [
      ['Open a question', 'Invite Zoe O’Brien?', 'alertdialog'],
      ['Open a dangerous question', 'Invite Zoe O’Brien?', 'alertdialog'],
      ['Open a dialog', 'Send invitation', 'dialog'],
      ['Open a sheet', 'Zoe O’Brien is waiting', 'dialog'],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click();
      const dialog = page.getByRole(role, { name: heading });
      await expect(dialog).toHaveScreenshot(`${nameOf(button)}-${scheme}.png`);
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
    }
    await page.getByRole('button', { name: 'Show success' }).click();
    await expect(page.locator('.MuiSnackbar-root').getByRole('status')).toHaveText(/notified/);
  });
}
