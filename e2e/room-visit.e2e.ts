import type { Page } from '@playwright/test';
import { desktop, expect, expectAccessible, expectToast, keepNotice, phone, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, framesOf, holdHub, type MadeVisit, watchCalls } from './support/visit.ts';

/** Opens the patient's link. */
async function comeByLink(page: Page, visit: MadeVisit): Promise<void> {
  await watchCalls(page);
  await page.goto(`/#/link/${visit.accessCode}`);
  await expect(page.getByLabel('Your video')).toBeVisible();
}

/** Signs the demo's doctor in and opens the room. */
async function comeAsDoctor(page: Page, visit: MadeVisit, more = ''): Promise<void> {
  await watchCalls(page);
  await signIn(page, 'doctor@demo.test');
  await expect(page).toHaveURL(/waiting-room/);
  await page.goto(`/#/appointment/${visit.uid}${more}`);
  await expect(page.getByLabel('Your video')).toBeVisible();
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

test('patient on a phone and provider: meet, talk and end @MENU-5 @ROOM-5 @ROOM-8 @ROOM-9 @STATE-11 @STATE-16 @STATE-21', async ({
  someone,
  demo,
}) => {
  const welcomeMessage = 'Please have your medication list at hand.\nSit in a quiet room.';
  const visit = await buildAppointmentInRoom(demo, { welcomeMessage });
  const { page: patient } = await someone({ viewport: phone, colorScheme: 'dark' });
  await comeByLink(patient, visit);
  await expect(patient.getByText('Your provider will be with you soon, please do not close this window')).toBeVisible();
  await expect(patient.getByText('Please have your medication list at hand.')).toHaveText(welcomeMessage, {
    useInnerText: true,
  });
  await expect(patient.getByText(/Your visit is scheduled for \d+:\d\d [AP]M/)).toBeVisible();
  await expect(button(patient, 'End the call')).toBeDisabled();
  // A phone has room for the tools of most visits; the others are in a sheet.
  await button(patient, 'More').click();
  const more = patient.getByRole('dialog', { name: 'More' });
  await expect(more.getByRole('button', { name: 'Leave the room' })).toBeDisabled();
  await expect(more.getByRole('button', { name: 'Settings' })).toBeEnabled();
  await patient.keyboard.press('Escape');
  await expect(button(patient, 'I’ll come back later')).toBeEnabled();
  const subBar = patient.locator('.room-subbar');
  await expect(subBar).toBeVisible();
  await expectAccessible(patient);
  await button(patient, 'Chat').click();
  await expect(patient.getByRole('textbox', { name: 'Message' })).toBeVisible();

  const { page: doctor } = await someone({ viewport: desktop });
  await comeAsDoctor(doctor, visit);
  await expectVideo(doctor);
  await expectVideo(patient);
  await expect(doctor.getByRole('heading', { name: visit.patientName })).toBeVisible();
  await expect(doctor.getByRole('timer')).toBeVisible();
  // Taps that are within three seconds on a busy machine, too.
  const tapTitle = (title: HTMLElement) => {
    for (let taps = 0; taps < 5; taps += 1) title.click();
  };
  await keepNotice(doctor, 'Build ', () => doctor.getByRole('heading', { name: visit.patientName }).evaluate(tapTitle));
  await expect(doctor.getByText(/^Build [0-9a-f]{8}, peer D_\d+_\w+$/)).toBeVisible();
  await button(doctor, 'Close').click();
  await expect(patient.getByRole('timer')).toHaveCount(0);
  await expect(patient.getByRole('heading', { name: 'Demo Clinic' })).toBeVisible();
  // On a phone the chat closes for the videos; a wide screen has room for both.
  await expect(patient.getByRole('textbox', { name: 'Message' })).toHaveCount(0);
  const beside = await doctor.getByRole('complementary', { name: 'Chat' }).boundingBox();
  const stage = await doctor.getByRole('main').boundingBox();
  expect(stage?.x).toBe((beside?.x ?? 0) + (beside?.width ?? 0));
  await expect(subBar).toHaveCount(0);
  const tools = patient.getByRole('toolbar').getByRole('button');
  const names = await tools.evaluateAll((all) =>
    all.filter((one) => one.checkVisibility()).map((one) => one.ariaLabel),
  );
  expect(names).toEqual(['Mute', 'Turn camera off', 'End the call', 'Chat', 'More']);

  await doctor.getByRole('textbox', { name: 'Message' }).fill('Good morning, can you hear me?');
  await doctor.keyboard.press('Enter');
  await button(patient, 'Chat, 1 unread').click();
  expect((await patient.getByRole('complementary', { name: 'Chat' }).boundingBox())?.width).toBe(phone.width);
  await expect(patient.getByRole('log')).toContainText('Good morning, can you hear me?');
  await patient.getByRole('textbox', { name: 'Message' }).fill('Very well, thank you.');
  await patient.keyboard.press('Enter');
  await expect(doctor.getByRole('log')).toContainText('Very well, thank you.');
  await expectAccessible(patient);
  await patient.keyboard.press('Escape');
  await expect(patient.getByRole('textbox', { name: 'Message' })).toHaveCount(0);

  await button(patient, 'Mute').click();
  await button(patient, 'Turn camera off').click();
  await expect(button(patient, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  await expect(doctor.getByRole('img', { name: 'muted' })).toBeVisible();
  await expect(doctor.getByRole('img', { name: 'camera off' })).toBeVisible();
  await expectAccessible(doctor);
  await button(patient, 'Turn camera off').click();
  await expect(doctor.getByRole('img', { name: 'camera off' })).toHaveCount(0);

  await button(patient, 'Hide toolbar').click();
  await expect(button(patient, 'Mute')).toHaveCount(0);
  await button(patient, 'Show toolbar').click();
  await expect(button(patient, 'Mute')).toBeVisible();

  await button(doctor, 'End the call').click();
  const question = doctor.getByRole('alertdialog');
  await expect(question).toContainText('Would you like to finish this call?');
  await question.getByRole('button', { name: 'Stay' }).click();
  await expectVideo(patient);
  await button(doctor, 'End the call').click();
  await question.getByRole('button', { name: 'Finish call' }).click();
  await expect(patient).toHaveURL(/#\/thank-you$/);
  await expect(doctor).toHaveURL(new RegExp(`#/appointment-edit/${visit.patientId}/${visit.appointmentId}$`));
  await expect(doctor.getByRole('region', { name: 'This visit' })).toBeVisible();
  // The person who ended the visit gets no notice about it.
  await expect(doctor.getByText(/has left\.$/)).toHaveCount(0);
});

test('leaving, returning, reloading and losing the hub: do not end the visit @ROOM-10 @STATE-11 @STATE-15', async ({
  someone,
  demo,
  allow,
}) => {
  // The browser logs failed requests while the hub is unreachable.
  allow(/ERR_FAILED.*messaging|WebSocket/);
  // 'Rejoin' leads to the visit that was left, not to another one of the same hour.
  await buildAppointmentInRoom(demo, { patient: 1, minutesAhead: -5 });
  const visit = await buildAppointmentInRoom(demo, { patient: 1 });
  const { page: doctor } = await someone();
  await comeAsDoctor(doctor, visit);
  await expect(doctor.getByText(`${visit.patientName} has not arrived yet`)).toBeVisible();
  const { page: patient } = await someone({ viewport: phone });
  const hub = await holdHub(patient);
  await comeByLink(patient, visit);
  await expectVideo(doctor);

  await button(patient, 'More').click();
  await button(patient, 'Leave the room').click();
  await expect(patient).toHaveURL(/#\/waiting-room$/);
  await expectToast(doctor, `${visit.patientName} has left.`);
  await expect(doctor.getByText(`${visit.patientName} is not here right now`)).toBeVisible();
  await expect(patient.getByRole('heading', { name: 'You have left the room' })).toBeVisible();
  await expectAccessible(patient);
  await patient.getByRole('link', { name: 'Rejoin' }).click();
  await expectVideo(doctor);
  await expectVideo(patient);

  await patient.reload();
  await expectVideo(patient);
  await expectVideo(doctor);

  await hub.cut();
  await expectToast(patient, 'Your connection is unstable. Trying to reconnect...');
  await button(patient, 'Chat').click();
  await patient.getByRole('textbox', { name: 'Message' }).fill('Are you still there?');
  await patient.keyboard.press('Enter');
  await expect(patient.getByText('Will be sent when you’re back online')).toBeVisible();
  // Longer than the server's grace period: the provider still sees the patient.
  const frames = await framesOf(doctor);
  await expect.poll(() => framesOf(doctor), { timeout: 90_000 }).toBeGreaterThan(frames + 50);
  await expectVideo(patient);
  await expect(doctor.getByText(`${visit.patientName} has left.`)).toHaveCount(0);
  hub.mend();
  await expectToast(patient, 'The connection has been re-established.');
  await expect(doctor.getByRole('log').getByText('Are you still there?')).toHaveCount(1);
  await expectVideo(doctor);

  await button(patient, 'Close chat').click();
  await button(patient, 'End the call').click();
  await button(patient, 'Finish call').click();
  await expect(patient).toHaveURL(/#\/thank-you$/);
  await expectToast(doctor, `${visit.patientName} has left.`);
});

test('second tab: takes the room over, and the first can take it back', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 2 });
  const { page: first, context } = await someone();
  await comeByLink(first, visit);
  const second = await context.newPage();
  await second.goto(`/#/appointment/${visit.uid}/pt`);
  await expect(first.getByRole('heading', { name: 'This visit is open in another tab.' })).toBeVisible();
  await expect(first.getByLabel('Your video')).toHaveCount(0);
  await button(first, 'Use here').click();
  await expect(second.getByRole('heading', { name: 'This visit is open in another tab.' })).toBeVisible();
  await expect(first.getByLabel('Your video')).toBeVisible();
});

test('room’s address: accepts dashes, and a third segment hides the toolbar @ROOM-1', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 3 });
  const { page } = await someone();
  const dashed = visit.uid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  await comeAsDoctor(page, { ...visit, uid: dashed }, '/1');
  await expect(page.getByText(`${visit.patientName} has not arrived yet`)).toBeVisible();
  await expect(button(page, 'Mute')).toHaveCount(0);
  await button(page, 'Show toolbar').click();
  await expect(button(page, 'Mute')).toBeVisible();
});

