import type { FrameLocator, Page } from '@playwright/test';
import { type Api, apiAs, type BookedVisit, bookAppointment, dayAhead } from './support/api.ts';
import { cardFrame, cardNumbers, fillCard } from './support/cards.ts';
import { firefoxProgram, openFirefox } from './support/firefox.ts';
import { startDemoWithCards } from './support/processes.ts';
import { withSeparateDemo } from './support/separate-demo.ts';
import {
  desktop,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  expectBriefly,
  expectToast,
  phone,
  signIn,
} from './support/story.ts';

/** A server whose company takes cards; in the other demos no patient is sent to a payment. */
const test = withSeparateDemo(startDemoWithCards);

const thanks = (page: Page) => page.getByRole('heading', { name: 'Thank you for your payment!' });
const payButton = (page: Page, amount = '$50.00') => page.getByRole('button', { name: `Pay ${amount}` });
const bank = (page: Page): FrameLocator =>
  page.getByRole('dialog', { name: 'Your bank’s question' }).frameLocator('iframe');

const question = (page: Page) =>
  bank(page).getByRole('heading', { name: 'Sandbox bank: do you approve this payment?' });

/** Pays with a card whose bank asks, until its question is shown. */
async function payUntilAsked(page: Page): Promise<void> {
  await fillCard(cardFrame(page), cardNumbers.confirm);
  await payButton(page).click();
  await expect(question(page)).toBeVisible();
}

/** An appointment now, of which 50 dollars are owed. */
const bookOwed = (api: Api, more: object = {}): Promise<BookedVisit> =>
  bookAppointment(api, { doctor: 'Reyes', patient: 'Tanaka', fee: '50.00', ...more });

/** Opens the patient's link, which leads to the payment. */
async function openPayment(page: Page, visit: BookedVisit): Promise<void> {
  await page.goto(`/#/link/${visit.accessCode}`);
  await expect(page.getByRole('heading', { name: 'Pay for your visit' })).toBeVisible();
  await expect(cardFrame(page).getByLabel('Card number')).toBeVisible();
}

/** Pays, and reads the thanks: they are shown for a second, so the document of the visit waits until they were read. */
async function readThanks(page: Page, pay: () => Promise<void>, then?: () => Promise<void>): Promise<void> {
  const isVisit = ({ pathname }: URL) => pathname === '/';
  const { promise: read, resolve: release } = Promise.withResolvers<void>();
  await page.route(isVisit, async (route) => {
    await read;
    // Another navigation may have replaced it.
    await route.continue().catch(() => undefined);
  });
  await pay();
  await expect(thanks(page)).toBeVisible();
  await then?.();
  // The route stays: to remove it while a replaced navigation is held can wait without end.
  release();
}

const inRoom = (uid: string) => new RegExp(`/#/appointment/${uid}/pt$`);

test('approved card: the patient is led from the link over the payment into the visit @ROOM-7 @PAY-1', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookOwed(api);
  const { page } = await someone({ viewport: phone });
  await page.goto('/#/link');
  await openPayment(page, visit);
  await expect(page).toHaveURL(new RegExp(`/pay#/patient-payment/${visit.appointmentUid}$`));
  await expect(page.locator('.pay-amounts')).toContainText('Total due$50.00');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(phone);
  // A reload keeps the sign-in.
  await page.reload();
  await fillCard(cardFrame(page), cardNumbers.good);
  await readThanks(page, () => payButton(page).click());
  await expect(page).toHaveURL(inRoom(visit.appointmentUid));
  await expect(page).not.toHaveURL(/\/pay/);
  const stored = await api<{ collected: string }>('GET', `/api/appointments/${visit.appointmentId}`);
  expect(stored.collected).toBe('50.00');
  // The way back does not lead to the payment again, and a payment without a balance leads to the visit.
  await page.goBack();
  await expect(page).toHaveURL(/\/#\/appointment\/\w+\/pt$/);
  await page.goto(`/#/patient-payment/${visit.appointmentUid}`);
  await expect(page).toHaveURL(inRoom(visit.appointmentUid));
});

