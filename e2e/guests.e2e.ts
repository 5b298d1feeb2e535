import type { Page } from '@playwright/test';
import { button, comeAsDoctor, comeByLink, invite, join } from './support/guests.ts';
import { desktop, expect, expectAccessible, expectAccessibleEverywhere, phone, test } from './support/story.ts';
import { buildAppointmentInRoom, expectMediaOf, reads, say, watchCalls } from './support/visit.ts';

/** The names of everyone in the visit, as screen readers list them. */
const present = (page: Page) => page.getByRole('list', { name: 'In this visit' }).getByRole('listitem');

test('interpreter by a link: joins provider and patient, is seen, heard and read by name, and is removed', async ({
  someone,
  demo,
  allow,
}) => {
  // The removed guest's requests.
  allow(/401|WebSocket/);
  const visit = await buildAppointmentInRoom(demo, { patient: 2 });
  const { page: doctor, context: doctorsBrowser } = await someone();
  await doctorsBrowser.grantPermissions(['clipboard-read', 'clipboard-write']);
  await comeAsDoctor(doctor, visit);
  const { page: patient } = await someone({ viewport: phone });
  await comeByLink(patient, visit);
  await expectMediaOf(doctor, 1);

  await doctor.keyboard.press('g');
  const dialog = doctor.getByRole('dialog', { name: 'Invite a person' });
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await expect(dialog.getByText('Required')).toBeVisible();
  const link = await invite(doctor, { name: 'Maria Lopez', role: 'Interpreter', contact: 'maria@example.test' });
  await dialog.getByRole('button', { name: 'Copy link for Maria Lopez' }).click();
  await expect(dialog.getByText('Link copied.')).toBeVisible();
  expect(await doctor.evaluate(() => navigator.clipboard.readText())).toBe(link);
  await dialog.getByRole('button', { name: 'Email the link to Maria Lopez at maria@example.test' }).click();
  await expect(dialog.getByText('The link is on its way to Maria Lopez.')).toBeVisible();
  await expect(dialog.getByText(/^Sent at \d+:\d\d [AP]M$/)).toBeVisible();
  await expectAccessible(doctor);

  const { page: guest } = await someone();
  await watchCalls(guest);
  await guest.goto(link);
  await expect(guest.getByText(/Demo Clinic invites you to a video visit with/)).toBeVisible();
  await expect(guest.getByText(visit.patientName)).toHaveCount(0);
  await expectAccessibleEverywhere(guest);
  await guest.setViewportSize(desktop);
  await join(guest, link, 'Maria Lopez');
  await expect(guest).toHaveURL(/#\/guest\/room$/);
  await Promise.all([doctor, patient, guest].map((page) => expectMediaOf(page, 2)));
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Maria Lopez' })).toContainText('In the visit');
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  for (const page of [doctor, patient])
    await expect(page.getByRole('figure').filter({ hasText: 'Maria Lopez (interpreter)' })).toBeVisible();
  await expect(present(patient)).toContainText(['You', 'Maria Lopez (interpreter)']);
  // The words that verify the encryption are of each pair.
  await expect(button(guest, /^Verification words with/)).toHaveCount(2);

  await say(guest, 'Buenos días, can everyone hear me?');
  for (const page of [doctor, patient]) await reads(page, 'Buenos días, can everyone hear me?');
  await expect(patient.getByRole('log')).toContainText('Maria Lopez (interpreter)');
  await say(patient, 'Yes, thank you.');
  await reads(guest, 'Yes, thank you.');
  await expect(guest.getByRole('log')).toContainText(visit.patientName);
  await expectAccessible(guest);
  // The fewest tools: neither files, notes and recording, nor the end of the visit.
  const tools = guest.getByRole('toolbar').getByRole('button');
  const names = await tools.evaluateAll((all) => all.map((one) => one.ariaLabel));
  expect(names).toEqual([
    'Settings',
    'Mute',
    'Turn camera off',
    'Leave the room',
    'Full screen',
    expect.stringMatching(/^Chat/),
  ]);

  // A picture of the patient is the patient's.
  await button(doctor, 'Take picture').click();
  await expect(patient.getByText('A picture was taken for your record.')).toBeVisible();
  await say(doctor, 'That was the picture.');
  await reads(guest, 'That was the picture.');
  await expect(guest.getByText('A picture was taken for your record.')).toHaveCount(0);

  await guest.reload();
  await expectMediaOf(guest, 2);
  await expectMediaOf(doctor, 2);
  await button(guest, 'Leave the room').click();
  await expect(guest.getByRole('heading', { name: 'You’ve left the visit' })).toBeVisible();
  await guest.getByRole('link', { name: 'Join again' }).click();
  await expectMediaOf(guest, 2);

  await button(doctor, 'Invite a person').click();
  await dialog.getByRole('button', { name: 'Remove Maria Lopez' }).click();
  await doctor.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(guest.getByRole('heading', { name: 'You’re no longer in this visit' })).toBeVisible();
  for (const page of [doctor, patient])
    await expect(page.getByRole('figure').filter({ hasText: 'Maria Lopez' })).toHaveCount(0);
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Maria Lopez' })).toContainText('Removed');
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await expectMediaOf(patient, 1);
  await guest.goto(link);
  await expect(guest.getByText(/This invitation is no longer valid/)).toBeVisible();
});

test('a guest before the provider: waits, joins without a camera, and the link ends with the visit', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/401|NotFoundError|WebSocket/);
  const visit = await buildAppointmentInRoom(demo, { patient: 3 });
  const { page: doctor } = await someone();
  await comeAsDoctor(doctor, visit);
  const link = await invite(doctor, { name: 'Ana Reyes', role: 'Family member' });
  await doctor.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  await button(doctor, 'Leave the room').click();
  await expect(doctor).toHaveURL(/waiting-room/);

  const { page: guest } = await someone({ viewport: phone });
  await watchCalls(guest);
  await guest.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('none', 'NotFoundError'));
  });
  await join(guest, link, 'Ana Reyes');
  await expect(guest.getByRole('heading', { name: /isn’t in the visit yet$/ })).toBeVisible();
  await expectAccessible(guest);

  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expect(doctor.getByLabel('Your video')).toBeVisible();
  await expect(guest).toHaveURL(/#\/guest\/room$/);
  await button(guest, 'Continue without camera').click();
  const { page: patient } = await someone({ viewport: phone });
  await comeByLink(patient, visit);
  await expect(present(doctor)).toHaveText(['You', 'Ana Reyes (family member)', visit.patientName]);

  await button(doctor, 'End the call').click();
  await doctor.getByRole('alertdialog').getByRole('button', { name: 'Finish call' }).click();
  await expect(guest.getByRole('heading', { name: 'The visit has ended' })).toBeVisible();
  await guest.goto(link);
  await expect(guest.getByText(/This invitation is no longer valid/)).toBeVisible();
});
