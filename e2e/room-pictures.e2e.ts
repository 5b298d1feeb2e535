import { desktop, expect, expectAccessible, expectToast, keepNotice, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, watchCalls } from './support/visit.ts';

const sheetText = 'A picture has been taken - you can find it in the patient account';

test('staff take a picture: by the patient’s camera, or of the video when that fails @ROOM-11 @ABOUT-4', async ({
  someone,
  demo,
  allow,
}) => {
  // The patient's upload fails on purpose.
  allow(/ERR_FAILED.*\/api\/photos/);
  const visit = await buildAppointmentInRoom(demo, { patient: 3 });
  const { page: patient } = await someone({ viewport: phone });
  await watchCalls(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  const { page: doctor } = await someone({ viewport: desktop });
  await watchCalls(doctor);
  await signIn(doctor, 'doctor@demo.test');
  await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(doctor);
  await expectVideo(patient);
  await expect(patient.getByRole('button', { name: 'Take picture' })).toHaveCount(0);

  const uploads: string[] = [];
  for (const [who, page] of [
    ['patient', patient],
    ['doctor', doctor],
  ] as const) {
    page.on('request', (request) => request.url().includes('/api/photos') && uploads.push(who));
  }
  const take = doctor.getByRole('button', { name: 'Take picture' });
  const sheet = doctor.getByRole('dialog', { name: sheetText });
  await keepNotice(doctor, sheetText, () => take.click());
  await expect(sheet).toBeVisible();
  await expectToast(patient, 'A picture was taken for your record.');
  expect(uploads).toEqual(['patient']);
  await expectAccessible(doctor);
  // CONST-4: it closes by itself, once neither mouse nor focus is in it.
  await take.focus();
  await expect(sheet).toBeHidden();

  await patient.route('**/api/photos*', (route) => route.abort());
  await keepNotice(doctor, sheetText, () => take.click());
  expect(uploads).toEqual(['patient', 'patient', 'doctor']);

  // In the menu of the person it is beside the sound and the size.
  await patient.unroute('**/api/photos*');
  await take.focus();
  await expect(sheet).toBeHidden();
  const menu = doctor.getByRole('button', { name: `Options for ${visit.patientName}` });
  await menu.focus();
  await doctor.keyboard.press('Enter');
  await expect(doctor.getByRole('menuitem')).toHaveText([
    'Take picture',
    'Mute microphone',
    ...(await doctor.getByRole('menuitem').allTextContents()).slice(2),
  ]);
  await expectAccessible(doctor);
  await keepNotice(doctor, sheetText, () => doctor.getByRole('menuitem', { name: 'Take picture' }).click());
  expect(uploads).toEqual(['patient', 'patient', 'doctor', 'patient']);
  await patient.getByRole('button', { name: 'Turn camera off' }).click();
  await menu.click();
  await expect(doctor.getByRole('menuitem', { name: 'Take picture' })).toBeDisabled();
  await doctor.keyboard.press('Escape');

  // Those of the patient's side are as large as the camera's image; the test camera ignores the size that a photo asks for. A received video may be
  // smaller on a busy machine.
  const camera = await patient.locator('.room-self video').evaluate((video: HTMLVideoElement) => {
    const { width, height } = (video.srcObject as MediaStream).getVideoTracks()[0]?.getSettings() ?? {};
    return [width, height];
  });
  await doctor.goto(`/#/photo-list/${visit.patientId}`);
  const images = doctor.getByRole('main').getByRole('img');
  await expect(images).toHaveCount(3);
  const sizes = () =>
    images.evaluateAll((all) =>
      all.map((one) => [(one as HTMLImageElement).naturalWidth, (one as HTMLImageElement).naturalHeight]),
    );
  await expect.poll(async () => (await sizes()).every(([width = 0]) => width > 100)).toBe(true);
  expect((await sizes()).filter(([width]) => width === camera[0]).length).toBeGreaterThanOrEqual(2);
});
