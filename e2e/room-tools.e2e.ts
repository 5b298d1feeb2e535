import type { Locator, Page } from '@playwright/test';
import { changeCompany } from './support/company.ts';
import { patientArrives } from './support/peer.ts';
import {
  desktop,
  expect,
  expectAccessible,
  expectToast,
  headingOf,
  jumpErrors,
  keepNotice,
  phone,
  signIn,
  test,
} from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, framesOf, type MadeVisit, say, watchCalls } from './support/visit.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Patient and provider in one visit, with video on both sides. */
async function meet(patient: Page, doctor: Page, visit: MadeVisit): Promise<void> {
  await watchCalls(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(patient.getByLabel('Your video')).toBeVisible();
  await watchCalls(doctor);
  await signIn(doctor, 'doctor@demo.test');
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(doctor);
  await expectVideo(patient);
}

/** The size of the video that the page receives. */
const receivedSize = (page: Page) =>
  page
    .locator('.room-tile video')
    .first()
    .evaluate((video: HTMLVideoElement) => `${video.videoWidth}x${video.videoHeight}`);

test('provider: shares the screen by key, changes resolution, mutes the patient, and chooses devices @STATE-19 @CONST-6', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 3 });
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone({ viewport: desktop });
  await meet(patient, doctor, visit);

  // Nothing of it is offered to a patient (ROLE-2).
  for (const name of [/screen$/, /resolution/, /Options for/]) await expect(button(patient, name)).toHaveCount(0);
  const sizeBefore = await receivedSize(patient);
  await doctor.keyboard.press('s');
  await expect(button(doctor, 'Stop sharing your screen')).toHaveAttribute('aria-pressed', 'true');
  await expect(patient.getByText(/’s screen$/)).toBeVisible();
  await expect.poll(() => receivedSize(patient)).not.toBe(sizeBefore);
  await doctor.keyboard.press('s');
  await expect(patient.getByText(/’s screen$/)).toHaveCount(0);
  await expectVideo(patient);

  // Type 5 reaches the patient's camera.
  const { evaluateCamera } = cameraOf(patient);
  expect(await evaluateCamera()).toBe('640x480');
  await doctor.keyboard.press('q');
  await expect(doctor.getByRole('menuitem')).toHaveText([
    'QVGA 240p (320×240)',
    'SD 480p (640×480)',
    'HD 720p (1280×720)',
    'FullHD 1080p (1920×1080)',
    '4k UHD 2160p (3840×2160)',
  ]);
  await doctor.getByRole('menuitem', { name: 'QVGA 240p (320×240)' }).click();
  await expect.poll(evaluateCamera).toBe('320x240');
  await button(doctor, /Options for/).click();
  await doctor.getByRole('menuitem', { name: 'SD 480p (640×480)', exact: true }).click();
  await expect.poll(evaluateCamera).toBe('640x480');

  // On a phone the tool is in a sheet that closes: the menu is beside the button of the sheet, by tap and by key.
  await doctor.setViewportSize(phone);
  for (const open of [
    async () => {
      await button(doctor, 'More').click();
      await button(doctor, 'Patient’s video resolution').click();
    },
    () => doctor.keyboard.press('q'),
  ]) {
    await open();
    // Behind an open menu the bar is hidden from roles.
    await expectBeside(doctor.getByRole('menu'), doctor.locator('[data-tool="more"]'));
    await doctor.keyboard.press('Escape');
    await expect(doctor.getByRole('menu')).toHaveCount(0);
  }
  await doctor.setViewportSize(desktop);

  // Type 6 mutes; only the patient unmutes.
  await button(doctor, /Options for/).click();
  await doctor.getByRole('menuitem', { name: 'Mute microphone' }).click();
  await expect(button(patient, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  await expectToast(patient, 'Maya Reyes has muted your microphone.');
  await expect(doctor.getByRole('img', { name: 'muted' })).toBeVisible();
  await button(doctor, /Options for/).click();
  await keepNotice(patient, 'Maya Reyes is asking you to turn on your microphone.', () =>
    doctor.getByRole('menuitem', { name: 'Ask to turn on microphone' }).click(),
  );
  await expect(button(patient, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  await button(patient, 'Turn on').click();
  await expect(button(patient, 'Mute')).toHaveAttribute('aria-pressed', 'false');

  await doctor.keyboard.press('t');
  const settings = doctor.getByRole('dialog', { name: 'Camera, microphone, and speaker' });
  await settings.getByRole('combobox', { name: 'Camera' }).click();
  await doctor.getByRole('option', { name: 'fake_device_1' }).click();
  await expect(settings.getByRole('combobox', { name: 'Camera' })).toHaveText('fake_device_1');
  await expect(settings.getByRole('meter', { name: 'Microphone level' })).not.toHaveAttribute('aria-valuenow', '0');
  await expectAccessible(doctor);
  await button(doctor, 'Done').click();
});

/** Expects a menu that opens at a button: it overlaps it or is at most 16 px away, once it has stopped moving. */
async function expectBeside(menu: Locator, opener: Locator): Promise<void> {
  await expect(async () => {
    const [box, at] = await Promise.all([menu.boundingBox(), opener.boundingBox()]);
    if (!box || !at) throw new Error('Not visible.');
    expect(Math.max(box.x - (at.x + at.width), at.x - (box.x + box.width))).toBeLessThanOrEqual(16);
    expect(Math.max(box.y - (at.y + at.height), at.y - (box.y + box.height))).toBeLessThanOrEqual(16);
  }).toPass({ timeout: 20_000 });
}

/** The width and height that the page's own camera delivers. */
function cameraOf(page: Page) {
  const evaluateCamera = () =>
    page.locator('.room-self video').evaluate((video: HTMLVideoElement) => {
      const [track] = (video.srcObject as MediaStream).getVideoTracks();
      const { width, height } = track?.getSettings() ?? {};
      return `${width}x${height}`;
    });
  return { evaluateCamera };
}

test('provider alone: tries a refused camera and a declined sharing again, and enlarges the own video @STATE-13', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 4 });
  const { page: doctor } = await someone();
  await doctor.addInitScript(() => {
    Object.assign(globalThis, { allowCamera: false });
    const open = MediaDevices.prototype.getUserMedia;
    navigator.mediaDevices.getUserMedia = async (options) => {
      const { allowCamera } = globalThis as unknown as { allowCamera: boolean };
      if (!allowCamera) throw new DOMException('Denied', 'NotAllowedError');
      return open.call(navigator.mediaDevices, options);
    };
    let answers = 0;
    const share = MediaDevices.prototype.getDisplayMedia;
    navigator.mediaDevices.getDisplayMedia = async (options) => {
      answers += 1;
      if (answers === 1) throw new DOMException('Denied', 'NotAllowedError');
      if (answers === 3) throw new DOMException('Gone', 'NotReadableError');
      return share.call(navigator.mediaDevices, options);
    };
  });
  await signIn(doctor, 'doctor@demo.test');
  await doctor.goto(`/#/appointment/${visit.uid}`);
  const refused = doctor.getByRole('alertdialog', { name: 'Video Camera Access is Required' });
  await expect(refused).toContainText('Please enable your web camera to continue');
  await doctor.evaluate(() => Object.assign(globalThis, { allowCamera: true }));
  await refused.getByRole('button', { name: 'Retry' }).click();
  await expect(button(doctor, 'Turn camera off')).toBeVisible();
  await button(doctor, 'Share your screen').click();
  const question = doctor.getByRole('alertdialog', { name: 'The screen sharing was declined' });
  await expect(question).toContainText('Would you like to try again?');
  await question.getByRole('button', { name: 'Try Again' }).click();
  await expect(button(doctor, 'Stop sharing your screen')).toBeVisible();
  await doctor.keyboard.press('s');
  await expect(button(doctor, 'Share your screen')).toBeVisible();
  await keepNotice(doctor, 'Cannot switch the streams.', () => doctor.keyboard.press('s'));
  await expect(button(doctor, 'Share your screen')).toBeVisible();

  const { evaluateCamera } = cameraOf(doctor);
  expect(await evaluateCamera()).toBe('640x480');
  await button(doctor, 'Settings').click();
  await doctor.getByRole('combobox', { name: 'Your video resolution' }).click();
  await doctor.getByRole('option', { name: 'HD 720p (1280×720)', exact: true }).click();
  await expect.poll(evaluateCamera).toBe('1280x720');
});