test('refused cards: each says why under the card, keeps what was typed, and the next card pays', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/402/);
  const visit = await bookOwed(await apiAs(demo, 'admin@demo.test'));
  const { page } = await someone({ viewport: phone });
  await openPayment(page, visit);
  const field = page.getByRole('group', { name: 'Your card' });
  for (const [name, words] of [
    ['declined', 'Your card was declined. Please use another card, or call your bank.'],
    ['insufficient', 'There isn’t enough money available on this card. Please use another card.'],
    ['expired', 'This card has expired. Please use another card.'],
    ['code', 'The security code doesn’t match. Please check it and try again.'],
    ['error', 'The card couldn’t be charged.'],
  ] as const) {
    await fillCard(cardFrame(page), cardNumbers[name]);
    await payButton(page).click();
    await expect(field.getByRole('alert')).toContainText(words);
    await expect(cardFrame(page).getByLabel('Security code')).toHaveValue('123');
  }
  await expectAccessible(page);
  await fillCard(cardFrame(page), cardNumbers.good);
  await readThanks(page, () => payButton(page).click());
});

test('field for cards: says what is wrong, by keyboard too; makes a token, and its number never leaves the frame @CALL-28', async ({
  someone,
  demo,
}) => {
  const visit = await bookOwed(await apiAs(demo, 'admin@demo.test'));
  const { page } = await someone({ viewport: phone });
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  await openPayment(page, visit);
  const frame = cardFrame(page);
  await payButton(page).click();
  await expect(frame.getByLabel('Card number')).toBeFocused();
  await expect(frame.getByLabel('Card number')).toHaveAccessibleDescription('Enter your card number.');
  await page.keyboard.type('4111111111111112');
  await page.keyboard.press('Tab');
  await expect(frame.getByLabel('Card number')).toHaveValue('4111 1111 1111 1112');
  await expect(frame.getByText('This card number isn’t right. Please check it.')).toBeVisible();
  await page.keyboard.type('0120');
  await page.keyboard.press('Tab');
  await expect(frame.getByText('This card has expired.')).toBeVisible();
  await page.keyboard.type('12');
  await page.keyboard.press('Tab');
  await expect(frame.getByText('Enter the 3 digits on the back.')).toBeVisible();
  // A real card.
  await fillCard(cardFrame(page), '4111111111111111');
  await payButton(page).click();
  await expect(frame.getByText('This is a test account. Only test card numbers work here.')).toBeVisible();
  await expect(frame.getByText('4242 4242 4242 4242')).toBeVisible();
  expect(sent.some((text) => text.includes(`/api/teleappointments/${visit.appointmentUid}`))).toBe(true);
  // Isolated: no origin, no storage, no page around it.
  const inner = page.frames().find((one) => one.url().endsWith('/card-field.html'));
  expect(await inner?.evaluate(() => self.origin)).toBe('null');
  expect(
    await inner?.evaluate(() => {
      try {
        return String(parent.document.title);
      } catch (error) {
        return (error as Error).name;
      }
    }),
  ).toBe('SecurityError');
  // Enter pays.
  await frame.getByLabel('Card number').fill(cardNumbers.good);
  await readThanks(page, () => frame.getByLabel('Security code').press('Enter'));
  expect(sent.filter((text) => /4242 ?4242 ?4242|4111/.test(text))).toEqual([]);
  expect(sent.filter((text) => /sbx_paid_visa_4242_122030_[0-9a-f]{16}/.test(text))).toHaveLength(1);
});

test('bank that asks: approved is paid, refused is not; a reload in the middle asks again', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/402/);
  const visit = await bookOwed(await apiAs(demo, 'admin@demo.test'));
  const { page } = await someone({ viewport: phone });
  await openPayment(page, visit);
  await payUntilAsked(page);
  await bank(page).getByRole('button', { name: 'Refuse' }).click();
  await expect(page.getByRole('alert')).toContainText('Your bank couldn’t confirm that it’s you.');
  await expect(payButton(page)).toBeVisible();

  await payUntilAsked(page);
  await page.reload();
  await expect(question(page)).toBeVisible();
  // Closed without an answer: nothing is lost, and it can be asked again.
  const again = page.getByRole('button', { name: 'Confirm with my bank' });
  await page.keyboard.press('Escape');
  await expect(again).toBeEnabled();
  await expectAccessible(page);
  await again.click();
  await page.getByRole('button', { name: 'Close' }).click();
  await again.click();
  await readThanks(page, () => bank(page).getByRole('button', { name: 'Approve' }).click());
});

