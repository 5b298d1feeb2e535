import { expect as expectSoon, type Page } from '@playwright/test';
import { button } from './guests.ts';
import { expectBriefly, keepNotice, signIn } from './story.ts';
import { type Line, onlyThrough } from './turn.ts';
import { buildAppointmentInRoom, expectVideo, holdHub, type MadeVisit, reads, say, watchCalls } from './visit.ts';

/** A state of the room, or of a page before or after the visit, on the page of one person. */
export interface RoomState {
  readonly name: string;
  readonly page: Page;
  /** Where it exists; everywhere by default. `window`: in a window that keeps its size. */
  readonly only?: 'phone' | 'window';
  /** Restores the state after a change of the page's size. */
  readonly restore?: () => Promise<void>;
}

export interface Parts {
  readonly demo: { readonly url: string };
  /** Opens the browser of one more person, as wide as a desktop. */
  readonly open: () => Promise<Page>;
  /** Called in each state. It leaves the page as it was, but for its size. */
  readonly shown: (state: RoomState) => Promise<void>;
  /** The network of the patient, which is interrupted; without it the lost link is left out. */
  readonly line?: Line;
}

interface Meeting extends Parts {
  readonly visit: MadeVisit;
  readonly patient: Page;
  readonly staff: Page;
  readonly hub: Awaited<ReturnType<typeof holdHub>>;
}

/** Outside of the test runner too. */
const expect = expectSoon.configure({ timeout: 30_000 });

const panel = (page: Page, name: string) => page.getByRole('complementary', { name });

/** A narrow page closes the chat for the videos (STATE-21). */
async function openChat(page: Page): Promise<void> {
  await expect(async () => {
    if (!(await panel(page, 'Chat').isVisible())) await button(page, /^Chat/).click();
    await expect(panel(page, 'Chat')).toBeVisible({ timeout: 5_000 });
  }).toPass();
}

export async function closeChat(page: Page): Promise<void> {
  await expect(async () => {
    if (await panel(page, 'Chat').isVisible()) await button(page, 'Close chat').click({ timeout: 5_000 });
    await expect(panel(page, 'Chat')).toHaveCount(0, { timeout: 5_000 });
  }).toPass();
}

/** Leads a patient and staff through every state of the room. */
export async function playRoomStates(parts: Parts): Promise<void> {
  await beforeTheVisit(parts);
  const meeting = await meet(parts);
  await inCall(meeting);
  await panels(meeting);
  await dialogs(meeting);
  await group(meeting);
  await recording(meeting);
  await troubles(meeting);
  await ways(meeting);
}

async function beforeTheVisit({ demo, open, shown }: Parts): Promise<void> {
  const early = await buildAppointmentInRoom(demo, { patient: 6, minutesAhead: 180 });
  const page = await open();
  await page.goto(`/#/link/${early.accessCode}`);
  await expect(page.getByRole('heading', { name: 'Your visit is coming up' })).toBeVisible();
  await shown({ name: 'patient-early', page });
  await button(page, 'Check your camera and sound').click();
  await expect(page.getByText('Your camera works.')).toBeVisible();
  await shown({ name: 'patient-early-check', page });
  await page.close();

  const refused = await open();
  await refused.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  });
  const visit = await buildAppointmentInRoom(demo, { patient: 7 });
  await refused.goto(`/#/link/${visit.accessCode}`);
  await expect(refused.getByRole('alertdialog', { name: 'Video Camera Access is Required' })).toBeVisible();
  await shown({ name: 'patient-camera-refused', page: refused });
  await button(refused, 'Continue without camera').click();
  await expect(button(refused, 'Mute')).toHaveCount(0);
  await shown({ name: 'patient-without-camera', page: refused });
  await visit.change({ cancelled: true });
  await expect(refused.getByRole('heading', { name: 'This visit was cancelled by the clinic.' })).toBeVisible();
  await shown({ name: 'patient-cancelled', page: refused });
  await refused.close();
}

