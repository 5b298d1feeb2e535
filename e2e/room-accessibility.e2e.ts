import { playRareRoomStates } from './support/rare-room-states.ts';
import { playRoomStates, type RoomState } from './support/room-states.ts';
import { desktop, expect, expectAccessible, expectAccessibleEverywhere, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, watchCalls } from './support/visit.ts';

test('visit that waits, is too early, or runs: axe finds nothing', async ({ someone, demo }) => {
  const early = await buildAppointmentInRoom(demo, { patient: 6, minutesAhead: 180 });
  const { page: earlyPage } = await someone({ timezoneId: 'Europe/Berlin' });
  await earlyPage.goto(`/#/link/${early.accessCode}`);
  await expect(earlyPage.getByRole('heading', { name: 'Your visit is coming up' })).toBeVisible();
  await expectAccessibleEverywhere(earlyPage);
  await earlyPage.getByRole('button', { name: 'Check your camera and sound' }).click();
  await expect(earlyPage.getByText('Your camera works.')).toBeVisible();
  await expectAccessibleEverywhere(earlyPage);
  await earlyPage.getByRole('button', { name: 'Done' }).click();
  await expect(earlyPage.getByText('Your camera works.')).toHaveCount(0);

  const visit = await buildAppointmentInRoom(demo, {
    patient: 5,
    welcomeMessage: 'Please have your medication list at hand.',
  });
  const { page: patient } = await someone();
  await watchCalls(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(patient.getByText('Your provider will be with you soon, please do not close this window')).toBeVisible();
  await expectAccessibleEverywhere(patient);
  const { page: staff } = await someone();
  await signIn(staff, 'admin@demo.test');
  await expect(staff.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await staff.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(patient);
  await expectAccessibleEverywhere(patient);
  await expectAccessibleEverywhere(staff);
});

const sizeOf = ({ name, only }: RoomState) => (only === 'phone' || /^(patient|guest)/.test(name) ? phone : desktop);

for (const [title, play] of [
  ['every state of a visit', playRoomStates],
  ['devices that fail, files between devices, conflicts, guests, a visit over its time', playRareRoomStates],
] as const) {
  test(`${title}: axe finds nothing`, async ({ someone, demo, allow }) => {
    // Thirty states or more, each with a look of axe, which takes seconds on a busy machine.
    test.setTimeout(600_000);
    // The hub is cut, an upload aborted and notes conflict on purpose; a cancelled visit and a removed guest end a sign-in.
    allow(/ERR_FAILED|WebSocket|401|409/);
    await play({
      demo,
      open: async () => (await someone()).page,
      shown: async (state) => {
        const { page, only } = state;
        if (only === 'window') return expectAccessible(page);
        await page.setViewportSize(sizeOf(state));
        await state.restore?.();
        await expectAccessible(page);
        await page.setViewportSize(only === 'phone' ? phone : desktop);
      },
    });
  });
}
