import type { Page } from '@playwright/test';
import { apiAs } from './support/api.ts';
import { expect, expectAccessible, expectBriefly, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, watchCalls } from './support/visit.ts';

async function comeAs(page: Page, email: string, uid: string): Promise<void> {
  await watchCalls(page);
  await signIn(page, email);
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto(`/#/appointment/${uid}`);
  await expect(page.getByLabel('Your video')).toBeVisible();
}

const panel = (page: Page) => page.getByRole('complementary', { name: 'Notes' });
const field = (page: Page) => panel(page).getByRole('textbox', { name: 'Notes' });
const stored = async (demo: { url: string }, appointmentId: number) => {
  const api = await apiAs(demo, 'admin@demo.test');
  return (await api<{ notes: string }>('GET', `/api/appointments/${appointmentId}`)).notes;
};

test('notes in the room: are saved while typed, survive a reload without the server, and a conflict keeps both', async ({
  someone,
  demo,
  allow,
}) => {
  // The browser logs requests that fail on purpose, and the conflict.
  allow(/ERR_FAILED|ERR_INTERNET_DISCONNECTED|409|WebSocket/);
  const visit = await buildAppointmentInRoom(demo, { patient: 2 });
  const { page: doctor } = await someone();
  await comeAs(doctor, 'doctor@demo.test', visit.uid);
  await doctor.keyboard.press('n');
  await expect(field(doctor)).toBeVisible();
  const [room, box] = [await doctor.getByRole('main').boundingBox(), await panel(doctor).boundingBox()];
  expect(box?.x).toBe((room?.x ?? 0) + (room?.width ?? 0));
  await expectBriefly(doctor, 'Saved', () => field(doctor).fill('Blood pressure 120/80.'));
  await expect(panel(doctor).getByText('Saved', { exact: true })).toHaveCount(0);
  expect(await stored(demo, visit.appointmentId)).toBe('Blood pressure 120/80.');
  await expectAccessible(doctor);

  // Typed while the server is away, then the page is loaded again.
  await doctor.route('**/notes', (route) => route.abort());
  await field(doctor).fill('Blood pressure 130/85.');
  await field(doctor).blur();
  await expect(panel(doctor).getByText('Not saved yet. We’ll keep trying.')).toBeVisible();
  await expect(doctor.getByRole('button', { name: 'Notes, not saved yet' })).toBeVisible();
  await doctor.reload();
  // The room has opened, and the notes of before are still to be saved.
  await expect(doctor.getByRole('button', { name: 'Notes, not saved yet' })).toBeVisible();
  await doctor.unroute('**/notes');
  await expect.poll(() => stored(demo, visit.appointmentId)).toBe('Blood pressure 130/85.');

  // A colleague writes in the appointment's form meanwhile.
  await doctor.keyboard.press('n');
  await expect(field(doctor)).toHaveValue('Blood pressure 130/85.');
  const { page: colleague } = await someone();
  await signIn(colleague, 'admin@demo.test');
  await colleague.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  await colleague.getByRole('textbox', { name: 'Notes', exact: true }).fill('Allergic to penicillin.');
  await colleague.getByRole('textbox', { name: 'Notes', exact: true }).blur();
  await expect.poll(() => stored(demo, visit.appointmentId)).toBe('Allergic to penicillin.');
  await field(doctor).fill('Blood pressure 140/90.');
  await field(doctor).blur();
  const conflict = panel(doctor).getByRole('alert');
  await expect(conflict).toContainText('Someone else has changed the notes in the meantime.');
  await expect(conflict).toContainText('Allergic to penicillin.');
  await expectAccessible(doctor);
  await conflict.getByRole('button', { name: 'Keep both' }).click();
  await expect.poll(() => stored(demo, visit.appointmentId)).toBe('Allergic to penicillin.\n\nBlood pressure 140/90.');

  // On a phone the notes are over the videos, in place of the chat.
  await doctor.setViewportSize(phone);
  // The browser lays the page out after the change of its size.
  await expect.poll(async () => (await panel(doctor).boundingBox())?.width).toBe(phone.width);
  await expectAccessible(doctor);
  await doctor.keyboard.press('Escape');
  await expect(panel(doctor)).toHaveCount(0);
});
