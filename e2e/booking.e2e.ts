import type { Locator, Page } from '@playwright/test';
import { apiAs, freeMonth } from './support/api.ts';
import type { Demo } from './support/server.ts';
import { expect, expectAccessible, expectToast, signIn, test } from './support/story.ts';

const narrow = { width: 360, height: 740 };

async function bookingPath(demo: Demo): Promise<string> {
  const admin = await apiAs(demo, 'admin@demo.test');
  const { companyUid } = await admin<{ companyUid: string }>('GET', '/api/companies/0');
  return `/#/patient/book/${companyUid}`;
}

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, name: RegExp | string, role: 'button' | 'radio' | 'textbox' | 'link') {
  const target = page.getByRole(role, { name }).first();
  await expect(target).toBeVisible();
  for (let tries = 0; tries < 60; tries += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach ${name}.`);
}

/** Opens a month without appointments of the demo, by keyboard or mouse; returns its first day, YYYY-MM-DD. */
async function openFreeMonth(page: Page, go: (next: Locator) => Promise<void> = (next) => next.click()) {
  const firstDay = freeMonth();
  const name = new Date(firstDay).toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const shown = page.getByRole('heading', { name: /^[A-Z][a-z]+ \d{4}$/ });
  for (let before = await shown.innerText(); before !== name; before = await shown.innerText()) {
    await go(page.getByRole('button', { name: 'Next month' }));
    await expect(shown).not.toHaveText(before);
  }
  // The halves of a month are loaded apart.
  await expect(page.locator('.rs-wait')).toHaveCount(0);
  return firstDay;
}

test('booking by link: works with the keyboard alone, on a phone of 360 px', async ({ someone, demo }) => {
  const { page } = await someone({ viewport: narrow });
  await page.goto(await bookingPath(demo));
  await expect(page.getByRole('heading', { name: 'Who would you like to see?' })).toBeFocused();
  await expect(page.getByRole('main')).toContainText(/^Demo Clinic\s*Step 1 of 3/);
  await expectAccessible(page);
  await tabTo(page, 'Maya Reyes', 'button');
  await page.keyboard.press('Enter');

  await expect(page.getByRole('heading', { name: 'When works for you?' })).toBeFocused();
  await expect(page.getByRole('main')).toContainText(/^Demo Clinic\s*Step 2 of 3.*30 minutes with Maya Reyes/);
  await expect(page.getByRole('radio').first()).toBeVisible();
  await expectAccessible(page);
  await openFreeMonth(page, async () => {
    await tabTo(page, 'Next month', 'button');
    await page.keyboard.press('Enter');
  });
  await expect(page.getByRole('heading', { name: /^\w{3}, \w{3} \d+/ })).toBeVisible();
  await tabTo(page, /available times$/, 'radio');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Tab');
  await tabTo(page, /^9:00 AM$/, 'button');
  await page.keyboard.press('Enter');

  await expect(page.getByRole('heading', { name: 'Your details' })).toBeFocused();
  await expect(page.getByText(/^We’re holding this time: 4:\d\d$/)).toBeVisible();
  const visit = page.getByRole('region', { name: 'Your visit' });
  await expect(visit).toContainText(/9:00 AM.*30 minutes with Maya Reyes/);
  await tabTo(page, 'Book this visit', 'button');
  await page.keyboard.press('Enter');
  // The first missing field has the focus.
  await expect(page.getByLabel('First name')).toBeFocused();
  await expectAccessible(page);
  await expect(page.getByText('Required')).toHaveCount(3);
  for (const text of ['Niamh', "O'Dowd", '2', '29', '1992']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  // The errors go away as the fields are corrected, and with the last one what is above them.
  await expect(page.getByText('Required')).toHaveCount(0);
  await expect(page.getByText('Please fix the fields below.')).toBeVisible();
  await page.keyboard.press('Tab');
  await page.keyboard.type('niamh@example.test');
  await expect(page.locator('[aria-invalid="true"], .rs-field-error, .rs-notice-error')).toHaveCount(0);
  // A reload keeps the input.
  await page.reload();
  await expect(page.getByLabel('First name')).toHaveValue('Niamh');
  await tabTo(page, 'Book this visit', 'button');
  await page.keyboard.press('Enter');

  await expect(page.getByRole('heading', { name: 'Your visit is booked' })).toBeFocused();
  await expectAccessible(page);
  const code = await page.getByText(/^[A-Za-z2-9]{12}$/).innerText();
  await expect(visit).toContainText(/9:00 AM.*30 minutes with Maya Reyes/);
  await expect(page.getByText('We’re also sending the link and the code to niamh@example.test.')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(narrow.width);
  await tabTo(page, 'Go to my visit', 'link');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Your visit is coming up' })).toBeVisible();
  // No patient data in the address or the title.
  expect(page.url()).not.toMatch(/niamh|dowd/i);
  expect(await page.title()).not.toMatch(/niamh|dowd/i);

  // The device keeps nothing personal and nothing that opens the visit; the page still says when it is.
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Your visit is booked' })).toBeVisible();
  await page.reload();
  await expect(page.getByText('The link and the code are in the message we sent you.')).toBeVisible();
  await expect(visit).toContainText(/9:00 AM.*30 minutes with Maya Reyes/);
  await expect(page.getByText(code)).toHaveCount(0);
  await page.getByRole('button', { name: 'Book another visit' }).click();
  await expect(page.getByRole('heading', { name: 'Who would you like to see?' })).toBeFocused();
});

test('booked visit: nothing of the person and no code is left in the browser’s storage', async ({ someone, demo }) => {
  const { page } = await someone();
  await page.goto(await bookingPath(demo));
  await page.getByRole('button', { name: 'Jonas Lindqvist' }).click();
  await openFreeMonth(page);
  await page.getByRole('radio').nth(4).check();
  const stored = () => page.evaluate(() => JSON.stringify([sessionStorage, localStorage]));

  // On a wide screen the times stand beside the month.
  const times = page.getByRole('region', { name: /^Available times on/ });
  const [next, beside] = await Promise.all([
    page.getByRole('button', { name: 'Next month' }).boundingBox(),
    times.getByRole('button').first().boundingBox(),
  ]);
  expect(beside?.x).toBeGreaterThan((next?.x ?? 0) + (next?.width ?? 0));
  expect(beside?.y).toBeLessThan(400);

  await times.getByRole('button', { name: '9:30 AM', exact: true }).click();
  const typed = { 'First name': 'Saoirse', 'Last name': 'Quigley', Month: '11', Year: '1987' };
  for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
  await page.getByLabel('Day', { exact: true }).fill('23');
  await page.getByLabel('Cell phone').fill('(212) 555-4477');
  await page.getByLabel('Email').fill('saoirse@example.test');
  expect(await stored()).toContain('Saoirse');
  await page.getByRole('button', { name: 'Book this visit' }).click();
  await expect(
    page.getByText('We’re also sending the link and the code to saoirse@example.test and (212) 555-4477.'),
  ).toBeVisible();
  const code = await page.getByText(/^[A-Za-z2-9]{12}$/).innerText();
  // The page stores its state after it has shown it.
  for (const text of ['Saoirse', 'Quigley', '"1987"', '(212)', '2125554477', 'saoirse', code]) {
    await expect.poll(stored).not.toContain(text);
  }
});

test('lost response to a booking: the visit is booked once, and the page names no contact that was changed meanwhile', async ({
  someone,
  allow,
  startOwnDemo,
}) => {
  allow(/ERR_FAILED/);
  // A network may book three visits an hour without a code, and the other stories use them.
  const demo = await startOwnDemo();
  const { page } = await someone();
  await page.goto(demo.url + (await bookingPath(demo)));
  await page.getByRole('button', { name: 'Jonas Lindqvist' }).click();
  await openFreeMonth(page);
  await page.getByRole('radio').nth(6).check();
  await page
    .getByRole('region', { name: /^Available times on/ })
    .getByRole('button', { name: '9:30 AM', exact: true })
    .click();
  const typed = { 'First name': 'Niamh', 'Last name': 'Brophy', Month: '3', Year: '1979' };
  for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
  await page.getByLabel('Day', { exact: true }).fill('4');
  await page.getByLabel('Email').fill('niamh@example.test');
  const codes: string[] = [];
  await page.route('**/api/booking/*/book', async (route) => {
    const response = await route.fetch();
    codes.push(((await response.json()) as { accessCode: string }).accessCode);
    // The server has booked it, but the page does not know.
    if (codes.length === 1) await route.abort('failed');
    else await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Book this visit' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Check your connection and try again.' })).toBeVisible();
  await page.getByLabel('Email').fill('brophy@example.test');
  await page.getByRole('button', { name: 'Book this visit' }).click();
  await expect(page.getByText('The link and the code are in the message we sent you.')).toBeVisible();
  await expect(page.getByText('brophy@example.test')).toHaveCount(0);
  expect(codes).toEqual([codes[0], codes[0]]);
});

test('slot that was just taken: offers free ones; a held slot is not offered', async ({ someone, demo, allow }) => {
  allow(/409/);
  const path = await bookingPath(demo);
  const first = await someone({ viewport: narrow });
  const second = await someone({ viewport: narrow });
  for (const { page } of [first, second]) {
    await page.goto(path);
    await page.getByRole('button', { name: 'Jonas Lindqvist' }).click();
    await openFreeMonth(page);
    await expect(page.getByRole('button', { name: '10:00 AM', exact: true })).toBeVisible();
  }
  await first.page.getByRole('button', { name: '10:00 AM', exact: true }).click();
  await expect(first.page.getByRole('heading', { name: 'Your details' })).toBeVisible();
  await second.page.getByRole('button', { name: '10:00 AM', exact: true }).click();
  await expect(second.page.getByText('Someone else just took this time. These are available:')).toBeInViewport({
    ratio: 1,
  });
  await second.page
    .getByRole('button', { name: /10:30 AM$/ })
    .first()
    .click();
  await expect(second.page.getByRole('heading', { name: 'Your details' })).toBeVisible();
  await expect(second.page.getByRole('region', { name: 'Your visit' })).toContainText('10:30 AM');
  // Picking another time releases the hold.
  for (const { page } of [first, second]) {
    const released = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Pick another time' }).click();
    await released;
    await expect(page.getByRole('heading', { name: 'When works for you?' })).toBeVisible();
    await expect(page.getByRole('button', { name: '10:00 AM', exact: true })).toBeVisible();
  }
});

test('clinic without bookings: says so; a time request reaches the staff', async ({ someone, demo, allow }) => {
  allow(/404/);
  const { page } = await someone({ viewport: narrow });
  await page.goto(`/#/patient/book/${'0'.repeat(32)}`);
  await expect(page.getByRole('heading', { name: 'Online booking isn’t available' })).toBeVisible();
  await expectAccessible(page);
  await page.goto(await bookingPath(demo));
  await page.getByRole('button', { name: /^Any provider/ }).click();
  await page.getByRole('button', { name: 'Request a time instead' }).click();
  await page.getByLabel('What days and times work for you?').fill('Sundays at noon');
  await page.getByLabel('First name').fill('Una');
  await page.getByLabel('Last name').fill('Wishful');
  await page.getByLabel('Month').fill('5');
  await page.getByLabel('Day', { exact: true }).fill('17');
  await page.getByLabel('Year').fill('1990');
  await page.getByLabel('Cell phone').fill('(212) 555-9876');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send request' }).click();
  await expect(page.getByText('The clinic has your request and will contact you.')).toBeVisible();
  const staff = await apiAs(demo, 'staff@demo.test');
  const { data } = await staff<{ data: { wish: string; phone: string }[] }>('GET', '/api/booking-requests');
  expect(data).toContainEqual(expect.objectContaining({ wish: 'Sundays at noon', phone: '2125559876' }));
});