test('question of the bank after a reload: Escape closes it, also while its document loads', async ({
  someone,
  demo,
}) => {
  const visit = await bookOwed(await apiAs(demo, 'admin@demo.test'));
  const { page } = await someone({ viewport: phone });
  await openPayment(page, visit);
  await payUntilAsked(page);
  const again = page.getByRole('button', { name: 'Confirm with my bank' });
  const dialog = page.getByRole('dialog');

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/bank-challenge*.js', async (route) => {
    await released;
    await route.continue().catch(() => undefined);
  });
  await page.reload();
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(again).toBeEnabled();
  await expect(dialog).toHaveCount(0);
  release();

  await page.reload();
  await expect(bank(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
  await expect(question(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(again).toBeEnabled();
  await expect(dialog).toHaveCount(0);
});

test('lost answer: the page asks until it knows, also after a reload, and the card is charged once', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookOwed(api);
  const { page } = await someone({ viewport: phone });
  await openPayment(page, visit);
  // The page does not ask again before it was reloaded.
  const { promise: reloaded, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/settle', async (route) => {
    await reloaded;
    await route.continue().catch(() => undefined);
  });
  await fillCard(cardFrame(page), cardNumbers.silent);
  await payButton(page).click();
  const checking = page.getByText(
    'We’re checking with the card company whether your payment went through. You don’t need to pay again.',
  );
  await expect(checking).toBeVisible();
  // Without a pause: after 20 s in which no page asks, the server asks the card company itself.
  await page.reload();
  await expect(checking).toBeVisible();
  await expectAccessible(page);
  await readThanks(page, async () => release());
  const { lines } = await api<{ lines: unknown[] }>('GET', `/api/receipts/${visit.appointmentUid}`);
  expect(lines).toHaveLength(1);
});

test('promo codes: a part is taken off before the payment; one that covers all needs no card', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/422/);
  const api = await apiAs(demo, 'admin@demo.test');
  for (const [code, discountRate] of [
    ['HALF', 50],
    ['ALL', 100],
  ] as const) {
    const body = { patientPromoId: 0, version: 0, code, discountRate, expirationDate: null, maxUses: null };
    await api('POST', '/api/promos', { ...body, disabled: false });
  }
  const visit = await bookOwed(api);
  const { page } = await someone({ viewport: phone });
  await openPayment(page, visit);
  const field = page.getByLabel('Promo code (optional)');
  await field.fill("no'code");
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(field).toHaveAccessibleDescription('This promo code isn’t valid.');
  await field.fill('half');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.locator('.pay-amounts')).toContainText('Promo code HALF−$25.00Total due$25.00');
  await expectAccessible(page);
  await fillCard(cardFrame(page), cardNumbers.good);
  await readThanks(page, () => payButton(page, '$25.00').click());

  const free = await bookOwed(api, { patient: 'Cohen' });
  const { page: other } = await someone({ viewport: phone });
  await openPayment(other, free);
  const refunds = other.getByText('If you cancel or miss this visit');
  await expect(refunds).toBeVisible();
  await other.getByLabel('Promo code (optional)').fill('ALL');
  await other.keyboard.press('Enter');
  await expect(other.locator('.pay-amounts')).toContainText('Total due$0.00');
  // Nothing is paid, so nothing can be refunded.
  await expect(refunds).toHaveCount(0);
  await readThanks(other, () => other.getByRole('button', { name: 'Confirm with promo code' }).click());
});

test('visit that is cancelled before it is paid: nothing is charged, and the patient reads what to do', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/401/);
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookOwed(api);
  const { page } = await someone({ viewport: phone });
  await openPayment(page, visit);
  await fillCard(cardFrame(page), cardNumbers.good);
  await api('POST', '/api/appointments', { ...visit, cancelled: true });
  await payButton(page).click();
  // While the page loads, it has others.
  const notice = page
    .getByRole('status')
    .filter({ hasText: 'If your visit was moved or cancelled, use the latest message' });
  await expect(notice).toBeVisible();
  await expectAccessible(page);
  await expect(page).toHaveURL(/#\/link$/);
  const { collected } = await api<{ collected: string }>('GET', `/api/appointments/${visit.appointmentId}`);
  expect(collected).toBe('0.00');
});

test('two tabs of a patient: the second one charges nothing and opens the visit', async ({ someone, demo }) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookOwed(api);
  const { page: one, context } = await someone({ viewport: phone });
  await openPayment(one, visit);
  const two = await context.newPage();
  await openPayment(two, visit);
  await fillCard(cardFrame(one), cardNumbers.good);
  await fillCard(cardFrame(two), cardNumbers.good);
  await readThanks(one, () => payButton(one).click());
  await payButton(two).click();
  await expect(two).toHaveURL(inRoom(visit.appointmentUid));
  const { lines } = await api<{ lines: unknown[] }>('GET', `/api/receipts/${visit.appointmentUid}`);
  expect(lines).toHaveLength(1);
});

