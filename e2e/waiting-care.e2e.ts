import { desktop, expect, expectAccessible, expectToast, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

test('waiting patient: the device is checked, staff hold, estimate, write, hand over and move', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/ERR_FAILED/);
  const visit = await buildAppointmentInRoom(demo, { patient: 2 });
  const { page: patient } = await someone({ viewport: phone });
  await patient.goto(`/#/link/${visit.accessCode}`);
  await patient.getByRole('button', { name: 'Check your camera and sound' }).click();
  const check = patient.getByRole('dialog', { name: 'Check your camera and sound' });
  await expect(check).toContainText('Your camera works.');
  await expect(check).toContainText(/Your connection is (good|fair|poor)/, { timeout: 60_000 });
  await check.getByRole('button', { name: 'Play test sound' }).click();
  await check.getByRole('button', { name: 'I heard nothing' }).click();
  await expect(check).toContainText('Turn up the volume');
  await expectAccessible(patient);
  await check.getByRole('button', { name: 'Done' }).click();

  const { page: staff } = await someone({ viewport: desktop });
  await signIn(staff, 'admin@demo.test');
  const card = staff.getByRole('listitem').filter({ hasText: visit.patientName });
  await expect(card).toContainText(/Can’t hear the test sound · (good|fair|poor) connection/);
  const menu = card.getByRole('button', { name: `Options for ${visit.patientName}` });
  await menu.click();
  await staff.getByRole('menuitem', { name: 'Put on hold' }).click();
  await expect(card).toContainText('On hold');
  await expect(patient.getByText('Your clinic knows that you’re here.')).toBeVisible();

  await staff.getByRole('button', { name: 'Running late' }).click();
  await expect(staff.getByText(/Tell .*waiting patient/)).toBeVisible();
  await staff.getByRole('menuitem', { name: 'About 15 minutes' }).click();
  await expect(staff.getByText(/notified\.$/)).toBeVisible();
  await expect(card).toContainText(/Told: about \d/);
  await expect(patient.getByText(/expects to see you at about \d/)).toBeVisible();

  await menu.click();
  await staff.getByRole('menuitem', { name: 'Send a message' }).click();
  const dialog = staff.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Send message' }).click();
  await expect(dialog).toContainText('Required');
  const message = dialog.getByRole('textbox', { name: 'Message' });
  await message.fill('Please have a cup of coffee.');
  await expectAccessible(staff);
  // The patient's line is lost for a moment: the card goes, what was typed stays.
  const behind = staff.locator('#content li').filter({ hasText: visit.patientName });
  await expect(behind).toHaveCount(1);
  await patient.goto('about:blank');
  await expect(behind).toHaveCount(0);
  await expect(message).toHaveValue('Please have a cup of coffee.');
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(behind).toHaveCount(1);
  // The answer is lost, and the text corrected: both messages arrive.
  await staff.route('**/waiting-room/*/message', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await dialog.getByRole('button', { name: 'Send message' }).click();
  await expect(staff.getByText('You seem offline.')).toBeVisible();
  await staff.unroute('**/waiting-room/*/message');
  await message.fill('Please have a glass of water.');
  await dialog.getByRole('button', { name: 'Send message' }).click();
  await expect(dialog).toHaveCount(0);
  // The chat opens by itself while the patient waits.
  for (const text of ['Please have a cup of coffee.', 'Please have a glass of water.'])
    await expect(patient.getByRole('log')).toContainText(text);

  await menu.click();
  await staff.getByRole('menuitem', { name: 'Hand over to another provider' }).click();
  await staff.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
  await expect(staff.getByRole('dialog')).toContainText('Please select a provider.');
  await staff.getByRole('dialog').getByRole('combobox', { name: 'Provider' }).click();
  const name = (await staff.getByRole('option').first().textContent()) ?? '';
  await staff.getByRole('option').first().click();
  await staff.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
  await expect(card).toContainText(name);
  await patient.keyboard.press('Escape');
  await expect(patient.getByText(`${name},`)).toBeVisible();

  const inMinutes = (count: number) => ({ startDate: new Date(Date.now() + count * 60_000).toISOString() });
  const planned = patient.locator('.room-words p').first();
  const before = (await planned.textContent()) ?? '';
  await visit.change(inMinutes(45));
  await expect(planned).toHaveText(/\d:\d{2}/);
  await expect(planned).not.toHaveText(before);
  await expect(card).toHaveCount(1);
  await visit.change(inMinutes(180));
  await expectToast(patient, 'Your visit has been moved. This page shows the new time.');
  await expect(patient.getByRole('heading', { name: 'Your visit is coming up' })).toBeVisible();
  await expect(card).toHaveCount(0);
});