test('booking with a confirmation code: works with the keyboard alone', async ({ someone, allow, startOwnDemo }) => {
  allow(/409|422/);
  // A separate demo, since other stories count its bookings and settings.
  const own = await startOwnDemo();
  const admin = await apiAs(own, 'admin@demo.test');
  const {
    created: _c,
    companyUid,
    currency: _u,
    ...company
  } = await admin<Record<string, unknown>>('GET', '/api/companies/0');
  const { providerCount: _p, expirationDate: _e, supportEmail: _s, smsPhone: _m, ...rest } = company;
  const { allowReq: _a, frontEndUrl: _f, disabled: _d, ...fields } = rest;
  await admin('PUT', '/api/companies', { ...fields, confirmBookings: true });

  const { page } = await someone({ viewport: narrow, url: own.url });
  await page.goto(`/#/patient/book/${companyUid}`);
  await page.getByRole('button', { name: 'Maya Reyes' }).click();
  await openFreeMonth(page);
  await page.getByRole('radio').nth(2).check();
  await page
    .getByRole('button', { name: /^\d+:\d\d [AP]M$/ })
    .first()
    .click();
  await page.getByLabel('First name').fill('Niamh');
  await page.getByLabel('Last name').fill("O'Dowd");
  await page.getByLabel('Month').fill('2');
  await page.getByLabel('Day', { exact: true }).fill('28');
  await page.getByLabel('Year').fill('1992');
  await page.getByLabel('Email').fill('niamh@example.test');
  await page.getByLabel('Email').press('Enter');

  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeFocused();
  await expect(page.getByText('We sent a 6-digit code to niamh@example.test.')).toBeVisible();
  await expect(page.getByText(/^We’re holding this time: (9:\d\d|10:00)$/)).toBeVisible();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(narrow.width);
  const code = page.getByLabel('6-digit code');
  await code.fill('12');
  await code.press('Enter');
  await expect(page.getByText('Not valid')).toBeVisible();
  const sent = async () => /\b\d{6}\b/.exec(await (await fetch(`${own.url}/dev/outbox`)).text())?.[0] ?? '';
  await expect.poll(sent).not.toBe('');
  const right = await sent();
  await code.fill(right === '000000' ? '000001' : '000000');
  await code.press('Enter');
  await expect(page.getByText('This code isn’t right. Please check it and try again.')).toBeVisible();
  await expect(code).toBeFocused();
  // The input is still there.
  await page.getByRole('button', { name: 'Change my details' }).click();
  await expect(page.getByLabel('First name')).toHaveValue('Niamh');
  await expect(page.getByLabel('First name')).toBeFocused();
  await page.getByRole('button', { name: 'Book this visit' }).click();
  await code.fill(right);
  await code.press('Enter');
  await expect(page.getByRole('heading', { name: 'Your visit is booked' })).toBeVisible();
  expect(page.url()).not.toContain(right);
});