test('keyboard: each tool has a key, ? lists them, typing presses none, and they can be turned off', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 5 });
  const { page: doctor } = await someone();
  await signIn(doctor, 'doctor@demo.test');
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'false');
  const tools = doctor.getByRole('toolbar').getByRole('button');
  const keys = await tools.evaluateAll((all) => all.map((one) => one.getAttribute('aria-keyshortcuts')));
  expect(keys).not.toContain(null);
  expect(new Set(keys).size).toBe(keys.length);

  await doctor.keyboard.press('m');
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  await doctor.getByRole('textbox', { name: 'Message' }).fill('');
  await doctor.keyboard.type('m');
  await expect(doctor.getByRole('textbox', { name: 'Message' })).toHaveValue('m');
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'true');

  await button(doctor, 'Mute').focus();
  await doctor.keyboard.press('ArrowRight');
  await expect(button(doctor, 'Turn camera off')).toBeFocused();
  await doctor.keyboard.press('?');
  const list = doctor.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(list).toContainText('Share your screen');
  await expectAccessible(doctor);
  await list.getByRole('switch', { name: 'Use single keys as shortcuts' }).click();
  await list.getByRole('button', { name: 'Close' }).click();
  await expect(list).toHaveCount(0);
  await doctor.keyboard.press('m');
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  await doctor.reload();
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  await doctor.keyboard.press('m');
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'true');
});

