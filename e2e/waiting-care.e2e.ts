import { desktop, expect, expectAccessible, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

test('waiting patient: the device is checked, staff hold, estimate, write and hand over', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 2 });
  const { page: patient } = await someone({ viewport: phone });
  await patient.goto(`/#/link/${visit.accessCode}`);
  await patient.getByRole('button', { name: 'Check your camera and sound' }).click();
  const check = patient.getByRole('dialog', { name: 'Check your camera and sound' });
  await expect(check).toContainText('Your camera works.');
  await expect(check).toContainText('Your connection is good.');
  await check.getByRole('button', { name: 'Play test sound' }).click();
  await check.getByRole('button', { name: 'No' }).click();
  await expect(check).toContainText('Turn up the volume');
  await expectAccessible(patient);
  await check.getByRole('button', { name: 'Done' }).click();

  const { page: staff } = await someone({ viewport: desktop });
  await signIn(staff, 'admin@demo.test');
  const card = staff.getByRole('listitem').filter({ hasText: visit.patientName });
  await expect(card).toContainText('Can’t hear the test sound · good connection');
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
  await dialog.getByRole('button', { name: 'Send Message' }).click();
  await expect(dialog).toContainText('Required');
  await dialog.getByRole('textbox', { name: 'Message' }).fill('Please have a glass of water.');
  await expectAccessible(staff);
  await dialog.getByRole('button', { name: 'Send Message' }).click();
  await expect(dialog).toHaveCount(0);
  // The chat opens by itself while the patient waits.
  await expect(patient.getByRole('log')).toContainText('Please have a glass of water.');

  await menu.click();
  await staff.getByRole('menuitem', { name: 'Hand over to another provider' }).click();
  await staff.getByRole('dialog').getByRole('button', { name: 'Hand Over' }).click();
  await expect(staff.getByRole('dialog')).toContainText('Please select a provider.');
  await staff.getByRole('dialog').getByRole('combobox', { name: 'Provider' }).click();
  const name = (await staff.getByRole('option').first().textContent()) ?? '';
  await staff.getByRole('option').first().click();
  await staff.getByRole('dialog').getByRole('button', { name: 'Hand Over' }).click();
  await expect(card).toContainText(name);
  await patient.keyboard.press('Escape');
  await expect(patient.getByText(`${name},`)).toBeVisible();
});