test('patient: moves and cancels a visit; staff confirm the patient @ROUTE-8', async ({ someone, demo }) => {
  const admin = await apiAs(demo, 'admin@demo.test');
  const doctors = await admin<{ data: { userId: number; lastName: string }[] }>('GET', '/api/doctors');
  const doctorId = doctors.data.find(({ lastName }) => lastName === 'Reyes')?.userId ?? 0;
  const path = await bookingPath(demo);
  const { page } = await someone({ viewport: narrow });
  await page.goto(path);
  await page.getByRole('button', { name: 'Maya Reyes' }).click();
  const firstDay = await openFreeMonth(page);
  await page.getByRole('radio').nth(3).check();
  await page.getByRole('button', { name: '1:00 PM', exact: true }).click();
  await page.getByLabel('First name').fill('Move');
  await page.getByLabel('Last name').fill('Able');
  await page.getByLabel('Month').fill('5');
  await page.getByLabel('Day', { exact: true }).fill('17');
  await page.getByLabel('Year').fill('1990');
  await page.getByLabel('Email').fill('move@example.test');
  await page.getByRole('button', { name: 'Book this visit' }).dblclick();
  await page.getByRole('link', { name: 'Go to my visit' }).click();
  await page.getByRole('link', { name: 'Move or cancel' }).click();

  await expect(page.getByRole('heading', { name: 'Your visits' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByRole('button', { name: '2:00 PM', exact: true }).click();
  await expect(page.getByText('Your visit has been moved.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Your visit' })).toContainText('2:00 PM');

  // The clinic sees one appointment of an unverified patient.
  const query = `from=${firstDay}&to=${firstDay.slice(0, 7)}-28&physicians=${doctorId}`;
  const entries = await admin<{ data: { patient: string; patientId: number }[] }>('GET', `/api/schedule?${query}`);
  const own = entries.data.filter(({ patient }) => patient === 'Able, Move');
  expect(own).toHaveLength(1);
  const staff = await someone();
  await signIn(staff.page, 'staff@demo.test');
  await expect(staff.page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await staff.page.goto(`/#/patient-edit/${own[0]?.patientId}`);
  await expect(staff.page.getByText('Booked by link, not confirmed yet')).toBeVisible();
  await expectAccessible(staff.page);
  await staff.page.getByRole('button', { name: 'New patient' }).click();
  await staff.page.getByRole('button', { name: 'Keep as new patient' }).click();
  await expectToast(staff.page, 'The patient is confirmed.');

  await page.getByRole('button', { name: 'Cancel visit' }).click();
  await page.getByRole('button', { name: 'Yes, cancel it' }).click();
  await expect(page.getByRole('heading', { name: 'Your visit is cancelled' })).toBeVisible();
  const after = await admin<{ data: { patient: string }[] }>('GET', `/api/schedule?${query}`);
  expect(after.data.filter(({ patient }) => patient === 'Able, Move')).toEqual([]);
});

test('staff: merge a booking with a known record, and choose the contact to keep', async ({ someone, demo }) => {
  const admin = await apiAs(demo, 'admin@demo.test');
  const { companyUid } = await admin<{ companyUid: string }>('GET', '/api/companies/0');
  const person = { firstName: 'Aoife', doB: '1984-03-02' };
  const known = { ...person, lastName: "O'Rourke", email: 'former@example.test', externalId: '', patientPhones: [] };
  await admin('POST', '/api/patients', { patientId: 0, version: 0, ...known });
  const typed = { ...person, lastName: 'O’Rourke', email: 'present@example.test', phone: '' };
  await admin('POST', `/api/booking/${companyUid}/request`, { doctorId: 0, wish: 'In the mornings', ...typed });
  const { data } = await admin<{ data: { patientId: number; patient: { lastName: string } }[] }>(
    'GET',
    '/api/booking-requests',
  );
  const asked = data.find(({ patient }) => patient.lastName === typed.lastName);

  const { page } = await someone({ viewport: narrow });
  await signIn(page, 'staff@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto(`/#/patient-edit/${asked?.patientId}`);
  const same = page.getByRole('button', { name: "Same person as Aoife O'Rourke" });
  await same.click();
  const question = page.getByRole('alertdialog', { name: 'Is this the same person?' });
  await expect(question).toContainText('present@example.test');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Not now' }).click();
  await same.click();
  await question.getByRole('button', { name: 'Merge, use the new one' }).click();
  await expectToast(page, 'The records have been merged.');
  await expect(page.getByLabel('Last name')).toHaveValue("O'Rourke");
  await expect(page.getByLabel('Email')).toHaveValue('present@example.test');
});
