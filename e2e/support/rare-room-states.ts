import { expect as expectSoon, type Page } from '@playwright/test';
import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { apiAs } from './api.ts';
import { testDevices, useRemovableDevices } from './devices.ts';
import { button, comeAsDoctor, comeByLink, invite, join } from './guests.ts';
import { holdReading } from './hold-reading.ts';
import { closeChat, type Parts } from './room-states.ts';
import { expectBriefly, keepNotice } from './story.ts';
import { buildAppointmentInRoom, expectMediaOf, expectVideo, type MadeVisit, watchCalls } from './visit.ts';

interface Meeting extends Parts {
  readonly visit: MadeVisit;
  readonly patient: Page;
  readonly staff: Page;
}

/** Outside of the test runner too. */
const expect = expectSoon.configure({ timeout: 30_000 });

const panel = (page: Page, name: string) => page.getByRole('complementary', { name });

/** Leads a patient and staff through the states of the room that are rarer than those of `playRoomStates`. */
export async function playRareRoomStates(parts: Parts): Promise<void> {
  await brokenDevices(parts);
  const { demo, open } = parts;
  const visit = await buildAppointmentInRoom(demo, { patient: 4 });
  const [patient, staff] = [await open(), await open()];
  await comeByLink(patient, visit);
  await comeAsDoctor(staff, visit);
  await Promise.all([expectVideo(staff), expectVideo(patient)]);
  for (const page of [staff, patient]) await closeChat(page);
  const meeting: Meeting = { ...parts, visit, patient, staff };
  await tools(meeting);
  await smallWindow(meeting);
  await fileBetweenDevices(meeting);
  await notesConflict(meeting);
  await guests(meeting);
  await timeLimit(meeting);
  for (const page of [staff, patient]) await page.close();
}

/** A camera that another program uses, and one that is unplugged. */
async function brokenDevices({ demo, open, shown }: Parts): Promise<void> {
  const visit = await buildAppointmentInRoom(demo, { patient: 3 });
  const busy = await open();
  await busy.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotReadableError'));
  });
  await busy.goto(`/#/link/${visit.accessCode}`);
  await expect(busy.getByRole('alertdialog', { name: 'The camera is in use' })).toBeVisible();
  await shown({ name: 'patient-camera-busy', page: busy });
  await busy.close();

  const page = await open();
  const webcam = [testDevices.cameras[0], testDevices.microphones[1]] as const;
  const devices = await useRemovableDevices(page, webcam);
  await page.goto(`/#/link/${visit.accessCode}`);
  await expect(page.getByLabel('Your video')).toBeVisible();
  await devices.unplug(...webcam);
  await expect(page.getByRole('alertdialog', { name: 'Your camera was disconnected' })).toBeVisible();
  await shown({ name: 'patient-camera-lost', page });
  await button(page, 'Retry').click();
  await expect(page.getByRole('alertdialog', { name: 'No camera found' })).toBeVisible();
  await shown({ name: 'patient-camera-none', page });
  await page.close();
}

async function tools({ patient, staff, shown }: Meeting): Promise<void> {
  const openMenu = async () => {
    await staff.keyboard.press('q');
    await expect(staff.getByRole('menuitem', { name: /^HD 720p/ })).toBeVisible();
  };
  const closeMenu = async () => {
    await staff.keyboard.press('Escape');
    await expect(staff.getByRole('menu')).toHaveCount(0);
  };
  await openMenu();
  // It is placed when it opens.
  await shown({ name: 'staff-resolutions', page: staff, restore: () => closeMenu().then(openMenu) });
  await closeMenu();

  await staff.evaluate(() => {
    const { mediaDevices } = navigator;
    mediaDevices.getDisplayMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  });
  await button(staff, 'Share your screen').click();
  await expect(staff.getByRole('alertdialog', { name: 'The screen sharing was declined' })).toBeVisible();
  await shown({ name: 'staff-sharing-declined', page: staff });
  await button(staff, 'Not now').click();
  await expect(staff.getByRole('alertdialog')).toHaveCount(0);

  await button(patient, /^(Good|Fair|Poor) connection with/).click();
  await button(patient, 'Turn video off to save data').click();
  await expect(staff.getByRole('img', { name: 'camera off' })).toBeVisible();
  await shown({ name: 'staff-patient-saves-data', page: staff });
  await shown({ name: 'patient-saves-data', page: patient });
  await button(patient, 'Turn video on').click();
  await expect(staff.getByRole('img', { name: 'camera off' })).toHaveCount(0);
}

async function smallWindow({ staff, shown }: Meeting): Promise<void> {
  const opening = staff.context().waitForEvent('page');
  await button(staff, 'Show the visit in a small window').click();
  const small = await opening;
  await expect(small.locator('.room-tile video')).toBeVisible();
  // The test browser shows it as large as the page.
  await small.setViewportSize({ width: 380, height: 520 });
  await shown({ name: 'staff-small-window', page: small, only: 'window' });
  const closing = small.waitForEvent('close');
  await button(staff, 'Close the small window').click();
  await closing;
}

