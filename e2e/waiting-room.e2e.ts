import { expect, expectAccessible, phone, signIn, test } from './support/story.ts';
import { makeVisit } from './support/visit.ts';

test('a patient arrives: the right people hear of it, and the waiting room knows @ARRIVAL-1 @STATE-5 @STATE-6 @STATE-7 @WAIT-1 @MENU-4', async ({
  someone,
  demo,
}) => {
  const visit = await makeVisit(demo);
  const { page } = await someone();
  await signIn(page, 'doctor@demo.test');
  const { page: colleague } = await someone();
  await signIn(colleague, 'doctor2@demo.test');
  for (const staff of [page, colleague]) await expect(staff.getByText('The Waiting Room is Empty')).toBeVisible();
  await page.getByRole('link', { name: 'My Account' }).click();
  const name = page.getByLabel('First Name');
  await name.focus();

  const { page: patient } = await someone({ viewport: phone });
  await patient.goto(`/#/link/${visit.accessCode}`);
  const sheet = page.getByRole('dialog', { name: 'Patient Arrived' });
  // It stays while somebody points at it.
  await sheet.hover();
  await expect(sheet).toContainText(visit.patientName);
  await expect(sheet).toContainText('Provider: Maya Reyes');
  await expect(sheet).toContainText(/Time: \d{1,2}:\d\d (AM|PM)/);
  await expect(sheet.getByRole('button')).toHaveText(['See the Patient', 'Waiting Room', 'Ignore']);
  // It does not take the keyboard from whoever is typing.
  await expect(name).toBeFocused();
  await expectAccessible(page);
  await expect(page.getByRole('link', { name: 'Waiting Room 1 waiting' })).toBeVisible();
  await sheet.getByRole('button', { name: 'Waiting Room' }).click();
  await expect(sheet).toHaveCount(0);

  const card = page.getByRole('list', { name: 'Patients in the waiting room' }).getByRole('link');
  await expect(card).toContainText(visit.patientName);
  await expect(card).toContainText('Maya Reyes');
  await expect(card).toContainText(/Waiting\d+:\d\d/);
  await expect(card).toHaveAttribute('href', `#/appointment/${visit.uid}`);
  const before = await card.textContent();
  await expect(card).not.toHaveText(before ?? '');
  await expectAccessible(page);
  // Somebody else's patient.
  await expect(colleague.getByText('The Waiting Room is Empty')).toBeVisible();
  await expect(colleague.getByRole('dialog', { name: 'Patient Arrived' })).toHaveCount(0);

  // In the room the provider is there, so that nobody waits.
  await card.click();
  await expect(page).toHaveURL(new RegExp(`#/appointment/${visit.uid}$`));
  const { page: admin } = await someone();
  await signIn(admin, 'admin@demo.test');
  await expect(admin.getByText('With the provider')).toBeVisible();
  await expect(admin.getByRole('link', { name: 'Waiting Room', exact: true })).toBeVisible();
});

test('an arrival that nobody answers goes by itself after 10 s @CONST-4 @ARRIVAL-1', async ({ someone, demo }) => {
  const visit = await makeVisit(demo, { patient: 1 });
  const { page } = await someone({ viewport: phone });
  await page.clock.install();
  await signIn(page, 'doctor@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  const { page: patient } = await someone({ viewport: phone });
  await patient.goto(`/#/link/${visit.accessCode}`);
  const sheet = page.getByRole('dialog', { name: 'Patient Arrived' });
  await expect(sheet).toBeVisible();
  await page.clock.pauseAt(new Date(Date.now() + 1_000));
  await expect(sheet).toBeVisible();
  await page.clock.fastForward(10_000);
  await expect(sheet).toHaveCount(0);
});

test('a visit at once, with nothing but a phone number @INSTANT-1 @VALID-30 @CONST-14 @WAIT-2 @STATE-4', async ({
  someone,
}) => {
  const { page } = await someone({ viewport: phone });
  await signIn(page, 'doctor2@demo.test');
  await expect(page.getByText('The Waiting Room is Empty')).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Instant Appointment' }).click();
  await expect(page).toHaveURL(/#\/instant-appointment$/);
  const submit = page.getByRole('button', { name: 'Invite and Connect' });
  await expect(submit).toBeDisabled();
  const email = page.getByLabel('Email');
  const number = page.getByLabel('Cell phone');
  await email.fill('nobody');
  await number.focus();
  await expect(page.getByText("Doesn't seem valid", { exact: true })).toBeVisible();
  await expect(submit).toBeDisabled();
  await email.fill('somebody@patients.test');
  await expect(submit).toBeEnabled();
  await number.fill('212555');
  await expect(page.getByText('6/10')).toBeVisible();
  await expect(submit).toBeDisabled();
  await email.fill('');
  await number.fill('2125550177');
  await expect(submit).toBeEnabled();
  await expectAccessible(page);
  await submit.click();
  await expect(page.getByText("We've notified the patient. Please wait in the room.")).toBeVisible();
  await expect(page).toHaveURL(/#\/appointment\/[0-9a-f]{32}$/);

  await page.goto('/#/patient-list');
  await page.getByRole('button', { name: 'Search patients' }).click();
  await page.getByRole('searchbox').fill('2125550177');
  const cards = page.getByRole('list', { name: 'Patients' }).getByRole('listitem');
  await expect(cards).toHaveCount(1);
  await expect(cards).toContainText(/Patient Anonymous-\d{6}/);
  const born = Number(/DoB01\/01\/(\d{4})/.exec((await cards.textContent()) ?? '')?.[1]);
  expect(born).toBeGreaterThanOrEqual(1950);
  expect(born).toBeLessThanOrEqual(new Date().getFullYear());
});
