import { desktop, expect, expectAccessibleEverywhere, expectToast, signIn, test } from './support/story.ts';

test('promo codes: are added, sorted, edited, deleted, and the installation has its own @PROMO-1 @PROMO-2 @STATE-30 @VALID-31', async ({
  someone,
  allow,
}) => {
  // Refused and missing codes.
  allow(/422|404/);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/home');
  await page.getByRole('link', { name: 'Promo Codes' }).click();
  const main = page.getByRole('main');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const code = page.getByRole('textbox', { name: 'Promo Code' });
  const rate = page.getByRole('textbox', { name: '% Discount Rate' });
  const uses = page.getByRole('textbox', { name: 'Limit of uses' });
  const date = page.getByRole('group', { name: 'Expiration date' });
  await expect(page.getByRole('heading', { name: 'Promo Codes' })).toBeVisible();
  await expect(main.getByText('No promo codes found.')).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);

  // A new code: what is wrong is said at its field, and nothing is lost.
  await main.getByRole('link', { name: 'New promo code' }).last().click();
  await expect(page).toHaveURL(/#\/admin\/promo\/edit\/0$/);
  await expect(page.getByRole('heading', { name: 'New Promo Code' })).toBeVisible();
  await save.click();
  await expect(code).toHaveAccessibleDescription(/Required/);
  await expect(rate).toHaveAccessibleDescription(/Required/);
  await rate.fill('101');
  await code.fill("O'Hara");
  await expect(rate).toHaveAccessibleDescription(/Not valid/);
  await rate.fill('0');
  await save.click();
  await expect(rate).toHaveAccessibleDescription(/Not valid/);
  await code.fill('x'.repeat(60));
  await expect(code).toHaveValue('x'.repeat(50));
  await code.fill("O'Hara");
  await rate.fill('15');
  await uses.fill('0');
  await save.click();
  await expect(uses).toHaveAccessibleDescription(/Not valid/);
  await uses.fill('3');
  await date.click();
  await page.keyboard.type('05312031');
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await save.click();
  await expectToast(page, 'The record has been saved.');
  await expect(page).toHaveURL(/#\/admin\/promo$/);
  await expect(page.getByRole('columnheader')).toHaveText([
    'Code',
    'Discount %',
    'Expiration Date',
    'Disabled',
    'Actions',
  ]);
  const row = page.getByRole('row').filter({ hasText: "O'Hara" });
  await expect(row.getByRole('cell').nth(1)).toHaveText('15%');
  await expect(row.getByRole('cell').nth(2)).toHaveText('05/31/2031');
  await expect(row.getByRole('cell').nth(3)).toHaveText('No');

  // The same code again is refused.
  await page.getByRole('link', { name: 'New promo code' }).click();
  await code.fill("O'HARA");
  await rate.fill('20');
  await save.click();
  await expect(code).toHaveAccessibleDescription(/There is already a promo code with this name\./);
  await code.fill('Autumn');
  await page.getByRole('switch', { name: 'Disabled' }).check();
  await save.click();
  await expectToast(page, 'The record has been saved.');
  const codes = page.getByRole('row').getByRole('link');
  await expect(codes).toHaveText(['Autumn', "O'Hara"]);
  const sort = (header: string) => page.getByRole('columnheader', { name: header }).getByRole('button').click();
  for (const header of ['Discount %', 'Expiration Date', 'Disabled', 'Code']) {
    await sort(header);
    await expect(codes).toHaveText(header === 'Code' ? ['Autumn', "O'Hara"] : ["O'Hara", 'Autumn']);
    await sort(header);
    await expect(codes).toHaveText(header === 'Code' ? ["O'Hara", 'Autumn'] : ['Autumn', "O'Hara"]);
  }
  await expect(page.getByText('1 – 2 of 2')).toBeVisible();
  await page.getByRole('searchbox').fill('hara');
  await expect(codes).toHaveText(["O'Hara"]);
  await page.getByRole('button', { name: 'Clear search' }).first().click();
  await expect(codes).toHaveCount(2);

  // Editing.
  await page.getByRole('link', { name: "O'Hara" }).click();
  await expect(page.getByRole('heading', { name: "O'Hara" })).toBeVisible();
  await expect(uses).toHaveValue('3');
  await page.getByRole('switch', { name: 'Disabled' }).check();
  await save.click();
  await expectToast(page, 'Promo code has been successfully updated.');
  await expect(row.getByRole('cell').nth(3)).toHaveText('Yes');
  await row.getByRole('link').click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/#\/admin\/promo$/);

  await page.getByRole('button', { name: "Delete O'Hara" }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Would you like to delete this record?');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, 'The promo code was deleted.');
  await expect(row).toHaveCount(0);

  // A code that does not exist returns to the previous page.
  await page.goto('/#/admin/home');
  await expect(page.getByRole('link', { name: 'Promo Codes' })).toBeVisible();
  await page.goto('/#/admin/promo/edit/123456789');
  await expectToast(page, 'This promo code no longer exists.');
  await expect(page).toHaveURL(/#\/admin\/home$/);

  // A Super manages the installation's codes.
  const { page: owner } = await someone();
  await signIn(owner, 'super@demo.test');
  await owner.getByRole('link', { name: 'Promo Codes' }).click();
  await expect(owner.getByText('No promo codes found.')).toBeVisible();
  await expect(owner.getByText('A promo code lowers what a company pays for its license.')).toBeVisible();
  await owner.getByRole('main').getByRole('link', { name: 'New promo code' }).last().click();
  await owner.getByRole('textbox', { name: 'Promo Code' }).fill('Partners');
  await owner.getByRole('textbox', { name: '% Discount Rate' }).fill('100');
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(owner, 'The record has been saved.');
  await expect(owner.getByRole('row').filter({ hasText: 'Partners' }).getByRole('cell').nth(1)).toHaveText('100%');
  // No clinic sees it.
  await page.goto('/#/admin/promo');
  await expect(page.getByRole('row').getByRole('link')).toHaveText(['Autumn']);
});