test('refund: an administrator returns the payment with a reason; the receipt shows both, also on paper', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookOwed(api, { date: dayAhead(40), time: '1000' });
  const { page: patient } = await someone({ viewport: phone });
  await openPayment(patient, visit);
  await fillCard(cardFrame(patient), cardNumbers.good);
  await readThanks(
    patient,
    () => payButton(patient).click(),
    () => patient.getByRole('link', { name: 'View receipt' }).click({ noWaitAfter: true }),
  );
  await expect(patient.getByRole('heading', { name: 'Receipt' })).toBeVisible();
  await expect(patient).toHaveURL(/\/#\/receipt\/\w+$/);
  await expect(patient.getByRole('row', { name: /Paid with Visa ending in 4242/ })).toContainText('$50.00');
  await expectAccessibleEverywhere(patient);
  // The patient comes back to it from the list of visits, which has those of other stories too.
  const { hash } = new URL(patient.url());
  await patient.goto('/#/patient');
  await patient
    .getByRole('link', { name: 'Receipt' })
    .and(patient.locator(`[href="${hash}"]`))
    .click();
  await expect(patient.getByRole('row', { name: /Paid with Visa ending in 4242/ })).toBeVisible();
  const pdf = await patient.pdf({ format: 'A4' });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1);

  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  const payment = page.getByRole('region', { name: 'Payment' });
  await expect(payment.getByLabel('Collected')).toHaveValue('50.00');
  // Typed input of the form stays.
  await page.getByLabel('Welcome message').fill('Please bring your insurance card.');
  await payment.getByRole('button', { name: 'Refund' }).click();
  const dialog = page.getByRole('dialog', { name: 'Would you like to issue a full refund?' });
  await expect(dialog).toContainText('The patient will be notified.');
  await dialog.getByRole('button', { name: 'Issue refund' }).click();
  await expect(dialog.getByLabel('Reason')).toBeFocused();
  await expectAccessible(page);
  await dialog.getByLabel('Reason').fill("Doctor's request");
  await dialog.getByRole('button', { name: 'Issue refund' }).click();
  await expectToast(page, 'The appointment was successfully refunded.');
  await expect(dialog).toBeHidden();
  await expect(payment.getByLabel('Collected')).toHaveValue('0.00');
  await expect(payment.getByRole('button', { name: 'Refund' })).toBeHidden();
  await expect(page.getByLabel('Welcome message')).toHaveValue('Please bring your insurance card.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The appointment has been updated.');
  await payment.getByRole('link', { name: 'Receipt' }).click();
  await expect(page.getByRole('row', { name: /Refunded to Visa ending in 4242/ })).toContainText('$50.00');
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(payment).toBeVisible();
});

test('amount typed while the patient pays or is refunded: the ledger keeps both, and the administrator chooses', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/409/);
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookOwed(api, { date: dayAhead(41), time: '1000' });
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  const collected = page.getByLabel('Collected');
  await expect(collected).toHaveValue('0.00');
  const { page: patient } = await someone({ viewport: phone });
  await openPayment(patient, visit);
  await fillCard(cardFrame(patient), cardNumbers.good);
  await readThanks(patient, () => payButton(patient).click());

  const stored = async () =>
    (await api<{ collected: string }>('GET', `/api/appointments/${visit.appointmentId}`)).collected;
  const notice = page.getByRole('alert').filter({ hasText: 'Someone else has changed this' });
  await collected.fill('20');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'Collected is now $50.00. Please check the amount that you typed.');
  await expect(notice).toContainText('Collected amount is now “$50.00”.');
  await expect(collected).toHaveValue('20');
  expect(await stored()).toBe('50.00');
  await expectAccessible(page);
  await notice.getByRole('button', { name: 'Use the other collected amount' }).click();
  await expect(collected).toHaveValue('50.00');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The appointment has been updated.');
  expect(await stored()).toBe('50.00');

  // The page itself reads the appointment again when it is looked at.
  await collected.fill('10');
  await api('POST', `/api/appointments/${visit.appointmentId}/refund`, { reason: 'Paid twice' });
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(notice).toContainText('Collected amount is now “$0.00”.');
  await expect(collected).toHaveValue('10');
  // What was seen may be saved.
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The appointment has been updated.');
  expect(await stored()).toBe('10.00');
});