test('running visit: goes on in a corner of other pages, returns by one tap, and ends with the sign-out', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 6 });
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor } = await someone({ viewport: desktop });
  await meet(patient, doctor, visit);

  await doctor.keyboard.press('w');
  await expect(doctor).toHaveURL(new RegExp(`#/patient-edit/${visit.patientId}/appointments$`));
  const corner = doctor.getByRole('complementary', { name: `Visit with ${visit.patientName}` });
  await expect(corner).toBeVisible();
  await expectVideo(doctor);
  await expectVideo(patient);
  await expectAccessible(doctor);
  await doctor.goto('/#/appointment-list');
  await expect(corner).toBeVisible();
  await expectVideo(patient);
  // One click on the sheet of another patient does not leave it.
  const other = await buildAppointmentInRoom(demo, { patient: 7 });
  const next = await keepNotice(doctor, 'Patient Arrived', () => patientArrives(demo, other));
  await doctor.getByRole('button', { name: 'See the Patient' }).click();
  const question = doctor.getByRole('alertdialog', { name: `Leave your visit with ${visit.patientName}?` });
  await expect(question).toBeVisible();
  await expectAccessible(doctor);
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toHaveCount(0);
  await expect(doctor).toHaveURL(/#\/appointment-list/);
  await corner.getByRole('button', { name: 'Mute' }).click();
  await expect(patient.getByRole('img', { name: 'muted' })).toBeVisible();
  const before = await framesOf(doctor);
  // Its chat is not seen, so that a message is shown and counted.
  await say(patient, 'I can’t hear you.');
  await expectToast(doctor, `${visit.patientName}: I can’t hear you.`);
  await corner.getByRole('button', { name: 'Return (1 new)' }).click();
  await expect(corner).toHaveCount(0);
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  // The same connection: its frames go on counting.
  expect(await framesOf(doctor)).toBeGreaterThanOrEqual(before);
  await expect(patient.getByText(/has left/)).toHaveCount(0);
  next.leave();

  await doctor.keyboard.press('w');
  await expect(corner).toBeVisible();
  await doctor.goto('/#/logout');
  await expectToast(patient, 'Maya Reyes has left.');
});

