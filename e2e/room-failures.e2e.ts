import type { Page, Route } from '@playwright/test';
import { apiAs, bookAppointment, dayAhead } from './support/api.ts';
import { cardFrame, cardNumbers, fillCard, licenseCard } from './support/cards.ts';
import { takeCards } from './support/company.ts';
import { withSeparateDemo } from './support/separate-demo.ts';
import { startDemo } from './support/server.ts';
import { expect, phone, signIn } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, watchCalls } from './support/visit.ts';

/** Whose licenses cost something. */
const test = withSeparateDemo(() => startDemo({ LICENSE_PRICE: '120.50', LICENSE_PROCESSOR: 'sandbox' }));

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const inWaitingRoom = (page: Page) => expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();

/** Holds the requests to an address; the returned function ends or continues those that came, and lets further ones pass. */
async function hold(page: Page, address: string): Promise<(how: 'abort' | 'continue') => Promise<void>> {
  const held: Route[] = [];
  await page.route(address, (route) => void held.push(route));
  return async (how) => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    for (const route of held) await route[how]();
    await page.unroute(address);
  };
}

test('failed payments and uploads: say why, and leave nothing busy @ERROR-10', async ({ someone, demo, allow }) => {
  // Declined cards, and requests that end on purpose.
  allow(/402|ERR_FAILED/);
  const api = await apiAs(demo, 'admin@demo.test');

  // A picture in the room: neither device can send it, then both can.
  const visit = await buildAppointmentInRoom(demo, { patient: 3 });
  const [{ page: patient }, { page: doctor }] = [await someone({ viewport: phone }), await someone()];
  for (const page of [doctor, patient]) await watchCalls(page);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await signIn(doctor, 'doctor@demo.test');
  await inWaitingRoom(doctor);
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  await patient.route('**/api/photos*', (route) => route.abort());
  const fail = await hold(doctor, '**/api/photos*');
  const take = button(doctor, 'Take picture');
  await take.click();
  await expect(take).toHaveAttribute('aria-disabled', 'true');
  await fail('abort');
  await expect(doctor.getByRole('alert').filter({ hasText: 'The picture couldn’t be taken.' })).toBeVisible();
  await expect(take).not.toHaveAttribute('aria-disabled');
  await patient.unroute('**/api/photos*');
  await take.click();
  await expect(doctor.getByRole('dialog', { name: /^A picture has been taken/ })).toBeVisible();
  for (const page of [doctor, patient]) await page.close();

  // A patient's payment: the server's text is below the field.
  await takeCards(demo);
  const owed = { doctor: 'Reyes', patient: 'Tanaka', fee: '50.00', date: dayAhead(40), time: '1000' };
  const { accessCode } = await bookAppointment(api, owed);
  const { page: payer } = await someone({ viewport: phone });
  await payer.goto(`/#/link/${accessCode}`);
  await fillCard(cardFrame(payer), cardNumbers.declined);
  const refused = payer.waitForResponse((response) => response.status() === 402);
  await button(payer, 'Pay $50.00').click();
  const { title } = (await (await refused).json()) as { title: string };
  const below = payer.getByRole('group', { name: 'Your card' }).getByRole('alert');
  await expect(below).toContainText(title);
  const [field, message] = [
    await payer.locator('iframe[title="Card details"]').boundingBox(),
    await below.boundingBox(),
  ];
  expect(message?.y).toBeGreaterThanOrEqual((field?.y ?? 0) + (field?.height ?? Number.NaN));

  // A license.
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await inWaitingRoom(page);
  await page.goto('/#/admin/payment');
  const frame = licenseCard(page, 'Primary').frameLocator('iframe[title="Card details"]');
  await fillCard(frame, cardNumbers.declined);
  const answer = await hold(page, '**/api/licenses/pay*');
  const buy = button(page, /^Purchase/);
  await buy.click();
  await expect(page.getByRole('main').getByRole('progressbar')).toBeVisible();
  await answer('continue');
  await expect(page.getByText('Your card was declined. Please use another card, or call your bank.')).toBeVisible();
  await expect(page.getByRole('main').getByRole('progressbar')).toHaveCount(0);
  await expect(buy).toBeEnabled();

  // An import.
  await page.goto('/#/admin/csv-import');
  const bar = page.getByRole('progressbar', { name: 'Progress of the upload' });
  const end = await hold(page, '**/api/csv/files*');
  const file = {
    name: 'patients.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('First Name,Last Name\r\nAnn,Lee\r\n'),
  };
  await page.locator('input[type=file]').setInputFiles(file);
  await expect(bar).toBeVisible();
  await end('abort');
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(bar).toHaveCount(0);
  await page.locator('input[type=file]').setInputFiles(file);
  await expect(page.getByRole('heading', { name: 'Map the Fields' })).toBeVisible();
});