async function meet(parts: Parts): Promise<Meeting> {
  const { demo, open, shown, line } = parts;
  const visit = await buildAppointmentInRoom(demo, {
    patient: 5,
    welcomeMessage: 'Please have your medication list at hand.',
  });
  const staff = await open();
  await watchCalls(staff);
  await signIn(staff, 'doctor@demo.test');
  await expect(staff.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await staff.goto(`/#/appointment/${visit.uid}`);
  await expect(staff.getByText(`${visit.patientName} has not arrived yet`)).toBeVisible();
  await shown({ name: 'staff-alone', page: staff });
  await staff.goto('/#/waiting-room');
  await button(staff, 'Leave the visit').click();

  const patient = await open();
  if (line) await onlyThrough(patient, line.port);
  await watchCalls(patient);
  const hub = await holdHub(patient);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await expect(patient.getByText('Your provider will be with you soon, please do not close this window')).toBeVisible();
  await shown({ name: 'patient-waiting', page: patient });
  await button(patient, 'Check your camera and sound').click();
  await expect(patient.getByText('Your camera works.')).toBeVisible();
  await expect(patient.getByText(/^Your connection is (good|fair|poor)|The video connection is blocked/)).toBeVisible({
    timeout: 60_000,
  });
  await shown({ name: 'patient-device-check', page: patient });
  await button(patient, 'Done').click();

  await staff.goto(`/#/appointment/${visit.uid}`);
  await Promise.all([expectVideo(staff), expectVideo(patient)]);
  return { ...parts, visit, patient, staff, hub };
}

async function inCall({ patient, staff, shown }: Meeting): Promise<void> {
  for (const page of [staff, patient]) await closeChat(page);
  await shown({ name: 'staff-call', page: staff });
  await shown({ name: 'patient-call', page: patient });
  for (const page of [staff, patient]) await button(page, 'Hide toolbar').click();
  await shown({ name: 'staff-toolbar-hidden', page: staff });
  await shown({ name: 'patient-toolbar-hidden', page: patient });
  for (const page of [staff, patient]) await button(page, 'Show toolbar').click();

  await button(patient, 'Mute').click();
  await button(patient, 'Turn camera off').click();
  await expect(staff.getByRole('img', { name: 'camera off' })).toBeVisible();
  await shown({ name: 'staff-patient-without-video', page: staff });
  await shown({ name: 'patient-muted', page: patient });
  await button(patient, 'Mute').click();
  await button(patient, 'Turn camera off').click();

  await button(staff, 'Share your screen').click();
  await expect(patient.getByText(/’s screen$/)).toBeVisible();
  await shown({ name: 'staff-sharing', page: staff });
  await shown({ name: 'patient-sees-screen', page: patient });
  await button(staff, 'Stop sharing your screen').click();
  await expect(patient.getByText(/’s screen$/)).toHaveCount(0);
}

async function panels({ patient, staff, shown }: Meeting): Promise<void> {
  await say(staff, 'Good morning! How has your week been since we changed the dose?');
  await reads(patient, 'Good morning! How has your week been since we changed the dose?');
  await say(patient, 'Much better, thank you. I only had one headache on Tuesday.');
  await reads(staff, 'Much better, thank you. I only had one headache on Tuesday.');
  await shown({ name: 'staff-chat', page: staff, restore: () => openChat(staff) });
  await shown({ name: 'patient-chat', page: patient, restore: () => openChat(patient) });
  for (const page of [staff, patient]) await closeChat(page);

  await button(staff, 'Notes').click();
  const notes = panel(staff, 'Notes').getByRole('textbox', { name: 'Notes' });
  await expectBriefly(staff, 'Saved', async () => {
    await notes.fill('Headaches less frequent. Blood pressure 124/81.\nContinue with 5 mg, next visit in four weeks.');
    await notes.blur();
  });
  await expect(panel(staff, 'Notes').getByText('Saved', { exact: true })).toHaveCount(0);
  await shown({ name: 'staff-notes', page: staff });
  await button(staff, 'Close notes').click();

  await button(staff, 'Files').click();
  await expect(panel(staff, 'Files').getByText('No files yet')).toBeVisible();
  await shown({ name: 'staff-files-empty', page: staff });
  await panel(staff, 'Files')
    .getByLabel('Upload files')
    .last()
    .setInputFiles([
      { name: 'Care plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n') },
      {
        name: 'Laboratory report of the second of November with all values.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('text'),
      },
    ]);
  await keepNotice(patient, 'Your clinic shared a file with you.', () =>
    button(staff, 'Share Care plan.pdf with the patient').click(),
  );
  await shown({ name: 'patient-file-shared', page: patient });
  // Not by the notice: it may have been left by the mouse when the page's size changed.
  await button(patient, /^Files/).click();
  await expect(panel(patient, 'Files').getByRole('listitem')).toHaveCount(1);
  await shown({ name: 'patient-files', page: patient });
  await shown({ name: 'staff-files', page: staff });
  for (const page of [staff, patient]) await button(page, 'Close files').click();
}