test('small window: shows the visit above other windows, goes with it to other pages, and closes with it', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 7 });
  const { page: patient } = await someone({ viewport: phone });
  const { page: doctor, context } = await someone({ viewport: desktop });
  await meet(patient, doctor, visit);
  const opening = context.waitForEvent('page');
  await button(doctor, 'Show the visit in a small window').click();
  const small = await opening;
  const video = small.locator('.room-tile video');
  await expect(video).toBeVisible();
  // The page plays the sound.
  expect(await video.evaluate((element: HTMLVideoElement) => element.muted)).toBe(true);
  expect(await small.locator('body').evaluate((body) => getComputedStyle(body).display)).toBe('flex');
  // Its styles are those of the page, also those of parts that the page does not show.
  expect((await button(small, 'Return to the visit').boundingBox())?.x).toBeGreaterThan(0);
  // The notes are beside the video, and are the same as in the panel.
  await small.getByRole('textbox', { name: 'Notes' }).fill('Heard in the small window.');
  await button(doctor, 'Notes').click();
  await expect(doctor.getByRole('complementary', { name: 'Notes' }).getByRole('textbox')).toHaveValue(
    'Heard in the small window.',
  );
  await button(small, 'Mute').click();
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'true');

  await doctor.goto('/#/appointment-list');
  await expect(doctor.getByRole('complementary', { name: `Visit with ${visit.patientName}` })).toBeVisible();
  await expect(video).toBeVisible();
  const closing = small.waitForEvent('close');
  await doctor.getByRole('button', { name: 'Leave the visit' }).click();
  await closing;
  await expectToast(patient, 'Maya Reyes has left.');
});

/** The names of the shown tools, in their order. */
const toolsOf = (page: Page) =>
  page
    .getByRole('banner')
    .getByRole('toolbar')
    .getByRole('button')
    .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.ariaLabel));