test('refund that does not reach the card, and a disputed payment: administrators see both, and what to do', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const pay = async (card: string) => {
    const visit = await bookOwed(api, { patient: 'Petrov' });
    const { page } = await someone({ viewport: phone });
    await openPayment(page, visit);
    await fillCard(cardFrame(page), card);
    await readThanks(page, () => payButton(page).click());
    return { visit, page };
  };
  const { visit, page: patient } = await pay(cardNumbers.comeback);
  await pay(cardNumbers.dispute);
  await api('POST', `/api/appointments/${visit.appointmentId}/refund`, { reason: 'Paid twice' });

  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/ledger');
  const payments = page.getByRole('table', { name: 'Payments' });
  const kinds = ['Card: Visa 5134', 'Refund: Visa 5134', 'Failed refund: Visa 5134'];
  for (const kind of [...kinds, 'Card: Visa 0259, disputed at the bank'])
    await expect(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      await expect(payments.getByRole('cell', { name: kind, exact: true })).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: 20_000 });
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.goto('/#/admin/home');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText('1 refund was not made.');
  await expectAccessible(page);
  await attention
    .getByRole('listitem')
    .filter({ hasText: '1 refund was not made.' })
    .getByRole('link', { name: 'Open the appointment' })
    .click();
  await expect(page).toHaveURL(new RegExp(`#/appointment-edit/${visit.patientId}/${visit.appointmentId}$`));
  const payment = page.getByRole('region', { name: 'Payment' });
  await expect(payment.getByLabel('Collected')).toHaveValue('50.00');
  await expect(payment.getByRole('button', { name: 'Refund' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Failed refund');
  // Returned by hand: the line is gone, and the card does not get it again.
  await payment.getByLabel('Collected').fill('0');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'The appointment has been updated.');
  await expect(payment.getByRole('button', { name: 'Refund' })).toBeHidden();
  await page.goto('/#/admin/home');
  await expect(attention).toBeVisible();
  await expect(attention).not.toContainText('not made');

  await patient.goto(`/#/receipt/${visit.appointmentUid}`);
  for (const line of [/Refund that did not reach Visa ending in 5134/, /Returned by the clinic/])
    await expect(patient.getByRole('row', { name: line })).toContainText('$50.00');
  await expect(patient.getByRole('row', { name: 'Balance due' })).toHaveCount(0);
  await expectAccessibleEverywhere(patient);
});

