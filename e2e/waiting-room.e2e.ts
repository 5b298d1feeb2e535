import { patientArrives, staffEnters, waitUntilJoined } from './support/peer.ts';
import { expect, expectAccessible, expectToast, jumpErrors, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

test('arriving patient: is announced to their doctor on every page @ARRIVAL-1 @STATE-5 @STATE-6 @MENU-4 @MENU-6', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo);
  const { page } = await someone();
  await page.addInitScript(() => {
    const sounds: string[] = [];
    Object.assign(globalThis, { sounds });
    HTMLMediaElement.prototype.play = async function play() {
      sounds.push(this.src);
    };
  });
  const connected = waitUntilJoined(page);
  await signIn(page, 'doctor@demo.test');
  await connected;
  const { page: colleague } = await someone();
  await signIn(colleague, 'doctor2@demo.test');
  for (const staff of [page, colleague]) await expect(staff.getByText('The Waiting Room is Empty')).toBeVisible();
  await page.getByRole('link', { name: 'My Account' }).click();
  const name = page.getByLabel('First name');
  await name.focus();

  const patient = await patientArrives(demo, visit);
  const sheet = page.getByRole('dialog', { name: 'Patient Arrived' });
  // The sheet stays while the pointer is on it.
  await sheet.hover();
  await expect(sheet).toContainText(visit.patientName);
  await expect(sheet).toContainText('Provider: Maya Reyes');
  await expect(sheet).toContainText(/Time: \d{1,2}:\d\d (AM|PM)/);
  await expect(sheet.getByRole('button')).toHaveText(['See the Patient', 'Waiting Room', 'Ignore']);
  const sounds = () => page.evaluate(() => (globalThis as unknown as { sounds: string[] }).sounds);
  expect(await sounds()).toEqual([expect.stringContaining('.wav')]);
  // It does not take the focus from a field.
  await expect(name).toBeFocused();
  await expectAccessible(page);
  await expect(page.getByRole('link', { name: 'Waiting Room 1 waiting' })).toBeVisible();
  await sheet.getByRole('button', { name: 'Waiting Room' }).click();
  await expect(sheet).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Patients in the waiting room' })).toContainText(visit.patientName);
  // Another doctor's patient.
  await expect(colleague.getByText('The Waiting Room is Empty')).toBeVisible();
  await expect(colleague.getByRole('dialog', { name: 'Patient Arrived' })).toHaveCount(0);

  patient.leave();
  await expect(page.getByText('The Waiting Room is Empty')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Waiting Room', exact: true })).toHaveAttribute('aria-current', 'page');
});

test('waiting room: sorts patients without a provider first, then by wait, and counts seconds @WAIT-1 @STATE-7', async ({
  someone,
  demo,
}) => {
  const [first, second, third] = [
    await buildAppointmentInRoom(demo, { patient: 2 }),
    await buildAppointmentInRoom(demo, { patient: 3 }),
    await buildAppointmentInRoom(demo, { patient: 4 }),
  ];
  const present = [];
  for (const visit of [first, second, third]) present.push(await patientArrives(demo, visit));
  const { page } = await someone({ viewport: phone, colorScheme: 'dark' });
  await signIn(page, 'admin@demo.test');
  const cards = page.getByRole('list', { name: 'Patients in the waiting room' }).getByRole('link');
  await expect(cards).toContainText([first.patientName, second.patientName, third.patientName]);
  await expect(cards.first()).toContainText('Maya Reyes');
  await expect(cards.first()).toContainText(/Scheduled\d{1,2}:\d\d (AM|PM)Arrived\d{1,2}:\d\d (AM|PM)Waiting\d+:\d\d/);
  await expect(cards.first()).toHaveAttribute('href', `#/appointment/${first.uid}`);
  const before = await cards.first().textContent();
  await expect(cards.first()).not.toHaveText(before ?? '');
  await expectAccessible(page);

  present.push(await staffEnters(demo, 'doctor@demo.test', first.uid));
  await expect(cards).toContainText([second.patientName, third.patientName, first.patientName]);
  await expect(cards.last()).toContainText('With the provider');
  await expect(page.getByRole('link', { name: 'Waiting Room 2 waiting' })).toBeVisible();
  for (const peer of present) peer.leave();
  await expect(page.getByText('The Waiting Room is Empty')).toBeVisible();
});

test('arrivals: are shown one after another, each for 10 s @ARRIVAL-1', async ({ someone, demo, allow }) => {
  allow(jumpErrors);
  const visits = [
    await buildAppointmentInRoom(demo, { patient: 5 }),
    await buildAppointmentInRoom(demo, { patient: 6 }),
  ] as const;
  const { page } = await someone({ viewport: phone });
  await page.clock.install();
  const connected = waitUntilJoined(page);
  await signIn(page, 'doctor@demo.test');
  await connected;
  await expect(page.getByText('The Waiting Room is Empty')).toBeVisible();
  const sheet = page.getByRole('dialog', { name: 'Patient Arrived' });
  // The sheet stays while the pointer is over it.
  const [present] = await Promise.all([patientArrives(demo, visits[0]), sheet.hover()]);
  await expect(sheet).toContainText(visits[0].patientName);
  const other = await patientArrives(demo, visits[1]);
  await expect(sheet).toContainText('One more patient has arrived.');
  await page.clock.pauseAt(Date.now() + 60_000);
  await expect(sheet).toContainText(visits[0].patientName);
  await page.mouse.move(5, 5);
  await page.clock.runFor(9_000);
  await expect(sheet).toContainText(visits[0].patientName);
  await page.clock.runFor(1_000);
  await expect(sheet).toContainText(visits[1].patientName);
  await sheet.hover();
  await page.clock.resume();
  await sheet.getByRole('button', { name: 'See the Patient' }).click();
  await expect(page).toHaveURL(new RegExp(`#/appointment/${visits[1].uid}$`));
  await expect(sheet).toHaveCount(0);
  for (const peer of [present, other]) peer.leave();
});

test('instant visit: needs only a phone number @INSTANT-1 @VALID-30 @CONST-14 @WAIT-2 @STATE-4', async ({
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
  await expect(email).toBeFocused();
  await expect(email).not.toHaveAttribute('aria-invalid', 'true');
  const number = page.getByLabel('Cell phone');
  await email.fill('sam');
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
  await expectToast(page, "We've notified the patient. Please wait in the room.");
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
