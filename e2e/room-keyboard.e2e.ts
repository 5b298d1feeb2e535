import type { Locator, Page } from '@playwright/test';
import { comeAsDoctor, comeByLink } from './support/guests.ts';
import { desktop, expect, expectRowsOf, headingOf, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectVideo, watchCalls } from './support/visit.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Expects that an element has the focus, and that a person sees where it is. */
async function expectFocusShown(page: Page): Promise<void> {
  const shown = await page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return 'the focus is lost';
    // A new page's heading takes the focus for screen readers; it is no stop of the keyboard.
    if (element.matches('h1[tabindex="-1"]')) return 'shown';
    const isText = element.matches('input, textarea, [contenteditable="true"], [role="spinbutton"], [role="combobox"]');
    for (const one of [element, element.parentElement]) {
      if (!one) continue;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
      if ((outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none') return 'shown';
    }
    return isText || element.matches('.Mui-focusVisible') ? 'shown' : element.outerHTML.slice(0, 200);
  });
  expect(shown).toBe('shown');
}

/** Presses Tab, or Shift+Tab, until the element has the focus. Each stop on the way must be visible. */
async function tabTo(page: Page, element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const isFocused = () => element.evaluate((one) => one === document.activeElement);
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press(key);
    if (await isFocused()) return expectFocusShown(page);
    // The browser's own controls are between the last element and the first.
    if (await page.evaluate(() => document.activeElement !== document.body)) await expectFocusShown(page);
  }
  throw new Error(`The keyboard does not reach ${String(element)}.`);
}

/** Follows the button by key. */
async function press(page: Page, element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await tabTo(page, element, key);
  await page.keyboard.press('Enter');
}