test('roles: have their tools in the order of the bar, panels on their sides, a grid of videos, and the timer for staff @ROOM-3 @ROOM-4 @ROLE-2 @ROLE-3', async ({
  someone,
  demo,
  allow,
}) => {
  // The hub reconnects after a jump of the page's time.
  allow(jumpErrors);
  const restore = await changeCompany(demo, { limit: 15 });
  const visit = await buildAppointmentInRoom(demo, { patient: 8 });
  const { page: patient } = await someone({ viewport: desktop });
  const { page: doctor } = await someone({ viewport: { width: 1440, height: 900 } });
  await watchCalls(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(patient.getByLabel('Your video')).toBeVisible();
  // Until there is a feed a patient cannot leave or end.
  await expect(button(patient, 'Leave the room')).toBeDisabled();
  await expect(button(patient, 'End the call')).toBeDisabled();
  await doctor.clock.install();
  await watchCalls(doctor);
  await signIn(doctor, 'doctor@demo.test');
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(doctor);
  await expectVideo(patient);
  await restore();

  await expect(button(patient, 'Leave the room')).toBeEnabled();
  // No notes, screen share, recording, resolution, picture or upload, and no controls of the other side.
  expect(await toolsOf(patient)).toEqual([
    ...['Files', 'Settings', 'Mute', 'Turn camera off', 'Leave the room', 'End the call', 'Full screen', 'Chat'],
  ]);
  await expect(button(patient, /^Options for/)).toHaveCount(0);
  await button(patient, 'Files').click();
  const shared = patient.getByRole('complementary', { name: 'Files' });
  await expect(shared.getByRole('button', { name: /Upload|Send a file/ })).toHaveCount(0);
  await expect(patient.getByRole('timer')).toHaveCount(0);

  expect(await toolsOf(doctor)).toEqual([
    ...['Notes', 'Files', 'Take picture', 'Share your screen', 'Record this visit', 'Patient’s video resolution'],
    ...['Invite a person', 'Settings', 'Mute', 'Turn camera off', 'Leave the room', 'End the call'],
    'Open the patient’s chart and keep the visit in a corner',
    ...['Show the visit in a small window', 'Full screen', 'Chat'],
  ]);
  await button(doctor, /^Options for/).click();
  await expect(doctor.getByRole('menuitem', { name: 'Mute microphone' })).toBeVisible();
  await doctor.keyboard.press('Escape');
  await expect(doctor.getByRole('timer')).toHaveText(/^1\d:\d\d left$/);
  await button(doctor, 'Notes').click();
  await expect(doctor.getByRole('complementary', { name: 'Notes' })).toBeVisible();
  const [chat, stage, notes] = await Promise.all(
    [
      doctor.getByRole('complementary', { name: 'Chat' }),
      doctor.getByRole('main'),
      doctor.getByRole('complementary', { name: 'Notes' }),
    ].map((one) => one.boundingBox()),
  );
  expect(chat?.x).toBe(0);
  expect(stage?.x).toBe(chat?.width);
  expect(notes?.x).toBe((stage?.x ?? 0) + (stage?.width ?? 0));

  // An upload is shown before the title.
  const held = Promise.withResolvers<void>();
  await doctor.route(/\/api\/appointments\/\d+\/files\?/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await button(doctor, 'Files').click();
  await doctor
    .getByLabel('Upload files', { exact: true })
    .and(doctor.locator('input'))
    .setInputFiles({ name: 'Plan.txt', mimeType: 'text/plain', buffer: Buffer.from('Rest and water.') });
  const progress = doctor.getByRole('banner').getByRole('progressbar', { name: /^Uploading 1 file/ });
  await expect(progress).toBeVisible();
  const [bar, title] = await Promise.all([progress, headingOf(doctor)].map((one) => one.boundingBox()));
  expect(bar?.x ?? 0).toBeLessThan(title?.x ?? 0);
  held.resolve();
  await expect(progress).toHaveCount(0);

  // Any other role is staff; recording is for providers and administrators.
  const { page: staff } = await someone({ viewport: desktop });
  await signIn(staff, 'staff@demo.test');
  await staff.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(patient);
  await expect(button(staff, 'Notes')).toBeVisible();
  await expect(button(staff, 'Share your screen')).toBeVisible();
  await expect(button(staff, 'Record this visit')).toHaveCount(0);
  // The videos of two others are side by side.
  await expect(patient.locator('.room-tile')).toHaveCount(2);
  const [left, right] = await patient
    .locator('.room-tile')
    .evaluateAll((tiles) =>
      tiles.map((tile) => tile.getBoundingClientRect()).map(({ x, y, width }) => ({ x, y, width })),
    );
  expect(right?.y).toBe(left?.y);
  expect(right?.x).toBeGreaterThanOrEqual((left?.x ?? 0) + (left?.width ?? 0));
  await staff.close();

  // Beyond the limit the timer counts the time over it, and the visit goes on.
  // The server's time goes on as before: a visit that is read again after the jump would set the timer back.
  await doctor.route(/\/api\/teleappointments\/\w+$/, () => {});
  await doctor.clock.fastForward(16 * 60_000);
  await expect(doctor.getByRole('timer')).toHaveText(/^\+\d+:\d\d$/);
  await doctor.unroute(/\/api\/teleappointments\/\w+$/);
  await expectVideo(patient);

  // Only where the company allows recordings.
  const allowAgain = await changeCompany(demo, { allowRecording: false });
  await doctor.reload();
  await expect(button(doctor, 'Mute')).toBeVisible();
  await expect(button(doctor, 'Record this visit')).toHaveCount(0);
  await allowAgain();

  await button(patient, 'End the call').click();
  await button(patient, 'Finish call').click();
  await expect(patient).toHaveURL(/#\/thank-you$/);
});