async function dialogs({ patient, staff, shown, visit }: Meeting): Promise<void> {
  for (const [name, page] of [
    ['staff', staff],
    ['patient', patient],
  ] as const) {
    await button(page, 'Settings').click();
    await expect(page.getByRole('combobox', { name: 'Camera' })).toBeVisible();
    await shown({ name: `${name}-settings`, page });
    await button(page, 'Done').click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  await staff.keyboard.press('?');
  await expect(staff.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await shown({ name: 'staff-keys', page: staff });
  await staff.keyboard.press('Escape');
  await expect(staff.getByRole('dialog')).toHaveCount(0);
  await button(staff, `Options for ${visit.patientName}`).click();
  await expect(staff.getByRole('menu')).toBeVisible();
  await shown({ name: 'staff-person-menu', page: staff });
  await staff.keyboard.press('Escape');
  await expect(staff.getByRole('menu')).toHaveCount(0);
  await button(staff, /^(Good|Fair|Poor) connection with/).click();
  await shown({ name: 'staff-quality', page: staff });
  await staff.keyboard.press('Escape');
  await button(patient, /^Verification words with/).click();
  await shown({ name: 'patient-verification', page: patient });
  await patient.keyboard.press('Escape');
  await keepNotice(staff, 'A picture has been taken', () => button(staff, 'Take picture').click());
  await shown({ name: 'staff-picture-taken', page: staff });
  await button(staff, 'Close').click();
  for (const [name, page] of [
    ['staff', staff],
    ['patient', patient],
  ] as const) {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await button(page, /^More/).click();
    await expect(page.getByRole('dialog', { name: 'More' })).toBeVisible();
    await shown({ name: `${name}-more`, page, only: 'phone' });
    await page.keyboard.press('Escape');
    if (size) await page.setViewportSize(size);
  }
  await staff.keyboard.press('w');
  await expect(panel(staff, `Visit with ${visit.patientName}`)).toBeVisible();
  await shown({ name: 'staff-corner', page: staff });
  await button(staff, 'Return to the visit').click();
  await expectVideo(patient);
}

/** A colleague joins. */
async function group({ patient, staff, shown, open, visit }: Meeting): Promise<void> {
  const colleague = await open();
  await watchCalls(colleague);
  await signIn(colleague, 'staff@demo.test');
  await colleague.goto(`/#/appointment/${visit.uid}`);
  await expectVideo(colleague);
  for (const page of [staff, patient]) {
    await expect(page.locator('.room-tile')).toHaveCount(2);
  }
  await shown({ name: 'staff-group', page: staff });
  await shown({ name: 'patient-group', page: patient });
  await colleague.goto('/#/waiting-room');
  await button(colleague, 'Leave the visit').click();
  for (const page of [staff, patient]) await expect(page.locator('.room-tile')).toHaveCount(1);
  await colleague.close();
}

async function recording({ patient, staff, shown }: Meeting): Promise<void> {
  await button(staff, 'Record this visit').click();
  const question = patient.getByRole('alertdialog', { name: /would like to record this visit/ });
  await expect(question).toBeVisible();
  await shown({ name: 'patient-recording-asked', page: patient });
  await shown({ name: 'staff-recording-asking', page: staff });
  await question.getByRole('button', { name: 'Allow', exact: true }).click();
  for (const page of [staff, patient]) await expect(page.locator('.room-recording')).toHaveText('Recording');
  await shown({ name: 'patient-recorded', page: patient });
  await shown({ name: 'staff-recording', page: staff });
  // A recording of no length has nothing to upload.
  await staff.waitForTimeout(2_000);
  await staff.route('**/api/recordings?*', (route) => route.abort());
  await button(staff, 'Stop recording').click();
  await expect(staff.getByRole('progressbar', { name: /^The recording couldn’t be uploaded/ })).toBeVisible();
  await shown({ name: 'staff-upload-paused', page: staff });
  await keepNotice(staff, 'The recording has been uploaded.', () => staff.unroute('**/api/recordings?*'));
  await button(staff, 'Close').click();
}

async function troubles({ patient, staff, shown, hub, line }: Meeting): Promise<void> {
  await keepNotice(patient, 'Your connection is unstable. Trying to reconnect...', hub.cut);
  await shown({ name: 'patient-hub-lost', page: patient });
  await say(patient, 'Are you still there?');
  await expect(patient.getByText('Will be sent when you’re back online')).toBeVisible();
  await shown({ name: 'patient-chat-offline', page: patient, restore: () => openChat(patient) });
  await keepNotice(patient, 'The connection has been re-established.', async () => hub.mend());
  await button(patient, 'Close').click();
  await closeChat(patient);
  if (!line) return;
  line.open = false;
  for (const page of [staff, patient])
    await expect(page.getByText('Reconnecting…', { exact: true }).first()).toBeVisible({ timeout: 20_000 });
  await shown({ name: 'staff-link-lost', page: staff });
  await shown({ name: 'patient-link-lost', page: patient });
  line.open = true;
  await expect(staff.getByText('Reconnecting…', { exact: true })).toHaveCount(0, { timeout: 20_000 });
  await Promise.all([expectVideo(staff), expectVideo(patient)]);
}

/** The ways out of the room. */
async function ways({ patient, staff, shown, visit }: Meeting): Promise<void> {
  const second = await patient.context().newPage();
  await second.goto(`/#/appointment/${visit.uid}/pt`);
  await expect(patient.getByRole('heading', { name: 'This visit is open in another tab.' })).toBeVisible();
  await shown({ name: 'patient-moved', page: patient });
  await second.close();
  await button(patient, 'Use here').click();
  await expectVideo(patient);
  await button(patient, 'Leave the room').click();
  await expect(patient.getByRole('heading', { name: 'You have left the room' })).toBeVisible();
  await shown({ name: 'patient-left', page: patient });
  await expect(staff.getByText(`${visit.patientName} is not here right now`)).toBeVisible();
  await shown({ name: 'staff-patient-left', page: staff });
  await patient.getByRole('link', { name: 'Rejoin' }).click();
  await Promise.all([expectVideo(staff), expectVideo(patient)]);
  await button(staff, 'End the call').click();
  await expect(staff.getByRole('alertdialog')).toContainText('Would you like to finish this call?');
  await shown({ name: 'staff-end-question', page: staff });
  await button(staff, 'Finish call').click();
  await expect(patient).toHaveURL(/#\/thank-you$/);
  await expect(patient.getByRole('heading', { name: 'Thank You!' })).toBeVisible();
  await shown({ name: 'patient-thanked', page: patient });
  await expect(staff).toHaveURL(/appointment-edit/);
}