test('early patient: sees the time, and enters the room when the clinic moves the visit', async ({ someone, demo }) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 4, minutesAhead: 3 * 24 * 60 });
  const { page } = await someone({ viewport: phone, timezoneId: 'America/Chicago' });
  await page.clock.install();
  await page.goto(`/#/link/${visit.accessCode}`);
  await expect(page.getByRole('heading', { name: 'Your visit is coming up' })).toBeVisible();
  await expect(page.getByText(/That’s .* E[SD]T clinic time\./)).toBeVisible();
  await expectAccessible(page);
  const download = page.waitForEvent('download');
  await button(page, 'Add to calendar').click();
  expect((await download).suggestedFilename()).toMatch(/\.ics$/);
  await visit.change({ startDate: new Date().toISOString() });
  await page.clock.fastForward('01:05');
  await expect(page.getByText('Your provider will be with you soon, please do not close this window')).toBeVisible();
});

test('cancellation: closes an open room and says so', async ({ someone, demo, allow }) => {
  // What the page is reading when its sign-in ends.
  allow(/401/);
  const visit = await buildAppointmentInRoom(demo, { patient: 5 });
  const { page } = await someone({ viewport: phone });
  const hub = page.waitForEvent('websocket');
  await comeByLink(page, visit);
  const closed = (await hub).waitForEvent('close');
  await visit.change({ cancelled: true });
  const word = page.getByRole('heading', { name: 'This visit was cancelled by the clinic.' });
  await expect(word).toBeVisible();
  // Code and sign-in have ended; the text stays.
  await closed;
  await expect(word).toBeVisible();
});