async function fileBetweenDevices({ patient, staff, shown }: Meeting): Promise<void> {
  await button(staff, 'Files').click();
  const name = 'X-ray of the left knee.bin';
  const buffer = Buffer.alloc(12 * 1024 * 1024);
  await keepNotice(patient, `is sending you ${name}.`, () =>
    panel(staff, 'Files')
      .getByLabel('Send a file')
      .last()
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer }),
  );
  await shown({ name: 'patient-file-offered', page: patient });
  // Not by the notice: it may have been left by the mouse when the page's size changed.
  await button(patient, /^Files/).click();
  const accept = patient.getByRole('button', { name: `Accept ${name}` });
  await expect(accept).toBeVisible();
  await shown({ name: 'patient-file-to-accept', page: patient });
  await shown({ name: 'staff-file-waits', page: staff });
  const reading = await holdReading(staff, buffer.length / 2);
  await accept.click();
  await expect.poll(reading.isHeld).toBe(true);
  await shown({ name: 'patient-file-arrives', page: patient });
  await shown({ name: 'staff-file-is-sent', page: staff });
  await reading.release();
  await expect(panel(staff, 'Files').getByText('Delivered')).toBeVisible();
  await shown({ name: 'patient-file-received', page: patient });
  await shown({ name: 'staff-file-delivered', page: staff });
  for (const page of [staff, patient]) await button(page, 'Close files').click();
}

async function notesConflict({ demo, staff, shown, visit }: Meeting): Promise<void> {
  await button(staff, 'Notes').click();
  const notes = panel(staff, 'Notes');
  await expectBriefly(staff, 'Saved', async () => {
    await notes.getByRole('textbox').fill('Blood pressure 130/85.');
    await notes.getByRole('textbox').blur();
  });
  const api = await apiAs(demo, 'admin@demo.test');
  const path = `/api/appointments/${visit.appointmentId}`;
  const { notesVersion } = await api<{ notesVersion: number }>('GET', path);
  await api('PUT', `${path}/notes`, { notes: 'Allergic to penicillin.', notesVersion });
  await notes.getByRole('textbox').fill('Blood pressure 140/90.');
  await notes.getByRole('textbox').blur();
  const conflict = notes.getByRole('alert');
  await expect(conflict).toContainText('Allergic to penicillin.');
  await shown({ name: 'staff-notes-conflict', page: staff });
  await conflict.getByRole('button', { name: 'Keep both' }).click();
  await expect(conflict).toHaveCount(0);
  await button(staff, 'Close notes').click();
}

async function guests({ patient, staff, open, shown }: Meeting): Promise<void> {
  await button(staff, 'Invite a person').click();
  const dialog = staff.getByRole('dialog', { name: 'Invite a person' });
  await expect(dialog.getByLabel('Name')).toBeVisible();
  await shown({ name: 'staff-invite', page: staff });
  const link = await invite(staff, { name: 'Maria Lopez', role: 'Interpreter', contact: 'maria@example.test' });
  await shown({ name: 'staff-invited', page: staff });
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();

  const guest = await open();
  await watchCalls(guest);
  await guest.goto(link);
  await expect(guest.getByRole('heading', { name: 'Hello Maria Lopez' })).toBeVisible();
  await shown({ name: 'guest-hello', page: guest });
  await join(guest, link, 'Maria Lopez');
  await Promise.all([staff, patient, guest].map((page) => expectMediaOf(page, 2)));
  await shown({ name: 'guest-in-visit', page: guest });
  await shown({ name: 'staff-with-guest', page: staff });
  await button(guest, 'Leave the room').click();
  await expect(guest.getByRole('heading', { name: 'You’ve left the visit' })).toBeVisible();
  await shown({ name: 'guest-left', page: guest });
  await guest.getByRole('link', { name: 'Join again' }).click();
  await expectMediaOf(guest, 2);
  await button(staff, 'Invite a person').click();
  await dialog.getByRole('button', { name: 'Remove Maria Lopez' }).click();
  await shown({ name: 'staff-remove-question', page: staff });
  await staff.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(guest.getByRole('heading', { name: 'You’re no longer in this visit' })).toBeVisible();
  await shown({ name: 'guest-removed', page: guest });
  await shown({ name: 'staff-removed', page: staff });
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await guest.close();
}

/** The last minute, and the time beyond a limit of a quarter of an hour. */
async function timeLimit({ staff, shown }: Meeting): Promise<void> {
  for (const [name, minutes, text] of [
    ['staff-last-minute', 14.05, /^0:\d\d left$/],
    ['staff-over-time', 17, /^\+[1-9]:\d\d$/],
  ] as const) {
    await staff.route(/\/api\/teleappointments\/\w+$/, async (route) => {
      const response = await route.fetch();
      const visit = (await response.json()) as Teleappointment;
      // From the beginning, since the parts before take longer on a busy machine.
      const now = new Date(Date.parse(visit.joinedAt ?? '') + minutes * 60_000).toISOString();
      await route.fulfill({ response, json: { ...visit, limit: 15, now } });
    });
    await staff.reload();
    await expectVideo(staff);
    await expect(staff.getByRole('timer')).toHaveText(text);
    await shown({ name, page: staff });
    await staff.unroute(/\/api\/teleappointments\/\w+$/);
  }
}