test('appointment of an administrator: each of its parts is stored, and the page says what was done @APPT-4 @ERROR-7', async ({
  someone,
  demo,
}) => {
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookOwed(api, { patient: 'Martin', date: dayAhead(41), time: '1000' });
  const { page: patient } = await someone({ viewport: phone });
  await openPayment(patient, visit);
  await fillCard(cardFrame(patient), cardNumbers.good);
  await readThanks(patient, () => payButton(patient).click());

  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  const region = (name: string) => page.getByRole('region', { name });
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();

  // Notes, and files: uploaded, shared, downloaded, deleted.
  const notes = region('Notes').getByRole('textbox');
  await expectBriefly(page, 'Saved', () => notes.fill("Didn't sleep well."));
  const files = region('Files');
  const buffer = Buffer.from('Take one a day.');
  await files.getByLabel('Upload files').last().setInputFiles({ name: 'Plan.txt', mimeType: 'text/plain', buffer });
  const share = files.getByRole('button', { name: 'Share Plan.txt with the patient' });
  await share.click();
  await expect(share).toHaveAttribute('aria-pressed', 'true');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    files.getByRole('button', { name: 'Download Plan.txt' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Plan.txt');
  await files.getByRole('button', { name: 'Delete Plan.txt' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(files.getByText('No files yet')).toBeVisible();

  // Welcome message and fee.
  await page.getByLabel('Welcome message').fill('Please bring your insurance card.');
  await region('Payment').getByLabel('Fee').fill('60.00');
  await save();
  await expectToast(page, 'The appointment has been updated.');
  await expect(region('Payment').getByText('$10.00 still to pay')).toBeVisible();

  // An invitation, and what was sent.
  await page.getByRole('button', { name: 'Send an invitation' }).click();
  await page.getByRole('button', { name: 'Invitation Only' }).click();
  await expectToast(page, 'The patient has been notified.');
  await expect(region('Notifications')).toContainText('Invitation by');
  await expect(region('Notifications')).toContainText('Receipt by');

  // Refund and cancellation.
  await region('Payment').getByRole('button', { name: 'Refund' }).click();
  const refund = page.getByRole('dialog', { name: 'Would you like to issue a full refund?' });
  await refund.getByLabel('Reason').fill('Moved away');
  await refund.getByRole('button', { name: 'Issue refund' }).click();
  await expectToast(page, 'The appointment was successfully refunded.');
  await page.getByLabel('Cancellation notes').fill("Patient's wish");
  await page.getByRole('button', { name: 'Cancel appointment' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel appointment' }).click();
  await expectToast(page, 'The appointment has been cancelled.');
  expect(await api<object>('GET', `/api/appointments/${visit.appointmentId}`)).toMatchObject({
    notes: "Didn't sleep well.",
    welcomeMessage: 'Please bring your insurance card.',
    fee: '60.00',
    collected: '0.00',
    refundable: false,
    cancelled: true,
    cancellationNotes: "Patient's wish",
  });

  // Other successes: the own record, and an invitation that also opens the room.
  const { page: doctor } = await someone();
  await signIn(doctor, 'doctor@demo.test');
  await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await doctor.goto('/#/user');
  await doctor.getByLabel('First name').fill('Maya Ann');
  await doctor.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(doctor, 'Your information has been successfully updated.');
  const next = await bookOwed(api, { patient: 'Larsen', date: dayAhead(41), time: '1100' });
  await doctor.goto(`/#/appointment-edit/${next.patientId}/${next.appointmentId}`);
  await doctor.getByRole('button', { name: 'Send an invitation' }).click();
  await doctor.getByRole('button', { name: 'Invite and Connect' }).click();
  await expectToast(doctor, "We've notified the patient. Please wait in the room.");
});

/** A made-up script in place of Stripe's, at the edge of the network. */
const fakeStripe = `window.Stripe = () => ({
  _registerWrapper() {},
  elements: () => ({ create: () => ({ on() {}, update() {}, focus() {}, destroy() {},
    mount(place) { const input = document.createElement('input'); input.setAttribute('aria-label', 'Stripe card'); place.append(input); } }) }),
  createPaymentMethod: async () => ({ paymentMethod: { id: 'pm_1234567890', card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 } } }),
  handleNextAction: async ({ clientSecret }) => { window.confirmed = clientSecret; return {}; },
});`;

test('Stripe: its script is loaded on the page of the payment only, and makes the token', async ({ someone, demo }) => {
  const visit = await bookOwed(await apiAs(demo, 'admin@demo.test'));
  const { page } = await someone({ viewport: phone });
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.route('https://js.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: fakeStripe }),
  );
  const paid: unknown[] = [];
  await page.route('**/api/payments/*', async (route) => {
    if (route.request().method() === 'POST') paid.push(route.request().postDataJSON());
    const response = await route.fetch({ method: 'GET', postData: '' });
    const asks = paid.length > 0 ? { state: 'action', actionToken: 'pi_1_secret_2' } : {};
    await route.fulfill({
      json: { ...(await response.json()), processor: { processor: 'stripe', publicKey: 'pk_test_1' }, ...asks },
    });
  });
  await page.goto('/#/link');
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible();
  await page.goto(`/#/link/${visit.accessCode}`);
  await expect(page.getByLabel('Stripe card')).toBeVisible();
  const ofStripe = () => loaded.filter((url) => new URL(url).host.endsWith('stripe.com'));
  expect(ofStripe()).toHaveLength(1);
  const before = loaded.findIndex((url) => url.includes('stripe.com'));
  expect(loaded.slice(0, before).some((url) => new URL(url).pathname === '/pay')).toBe(true);
  expect(loaded.some((url) => url.endsWith('/card-field.html'))).toBe(false);
  await payButton(page).click();
  await expect.poll(() => page.evaluate(() => (window as { confirmed?: string }).confirmed)).toBe('pi_1_secret_2');
  expect(paid).toEqual([{ token: 'pm_1234567890', promoCode: null, amount: '50.00' }]);
});

test('Firefox: a card is entered in its frame, the bank asks, and it is paid', async ({ demo }) => {
  test.skip(firefoxProgram === null, 'Firefox is not installed');
  const api = await apiAs(demo, 'admin@demo.test');
  const visit = await bookOwed(api);
  const browser = await openFirefox({ isCameraAllowed: false });
  try {
    const page = await browser.newPage();
    await page.setViewport(phone);
    await page.goto(`${demo.url}/#/link/${visit.accessCode}`);
    const frameOf = async (file: string, selector: string) => {
      const find = () => page.frames().find((one) => one.url().includes(file));
      await expect
        .poll(() =>
          find()
            ?.$(selector)
            .then(Boolean, () => false),
        )
        .toBe(true);
      const frame = find();
      if (!frame) throw new Error(`The page has no frame ${file}.`);
      return frame;
    };
    const card = await frameOf('/card-field.html', '#tests dt');
    for (const [id, text] of [
      ['number', cardNumbers.confirm],
      ['expiry', '1230'],
      ['code', '123'],
    ] as const) {
      await card.focus(`#${id}`);
      await page.keyboard.type(text);
    }
    expect(await card.$eval('#number', (field) => (field as HTMLInputElement).value)).toBe('4000 0025 0000 3155');
    await page.keyboard.press('Enter');
    // The button is enabled once it is listened to; without a position, since the frame takes its height then.
    const question = await frameOf('/bank-challenge.html', '#approve:enabled');
    await question.$eval('#approve', (approve) => (approve as HTMLButtonElement).click());
    const collected = async () =>
      (await api<{ collected: string }>('GET', `/api/appointments/${visit.appointmentId}`)).collected;
    await expect.poll(collected).toBe('50.00');
    await expect.poll(() => page.url()).toMatch(inRoom(visit.appointmentUid));
  } finally {
    await browser.close();
  }
});

test('card typed before the frame’s script is loaded: is formatted and pays', async ({ someone, demo }) => {
  const visit = await bookOwed(await apiAs(demo, 'admin@demo.test'));
  const { page } = await someone({ viewport: phone });
  // The page waits for the script for 10 s.
  await page.addInitScript(() => {
    const { setTimeout: wait } = globalThis;
    const slowly = (work: () => void, ms = 0, ...more: []) => wait(work, ms === 10_000 ? 120_000 : ms, ...more);
    Object.assign(globalThis, { setTimeout: slowly });
  });
  const { promise: typed, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/frames/card-field-*.js', async (route) => {
    await typed;
    await route.continue();
  });
  await openPayment(page, visit);
  await fillCard(cardFrame(page), cardNumbers.good);
  // Pressed early too: it waits for the script.
  await payButton(page).click();
  await expect(page.getByRole('button', { name: 'Paying…' })).toBeVisible();
  await readThanks(page, async () => release());
});

test('service worker: leaves the document of payments and its frame to the server', async ({ someone, demo }) => {
  const visit = await bookOwed(await apiAs(demo, 'admin@demo.test'));
  const { page } = await someone({ viewport: phone, serviceWorkers: 'allow' });
  await page.goto('/#/link');
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await openPayment(page, visit);
  await page.reload();
  expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await fillCard(cardFrame(page), cardNumbers.good);
  await payButton(page).click();
  await expect(page).toHaveURL(inRoom(visit.appointmentUid));
});

test('frames: are accessible themselves', async ({ someone }) => {
  const { page } = await someone();
  for (const path of ['/card-field.html', '/bank-challenge.html#action']) {
    await page.goto(path);
    await expect(page.getByRole('main')).toBeVisible();
    // A frame shows the page behind it.
    await page.evaluate(() => document.body.style.setProperty('background', 'var(--rs-ground)'));
    await expectAccessibleEverywhere(page);
  }
});

test('policies: only the document of payments may load anything of Stripe', async ({ someone }) => {
  const { context, page } = await someone();
  const policy = async (path: string) => (await context.request.get(path)).headers()['content-security-policy'] ?? '';
  for (const path of ['/', '/index.html', '/card-field.html', '/bank-challenge.html', '/api/auth/session'])
    expect([path, (await policy(path)).includes('stripe')]).toEqual([path, false]);
  expect(await policy('/pay')).toContain("frame-src 'self' https://js.stripe.com https://hooks.stripe.com");
  expect(await policy('/card-field.html')).toContain('sandbox allow-scripts');
  // Pages of other documents load nothing of the card's code.
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto('/#/link');
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(loaded.filter((url) => /PatientPayment|card-field|CardField|stripe/i.test(url))).toEqual([]);
});
