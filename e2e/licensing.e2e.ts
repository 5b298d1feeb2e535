import type { FrameLocator, Page, Request } from '@playwright/test';
import { cardNumbers, fillCard, licenseCard } from './support/cards.ts';
import { type Clinic, createClinic } from './support/company.ts';
import { limitDuring } from './support/machine.ts';
import { withSeparateDemo } from './support/separate-demo.ts';
import { type Demo, startDemo } from './support/server.ts';
import {
  desktop,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  expectBriefly,
  expectToast,
  phone,
  signIn,
  test as story,
  typeInPage,
} from './support/story.ts';

/** A server whose licenses cost something. Each story has its own clinic. */
const test = withSeparateDemo(() => startDemo({ LICENSE_PRICE: '120.50', LICENSE_PROCESSOR: 'sandbox' }));

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const inWords = (date: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
const aYearAfter = (date: string) => `${Number(date.slice(0, 4)) + 1}${date.slice(4)}`.replace('-02-29', '-02-28');

/** A clinic with this license and without cards, and its administrator. */
async function buildClinic(demo: Demo, expirationDate: string): Promise<Clinic & { admin: string }> {
  const clinic = await createClinic(demo, ['A', 'D', 'U', 'D'], { expirationDate, providerCount: 3 });
  return { ...clinic, admin: clinic.emails[0] ?? '' };
}

interface License {
  expirationDate: string;
  providerCount: number;
  autoRenew: boolean;
}
const licenseOf = async ({ root, companyId }: Clinic) => root<License>('GET', `/api/licenses/${companyId}`);

const frameOf = (page: Page, position: 'Primary' | 'Backup'): FrameLocator =>
  licenseCard(page, position).frameLocator('iframe[title="Card details"]');
const bank = (page: Page): FrameLocator =>
  page.getByRole('dialog', { name: 'Your bank’s question' }).frameLocator('iframe');

const thanks = 'Thank you for your payment!';
const providers = (page: Page) => page.getByRole('textbox', { name: 'Providers' });
const promo = (page: Page) => page.getByRole('textbox', { name: 'Promo code' });
const total = (page: Page) => page.locator('.license-total dd');
const buy = (page: Page, name = 'Purchase') => page.getByRole('button', { name: new RegExp(`^${name}`) });
const inWaitingRoom = (page: Page) => expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();

async function openLicensing(page: Page): Promise<void> {
  await page.goto('/#/admin/payment');
  await expect(page.getByRole('heading', { name: 'Licensing' })).toBeVisible();
  await expect(total(page)).toBeVisible();
}

/** What the page showed between the payment and the waiting room, which is in another document, and when, ms. */
interface Thanks {
  isDated: boolean;
  isThanked: boolean;
  paidAt: number;
  leftAt: number;
}

const noteThanks = (page: Page, date: string) =>
  page.evaluate((expected) => {
    const shows = (selector: string, text: string) =>
      document.querySelector(selector)?.textContent.includes(text) === true;
    const noted: Thanks = { isDated: false, isThanked: false, paidAt: Number.NaN, leftAt: Number.NaN };
    new MutationObserver(() => {
      noted.isDated ||= shows('.license-facts', expected);
      noted.isThanked ||= shows('body', 'Thank you for your payment!');
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    addEventListener('pagehide', () => {
      const calls = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      noted.paidAt = calls.find(({ name }) => name.endsWith('/api/licenses/pay'))?.responseEnd ?? Number.NaN;
      noted.leftAt = performance.now();
      sessionStorage.setItem('thanks', JSON.stringify(noted));
    });
  }, date);
const readThanks = (page: Page) => page.evaluate(() => JSON.parse(sessionStorage.getItem('thanks') ?? '{}') as Thanks);

test('licenses: are counted, discounted while typing, and bought by card; the invoice can be printed @ACCOUNT-4 @CONST-12', async ({
  someone,
  demo,
  allow,
}, info) => {
  // Codes that do not exist.
  allow(/422/);
  const ends = day(40);
  const clinic = await buildClinic(demo, ends);
  await clinic.root('POST', '/api/promos', {
    patientPromoId: 0,
    version: 0,
    code: `O'HARA ${clinic.companyId}`,
    discountRate: 33,
    expirationDate: null,
    maxUses: null,
    disabled: false,
  });
  const { page } = await someone();
  await signIn(page, clinic.admin);
  await inWaitingRoom(page);
  await page.goto('/#/admin/company/edit');
  await page.getByRole('link', { name: 'Manage Licenses' }).click();
  await expect(page).toHaveURL(/\/pay#\/admin\/payment$/);
  const main = page.getByRole('main');
  await expect(page.getByRole('heading', { name: 'Licensing' })).toBeVisible();
  await expect(main.getByText('Active', { exact: true })).toBeVisible();
  await expect(main.getByText(inWords(ends))).toBeVisible();
  await expect(frameOf(page, 'Primary').getByLabel('Card number')).toBeVisible();
  await expect(licenseCard(page, 'Backup')).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.screenshot({ path: info.outputPath('dark-1280.png'), fullPage: true });
  await page.emulateMedia({ colorScheme: 'light' });
  for (const width of [390, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    // The browser lays the page out after the change of its size.
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.screenshot({ path: info.outputPath(`light-${width}.png`), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await frameOf(page, 'Primary').getByLabel('Security code').scrollIntoViewIfNeeded();
  await page.screenshot({ path: info.outputPath('dark-card.png') });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(desktop);

  // VALID-27: digits, one to four of them.
  for (const wrong of ['', '0', 'two', '1.5']) {
    await providers(page).fill(wrong);
    await expect(providers(page)).toHaveAccessibleDescription('Not valid');
  }
  await providers(page).fill('12345');
  await expect(providers(page)).toHaveValue('1234');
  await providers(page).fill('1');
  await expect(providers(page)).toHaveAccessibleDescription(/More providers than this are enabled/);
  await providers(page).fill('4');
  await expect(total(page)).toHaveText('$482.00');

  // The total follows the promo code half a second after the last key.
  const asked: Request[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/calculate')) asked.push(request);
  });
  // Both times by the browser's clock, since this process may be late.
  await promo(page).evaluate((field) =>
    field.addEventListener('input', ({ timeStamp }) => {
      field.dataset['inputAt'] = String(performance.timeOrigin + timeStamp);
    }),
  );
  await typeInPage(promo(page), 'nothing', 40);
  await expect(promo(page)).toHaveAccessibleDescription('This promo code isn’t valid.');
  expect(asked).toHaveLength(1);
  const inputAt = Number(await promo(page).getAttribute('data-input-at'));
  expect((asked[0]?.timing().startTime ?? 0) - inputAt).toBeGreaterThan(490);
  await promo(page).fill(`o'hara ${clinic.companyId}`);
  await expect(total(page)).toHaveText('$322.94');
  await expect(main.getByText('−$159.06')).toBeVisible();
  await expect(main.getByText(`Your license will be valid until ${inWords(aYearAfter(ends))}.`)).toBeVisible();

  // A form with a gap says so, and charges nothing.
  await buy(page).click();
  await expect(page.getByText('Please fill out all required fields.')).toBeVisible();
  await expect(frameOf(page, 'Primary').getByLabel('Card number')).toHaveAccessibleDescription(
    'Enter your card number.',
  );
  await expect(buy(page)).toBeEnabled();
  expect(await licenseOf(clinic)).toMatchObject({ expirationDate: ends });

  await fillCard(frameOf(page, 'Primary'), cardNumbers.good);
  await expect(buy(page)).toHaveText('Purchase · $322.94');
  await expectBriefly(page, thanks, () => buy(page).click());
  await inWaitingRoom(page);
  await expect(page).not.toHaveURL(/\/pay/);
  expect(await licenseOf(clinic)).toMatchObject({ expirationDate: aYearAfter(ends), providerCount: 4 });

  await openLicensing(page);
  await expect(main.getByText(inWords(aYearAfter(ends)))).toBeVisible();
  const invoices = page.getByRole('region', { name: 'Invoices' });
  await expect(invoices.getByRole('listitem').first()).toContainText('$322.94');
  await invoices.getByRole('link').first().click();
  await expect(page.getByRole('heading', { name: /^Invoice \d+$/ })).toBeVisible();
  await expect(page.getByText(clinic.name)).toBeVisible();
  await expect(page.getByText(`Promo code O'HARA ${clinic.companyId} (33%)`)).toBeVisible();
  await expect(page.getByText('Paid with Visa ending in 4242.')).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(phone);
  await page.screenshot({ path: info.outputPath('invoice-390.png'), fullPage: true });
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  await page.pdf({ path: info.outputPath('invoice.pdf'), format: 'Letter' });
  await page.setViewportSize(desktop);
  await page.screenshot({ path: info.outputPath('invoice-print.png'), fullPage: true });
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
});

test('cards: are saved apart from a purchase, replaced, and deleted while there are two; the backup is charged for a declined one @VALID-27', async ({
  someone,
  demo,
  allow,
}, info) => {
  allow(/402/);
  const ends = day(50);
  const clinic = await buildClinic(demo, ends);
  const { page } = await someone();
  await signIn(page, clinic.admin);
  await openLicensing(page);
  const save = page.getByRole('button', { name: 'Save Payment Info' });
  const renewal = page.getByRole('switch', { name: 'Renew automatically' });
  await expect(renewal).toBeDisabled();

  // Digits, one to four of them.
  for (const wrong of ['', '0', '1a']) {
    await providers(page).fill(wrong);
    await expect(providers(page)).toHaveAccessibleDescription('Not valid');
  }
  await providers(page).fill('12345');
  await expect(providers(page)).toHaveValue('1234');
  await providers(page).fill('3');

  // All fields of a card are required: a number of 15 to 16 digits, an expiry, a code of 3 to 4.
  const frame = frameOf(page, 'Primary');
  const fields = ['Card number', 'Expiration date', 'Security code'];
  for (const [typed, code] of [
    ['', ''],
    ['42424242424242', '12'],
  ] as const) {
    await frame.getByLabel('Card number').fill(typed);
    await frame.getByLabel('Security code').fill(code);
    await save.click();
    await expect(page.getByText('Please fill out all required fields.')).toBeVisible();
    for (const name of fields) await expect(frame.getByLabel(name)).toHaveAttribute('aria-invalid', 'true');
  }
  await fillCard(frameOf(page, 'Primary'), cardNumbers.declined);
  await save.click();
  await expectToast(page, 'The payment information has been saved.');
  await expect(licenseCard(page, 'Primary').getByText('XXXXXXXXXXXX0002')).toBeVisible();
  await expect(licenseCard(page, 'Primary').getByText('Expires 12/2030')).toBeVisible();
  // The only card cannot be deleted.
  await expect(page.getByRole('button', { name: 'Delete the primary card' })).toHaveCount(0);
  expect(await licenseOf(clinic)).toMatchObject({ expirationDate: ends });

  await renewal.click();
  await expect(renewal).toBeChecked();
  await expect.poll(async () => (await licenseOf(clinic)).autoRenew).toBe(true);
  await renewal.click();
  await expect(renewal).not.toBeChecked();
  await expect.poll(async () => (await licenseOf(clinic)).autoRenew).toBe(false);

  // Declined, and no backup: nothing is bought, and the button can be pressed again.
  await buy(page).click();
  await expect(page.getByText('Your card was declined. Please use another card, or call your bank.')).toBeVisible();
  await expect(buy(page)).toBeEnabled();
  await page.getByRole('button', { name: 'Add a backup card' }).click();
  await fillCard(frameOf(page, 'Backup'), cardNumbers.other);
  await save.click();
  await expectToast(page, 'The payment information has been saved.');
  await expect(licenseCard(page, 'Backup').getByText('XXXXXXXXXXXX4444')).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(phone);
  await page.screenshot({ path: info.outputPath('cards-390.png'), fullPage: true });
  await page.setViewportSize(desktop);
  await page.screenshot({ path: info.outputPath('cards-1280.png'), fullPage: true });
  const withBackup = `${thanks} Your primary card was declined, so we charged the backup card.`;
  await expectBriefly(page, withBackup, () => buy(page).click());
  await inWaitingRoom(page);
  expect(await licenseOf(clinic)).toMatchObject({ expirationDate: aYearAfter(ends) });

  await openLicensing(page);
  await page.getByRole('button', { name: 'Replace the primary card' }).click();
  await page.getByRole('button', { name: 'Keep the saved card' }).click();
  await page.getByRole('button', { name: 'Replace the primary card' }).click();
  await fillCard(frameOf(page, 'Primary'), cardNumbers.good);
  await save.click();
  await expect(licenseCard(page, 'Primary').getByText('XXXXXXXXXXXX4242')).toBeVisible();
  await page.getByRole('button', { name: 'Delete the primary card' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Would you like to delete this card?');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(licenseCard(page, 'Primary').getByText('XXXXXXXXXXXX4242')).toBeVisible();
  await page.getByRole('button', { name: 'Delete the primary card' }).click();
  await page.keyboard.press('Enter');
  // The backup takes its place.
  await expect(licenseCard(page, 'Primary').getByText('XXXXXXXXXXXX4444')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Delete the/ })).toHaveCount(0);
});

test('company settings and cards: accept values within their bounds only; a new company has the defaults @CONST-10', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/422/);
  const { admin } = await buildClinic(demo, day(50));
  const { page } = await someone({ viewport: desktop });
  await signIn(page, 'super@demo.test');
  await page.goto('/#/admin/company/edit/0');
  const chosen = (name: string) => page.getByRole('combobox', { name });
  for (const [name, value] of [
    ['Day begins at', '8:00 AM'],
    ['Day ends at', '5:00 PM'],
    ['Start times every', '15 minutes'],
  ] as const)
    await expect(chosen(name)).toHaveText(value);
  for (const [name, options] of [
    [
      'Day begins at',
      [
        '6:00 AM',
        ...[7, 8, 9, 10, 11].map((hour) => `${hour}:00 AM`),
        '12:00 PM',
        ...[1, 2, 3, 4, 5, 6].map((hour) => `${hour}:00 PM`),
      ],
    ],
    ['Visit length', ['10 minutes', '15 minutes', '20 minutes', '30 minutes', '60 minutes']],
  ] as const) {
    await chosen(name).click();
    await expect(page.getByRole('option')).toHaveText(options);
    await page.keyboard.press('Escape');
  }
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await page.getByLabel('Company name').fill('Bounds Clinic');
  const bounds = [
    ['Remind before', ['1', '91'], ['2', '90']],
    ['Visit limit', ['601'], ['0', '600']],
    ['Alert staff after', ['601'], ['0', '600']],
    ['Self pay fee', ['10000.01'], ['0', '10000']],
  ] as const;
  for (const [name, wrong, right] of bounds) {
    const field = page.getByRole('textbox', { name: new RegExp(`^${name}`) });
    for (const value of wrong) {
      await field.fill(value);
      await save.click();
      await expect(field).toHaveAccessibleDescription(/Invalid/);
    }
    for (const value of right) {
      await field.fill(value);
      await expect(field).not.toHaveAccessibleDescription(/Invalid/);
    }
  }
  await save.click();
  await expect(page.getByRole('heading', { name: 'Bounds Clinic' })).toBeVisible();

  // Cards: 15 or 16 digits, a code of 3 or 4.
  const { page: own } = await someone();
  await signIn(own, admin);
  await openLicensing(own);
  const frame = frameOf(own, 'Primary');
  const [digits, code] = [frame.getByLabel('Card number'), frame.getByLabel('Security code')];
  await frame.getByLabel('Expiration date').fill('1230');
  const pay = own.getByRole('button', { name: 'Save Payment Info' });
  for (const [typedDigits, typedCode] of [
    ['37828224631000', '1234'],
    ['378282246310005', '12'],
  ] as const) {
    await digits.fill(typedDigits);
    await code.fill(typedCode);
    await pay.click();
    await expect(own.getByText('Please fill out all required fields.')).toBeVisible();
  }
  await digits.fill('42424242424242424242');
  await expect(digits).toHaveValue(/^(\d{4} ){3}\d{4}$/);
  await digits.fill('378282246310005');
  await code.fill('12345');
  await expect(code).toHaveValue('1234');
  await pay.click();
  await expectToast(own, 'The payment information has been saved.');
});

test('bank that asks: the purchase waits for it, also after a reload; refused nothing is charged', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/402/);
  const ends = day(60);
  const clinic = await buildClinic(demo, ends);
  const { page } = await someone();
  await signIn(page, clinic.admin);
  await openLicensing(page);
  const pay = async () => {
    const replace = page.getByRole('button', { name: 'Replace the primary card' });
    await expect(replace.or(frameOf(page, 'Primary').owner())).toBeVisible();
    if (await replace.isVisible()) await replace.click();
    await fillCard(frameOf(page, 'Primary'), cardNumbers.confirm);
    await buy(page).click();
  };
  await pay();
  await bank(page).getByRole('button', { name: 'Refuse' }).click();
  await expect(page.getByText('Your bank couldn’t confirm that it’s you.')).toBeVisible();
  expect(await licenseOf(clinic)).toMatchObject({ expirationDate: ends });
  await pay();
  await expect(bank(page).getByRole('button', { name: 'Approve' })).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Confirm with my bank' }).click();
  await expectBriefly(page, thanks, () => bank(page).getByRole('button', { name: 'Approve' }).click());
  await inWaitingRoom(page);
  expect(await licenseOf(clinic)).toMatchObject({ expirationDate: aYearAfter(ends) });
});

test('lost answer: the page waits until the server knows, and pays once', async ({ someone, demo }) => {
  const ends = day(70);
  const clinic = await buildClinic(demo, ends);
  const { page } = await someone();
  await signIn(page, clinic.admin);
  await openLicensing(page);
  await fillCard(frameOf(page, 'Primary'), cardNumbers.silent);
  const { promise: seen, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/settle', async (route) => {
    await seen;
    await route.continue().catch(() => undefined);
  });
  await expectBriefly(page, thanks, async () => {
    await buy(page).click();
    await expect(page.getByText('We’re checking with the card company')).toBeVisible();
    release();
  });
  await inWaitingRoom(page);
  expect(await licenseOf(clinic)).toMatchObject({ expirationDate: aYearAfter(ends) });
});

test('expired license: administrators renew it and the clinic works again; others see what happened @STATE-24 @CONST-12', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/403/);
  // It ends today, in the clinic's zone.
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(new Date());
  const clinic = await buildClinic(demo, today);
  const [{ page }, { page: front }] = [await someone(), await someone()];
  await signIn(front, clinic.emails[2] ?? '');
  await expect(front.getByRole('heading', { name: 'License expired' })).toBeVisible();
  await expect(front.getByRole('link', { name: 'Renew the license' })).toHaveCount(0);
  await signIn(page, clinic.admin);
  await expect(page.getByRole('heading', { name: 'License expired' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Renew the license' }).click();
  await expect(page.getByText('Expired', { exact: true })).toBeVisible();
  await expect(buy(page, 'Renew ·')).toBeVisible();
  await expect(buy(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Save Payment Info' })).toBeVisible();
  await fillCard(frameOf(page, 'Primary'), cardNumbers.good);
  await noteThanks(page, inWords(aYearAfter(today)));
  const renew = async () => {
    await buy(page, 'Renew ·').click();
    await inWaitingRoom(page);
  };
  // Measured at the other page: this one becomes another document.
  const { limit } = await limitDuring(front, 5_000, renew());
  // The page thanked, showed the new date, and was left a second after the response.
  const { isDated, isThanked, paidAt, leftAt } = await readThanks(page);
  expect({ isDated, isThanked }).toEqual({ isDated: true, isThanked: true });
  expect(leftAt - paidAt).toBeGreaterThanOrEqual(1_000);
  expect(leftAt - paidAt).toBeLessThan(limit);
  expect(await licenseOf(clinic)).toMatchObject({ expirationDate: aYearAfter(today) });
  await page.getByRole('link', { name: 'Patients' }).click();
  await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();
  await front.reload();
  await inWaitingRoom(front);
});

test('people without the right see why; a Super opens any company', async ({ someone, demo, allow }) => {
  allow(/403/);
  const { companyId, name, emails } = await buildClinic(demo, day(80));
  const [{ page: doctor }, { page: root }, { page: visitor }] = [await someone(), await someone(), await someone()];
  await signIn(doctor, emails[1] ?? '');
  await doctor.goto('/#/admin/payment');
  await expect(doctor.getByText('You don’t have permission to do this.')).toBeVisible();
  await visitor.goto('/#/admin/payment');
  await expect(visitor.getByText('You’re signed out. Sign in to see this page.')).toBeVisible();
  await signIn(root, 'super@demo.test');
  await root.goto('/#/admin/payment');
  await expect(root.getByText('Choose a company')).toBeVisible();
  await root.goto(`/#/admin/payment/${companyId}`);
  await expect(root.getByRole('heading', { name: `Licensing of ${name}` })).toBeVisible();
  await expect(total(root)).toBeVisible();
});

story('free license: is bought without a card', async ({ someone, demo }) => {
  const { admin } = await buildClinic(demo, day(80));
  const { page } = await someone();
  await signIn(page, admin);
  await inWaitingRoom(page);
  await openLicensing(page);
  await expect(page.getByText('Free', { exact: true })).toBeVisible();
  await expect(page.getByText('Payment cards')).toHaveCount(0);
  await expect(page.getByRole('switch', { name: 'Renew automatically' })).toBeEnabled();
  await expectAccessible(page);
  await expect(buy(page)).toHaveText('Purchase · $0.00');
  await expectBriefly(page, thanks, () => buy(page).click());
  await inWaitingRoom(page);
  await openLicensing(page);
  await expect(page.getByRole('region', { name: 'Invoices' }).getByRole('listitem')).toHaveCount(1);
});