test('a whole visit with the keyboard alone: the focus is seen at each step and never lost', async ({
  someone,
  demo,
}) => {
  // Hundreds of keys, one after the other.
  test.setTimeout(600_000);
  const visit = await buildAppointmentInRoom(demo, { patient: 6, welcomeMessage: 'Please have your list at hand.' });

  // The patient comes by the code.
  const { page: patient } = await someone({ viewport: desktop });
  await watchCalls(patient);
  await patient.goto('/#/link');
  await expect(patient.getByRole('textbox')).toBeVisible();
  await tabTo(patient, patient.getByRole('textbox'));
  await patient.keyboard.type(visit.accessCode);
  await patient.keyboard.press('Enter');
  await expect(patient.getByText('Your provider will be with you soon, please do not close this window')).toBeVisible();
  await expect(headingOf(patient)).toBeFocused();
  await press(patient, button(patient, 'Check your camera and sound'));
  const check = patient.getByRole('dialog', { name: 'Check your camera and sound' });
  await expect(check).toBeVisible();
  await press(patient, check.getByRole('button', { name: 'Done' }));
  await expect(check).toHaveCount(0);
  await expect(button(patient, 'Check your camera and sound')).toBeFocused();

  // The provider comes by the list of today's appointments.
  const { page: doctor } = await someone({ viewport: { width: 1440, height: 900 } });
  await watchCalls(doctor);
  await signIn(doctor, 'doctor@demo.test');
  await expect(doctor.getByRole('heading', { name: /Waiting Room/ })).toBeVisible();
  await press(doctor, doctor.getByRole('link', { name: 'Today' }));
  await expect(doctor).toHaveURL(/appointment-list/);
  // Other stories book for today, too. The list gives its search the focus.
  await expect(doctor.getByRole('searchbox')).toBeFocused();
  const name = visit.patientName.split(' ').at(-1) ?? '';
  await doctor.keyboard.type(name);
  await expectRowsOf(doctor, name);
  const room = doctor.locator(`a[href="#/appointment/${visit.uid}"]`).first();
  await expect(room).toBeVisible();
  await press(doctor, room);
  await expect(doctor).toHaveURL(new RegExp(`#/appointment/${visit.uid}$`));
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  await expect(headingOf(doctor)).toBeFocused();
  // What had the focus is gone with the waiting.
  await expect(headingOf(patient)).toBeFocused();

  // Chat, by Tab: closed, opened, written, closed.
  const message = doctor.getByRole('textbox', { name: 'Message' });
  await press(doctor, button(doctor, 'Chat'));
  await expect(message).toHaveCount(0);
  await expect(button(doctor, 'Chat')).toBeFocused();
  await doctor.keyboard.press('Enter');
  await expect(message).toBeFocused();
  await doctor.keyboard.type('Good morning!');
  await doctor.keyboard.press('Enter');
  await expect(patient.getByRole('log')).toContainText('Good morning!');
  await press(doctor, button(doctor, 'Close chat'), 'Shift+Tab');
  await expect(message).toHaveCount(0);
  await expect(button(doctor, 'Chat')).toBeFocused();
  await patient.keyboard.press('c');
  await expect(patient.getByRole('log')).toHaveCount(0);
  await patient.keyboard.press('c');
  await expect(patient.getByRole('textbox', { name: 'Message' })).toBeFocused();
  await patient.keyboard.type('Good morning, doctor.');
  await patient.keyboard.press('Enter');
  await expect(button(doctor, 'Chat, 1 unread')).toBeFocused();

  // Notes and files, by their keys.
  await doctor.keyboard.press('n');
  const notes = doctor.getByRole('complementary', { name: 'Notes' });
  await expect(notes.getByRole('textbox')).toBeFocused();
  await doctor.keyboard.type('Sleeps well.');
  await press(doctor, button(doctor, 'Close notes'), 'Shift+Tab');
  await expect(button(doctor, 'Notes')).toBeFocused();
  await doctor.keyboard.press('a');
  await expect(doctor.getByRole('complementary', { name: 'Files' })).toBeFocused();
  await tabTo(doctor, button(doctor, 'Upload files'));
  await press(doctor, button(doctor, 'Close files'), 'Shift+Tab');
  await expect(button(doctor, 'Files')).toBeFocused();

  // Dialogs and menus return the focus.
  await press(doctor, button(doctor, 'Settings'));
  const settings = doctor.getByRole('dialog', { name: 'Camera, microphone, and speaker' });
  await expect(settings).toBeVisible();
  await tabTo(doctor, settings.getByRole('combobox', { name: 'Microphone' }));
  await doctor.keyboard.press('Escape');
  await expect(settings).toHaveCount(0);
  await expect(button(doctor, 'Settings')).toBeFocused();
  await doctor.keyboard.press('?');
  await expect(doctor.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await doctor.keyboard.press('Escape');
  await expect(doctor.getByRole('dialog')).toHaveCount(0);
  await expect(button(doctor, 'Settings')).toBeFocused();
  const menu = doctor.getByRole('menu');
  for (const tool of ['Patient’s video resolution', `Options for ${visit.patientName}`]) {
    await press(doctor, button(doctor, tool));
    await expect(menu.getByRole('menuitem').first()).toBeFocused();
    await doctor.keyboard.press('Escape');
    await expect(menu).toHaveCount(0);
    await expect(button(doctor, tool)).toBeFocused();
  }
  await press(doctor, button(doctor, /^(Good|Fair|Poor) connection with/), 'Shift+Tab');
  await expect(doctor.getByRole('button', { name: 'Turn video off to save data' })).toBeVisible();
  await doctor.keyboard.press('Escape');
  await expect(button(doctor, /^(Good|Fair|Poor) connection with/)).toBeFocused();

  // Devices, and the toolbar.
  await press(doctor, button(doctor, 'Mute'), 'Shift+Tab');
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  await expect(button(doctor, 'Mute')).toBeFocused();
  await doctor.keyboard.press('m');
  await expect(button(doctor, 'Mute')).toHaveAttribute('aria-pressed', 'false');
  await press(doctor, button(doctor, 'Hide toolbar'));
  await expect(button(doctor, 'Show toolbar')).toBeFocused();
  await expectFocusShown(doctor);
  await doctor.keyboard.press('n');
  await tabTo(doctor, button(doctor, 'Close notes'));
  await doctor.keyboard.press('Enter');
  await expect(button(doctor, 'Show toolbar')).toBeFocused();
  await doctor.keyboard.press('Enter');
  await expect(button(doctor, 'Hide toolbar')).toBeFocused();

  // The end.
  const question = doctor.getByRole('alertdialog');
  await doctor.keyboard.press('Shift+E');
  await expect(question).toContainText('Would you like to finish this call?');
  await doctor.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(button(doctor, 'End the call')).toBeFocused();
  await doctor.keyboard.press('Enter');
  await press(doctor, question.getByRole('button', { name: 'Finish call' }));
  await expect(doctor).toHaveURL(new RegExp(`#/appointment-edit/${visit.patientId}/${visit.appointmentId}$`));
  await expect(patient).toHaveURL(/#\/thank-you$/);
  await expect(patient.getByRole('heading', { name: 'Thank You!' })).toBeFocused();
  await tabTo(doctor, doctor.getByRole('link').first());
});

test('recording, sharing, a picture and an invitation: work with the keyboard alone', async ({ someone, demo }) => {
  test.setTimeout(600_000);
  const visit = await buildAppointmentInRoom(demo, { patient: 5 });
  const { page: patient } = await someone({ viewport: desktop });
  await comeByLink(patient, visit);
  const { page: doctor } = await someone({ viewport: { width: 1440, height: 900 } });
  await comeAsDoctor(doctor, visit);
  await Promise.all([expectVideo(doctor), expectVideo(patient)]);
  const sign = (page: Page, text: string) => page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) });

  // The patient is asked, and answers.
  await doctor.keyboard.press('r');
  const question = patient.getByRole('alertdialog', { name: 'Your provider would like to record this visit.' });
  await expect(question).toBeVisible();
  await press(patient, question.getByRole('button', { name: 'Allow', exact: true }));
  for (const page of [doctor, patient]) await expect(sign(page, 'Recording')).toBeVisible();
  await press(doctor, button(doctor, 'Stop recording'));
  for (const page of [doctor, patient]) await expect(sign(page, 'Recorded')).toBeVisible();
  await expect(button(doctor, 'Record this visit')).toBeFocused();

  await press(doctor, button(doctor, 'Share your screen'));
  await expect(patient.getByText(/’s screen$/)).toBeVisible();
  await expect(button(doctor, 'Stop sharing your screen')).toBeFocused();
  await doctor.keyboard.press('Enter');
  await expect(patient.getByText(/’s screen$/)).toHaveCount(0);
  await expectVideo(patient);

  // The sheet closes by its button; by itself it would not while the mouse is over it, so that the keys have time.
  await doctor.mouse.move(720, 870);
  await doctor.keyboard.press('p');
  const sheet = doctor.getByRole('dialog', { name: /^A picture has been taken/ });
  await expect(sheet).toBeVisible();
  await press(doctor, sheet.getByRole('button', { name: 'Close', exact: true }));
  await expect(sheet).toBeHidden();
  await expectFocusShown(doctor);

  await doctor.keyboard.press('g');
  const dialog = doctor.getByRole('dialog', { name: 'Invite a person' });
  await expect(dialog).toBeVisible();
  await tabTo(doctor, dialog.getByLabel('Name'));
  await doctor.keyboard.type('Maria Lopez');
  await tabTo(doctor, dialog.getByLabel('This person is'));
  await doctor.keyboard.press('Enter');
  await expect(doctor.getByRole('option', { name: 'Interpreter' })).toBeVisible();
  await doctor.keyboard.type('Inter');
  await doctor.keyboard.press('Enter');
  await press(doctor, dialog.getByRole('button', { name: 'Create link' }));
  const guest = dialog.getByRole('listitem').filter({ hasText: 'Maria Lopez' });
  await expect(guest).toContainText('Waiting');
  await tabTo(doctor, guest.getByRole('button').last());
  await doctor.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});