test('refused camera: shows how to allow it, Retry, and the visit continues without one @CONST-5', async ({
  someone,
  demo,
}) => {
  const visit = await buildAppointmentInRoom(demo, { patient: 6 });
  const { page } = await someone({ viewport: phone });
  await page.addInitScript(() => {
    const devices = navigator.mediaDevices;
    const real = devices.getUserMedia.bind(devices);
    Object.assign(globalThis, { allowCamera: false });
    devices.getUserMedia = async (wish) => {
      const { allowCamera } = globalThis as unknown as { allowCamera: boolean };
      if (!allowCamera && wish?.video) throw new DOMException('', 'NotAllowedError');
      return real(wish);
    };
  });
  await page.goto(`/#/link/${visit.accessCode}`);
  const dialog = page.getByRole('alertdialog', { name: 'Video Camera Access is Required' });
  await expect(dialog).toContainText('Please enable your web camera to continue');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Continue without camera' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(button(page, 'Mute')).toBeVisible();
  await expect(button(page, 'Turn camera off')).toHaveCount(0);
  const tracks = (video: HTMLVideoElement) => (video.srcObject as MediaStream | null)?.getVideoTracks().length ?? 0;
  expect(await page.locator('.room-self video').evaluate(tracks)).toBe(0);

  await page.reload();
  await expect(dialog).toBeVisible();
  await page.evaluate(() => Object.assign(globalThis, { allowCamera: true }));
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await expect(button(page, 'Turn camera off')).toBeVisible();
});
