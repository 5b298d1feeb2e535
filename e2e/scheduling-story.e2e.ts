import type { Locator, Page } from '@playwright/test';
import { apiAs, dayAhead } from './support/api.ts';
import { expect, signIn, test } from './support/story.ts';

const longDate = (date: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));

/** The first Wednesday after the demo's own two weeks. */
function aWednesday(): string {
  let days = 16;
  while (new Date(`${dayAhead(days)}T00:00:00Z`).getUTCDay() !== 3) days += 1;
  return dayAhead(days);
}

async function drag(page: Page, what: Locator, to: { x: number; y: number }): Promise<void> {
  const box = await what.boundingBox();
  if (!box) throw new Error('Not on the screen.');
  await page.mouse.move(box.x + 20, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x, (box.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

test('weekly rule: a visit is booked by link, moved by the clinic and cancelled by the patient @SCHED-3 @RULES-4', async ({
  someone,
  allow,
  startOwnDemo,
}) => {
  allow(/401|409/);
  // A separate clinic, since a rule changes the available slots of all stories.
  const demo = await startOwnDemo();
  const url = demo.url;
  const date = aWednesday();
  const { page } = await someone({ url });
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();

  // A weekly rule: Wednesdays, nine to eleven, with Maya Reyes.
  await page.goto('/#/admin/scheduling/edit/0');
  await page.getByLabel('Description').fill('Wednesday clinic');
  await page.getByRole('radio', { name: 'Weekly' }).check();
  await page.getByRole('checkbox', { name: 'Wednesday' }).check();
  await page.getByRole('checkbox', { name: 'Maya Reyes' }).check();
  for (const [edge, time] of [
    ['Start', '0900a'],
    ['End', '1100a'],
  ]) {
    await page
      .getByRole('group', { name: new RegExp(`^${edge} of slot 1`) })
      .getByRole('spinbutton', { name: 'Hours' })
      .click();
    await page.keyboard.type(time ?? '');
  }
  await page.getByRole('button', { name: 'Save' }).click();
  // Appointments at other times stay booked, and are listed.
  const outside = page.getByRole('dialog', { name: /booked appointments? now falls? outside the schedule/ });
  await outside.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('link', { name: 'Wednesday clinic' })).toBeVisible();

  // The calendar shows this week's Wednesday as open and its Thursday as closed.
  await page.goto(`/#/schedule/monthly/${date}`);
  await page.getByRole('button', { name: 'None', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Maya Reyes' }).check();
  const dayLink = (day: string) => page.getByRole('link', { name: new RegExp(`^${longDate(day)}, `) });
  await expect(dayLink(date)).not.toHaveAccessibleName(/no open time/);
  const thursday = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
  await expect(dayLink(thursday)).toHaveAccessibleName(/no open time/);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.goto(`/#/schedule/daily/${date}`);
  const column = (name: string) => page.getByRole('group', { name: new RegExp(`^${name}, `) });
  await expect(column('Maya Reyes')).toHaveAccessibleName('Maya Reyes, no appointments');

  // A patient books by link on a phone.
  const admin = await apiAs(demo, 'admin@demo.test');
  const { companyUid } = await admin<{ companyUid: string }>('GET', '/api/companies/0');
  const patient = await someone({ url, viewport: { width: 360, height: 740 } });
  await patient.page.goto(`/#/patient/book/${companyUid}`);
  await patient.page.getByRole('button', { name: 'Maya Reyes' }).click();
  const day = patient.page.getByRole('radio', { name: new RegExp(`^${longDate(date)}, `) });
  await expect(patient.page.getByRole('radio').first()).toBeVisible();
  // The halves of a month are loaded apart.
  await expect(patient.page.locator('.rs-wait')).toHaveCount(0);
  if (!(await day.isVisible())) await patient.page.getByRole('button', { name: 'Next month' }).click();
  await day.check();
  const times = patient.page.getByRole('region', { name: `Available times on ${longDate(date)}` });
  await expect(times.getByRole('button').first()).toHaveText('9:00 AM');
  await expect(times.getByRole('button').last()).toHaveText('10:30 AM');
  await times.getByRole('button', { name: '9:30 AM' }).click();
  await patient.page.getByLabel('First name').fill('Orla');
  await patient.page.getByLabel('Last name').fill("O'Story");
  await patient.page.getByLabel('Month').fill('5');
  await patient.page.getByLabel('Day', { exact: true }).fill('17');
  await patient.page.getByLabel('Year').fill('1990');
  await patient.page.getByLabel('Email').fill('orla@example.test');
  await patient.page.getByRole('button', { name: 'Book this visit' }).click();
  await expect(patient.page.getByRole('heading', { name: 'Your visit is booked' })).toBeVisible();

  // It appears on the clinic's day without a reload.
  const visit = page.getByRole('link', { name: /^O'Story, Orla 9:30 AM to 10:00 AM, with Maya Reyes/ });
  await expect(visit).toBeVisible();
  await expect(column('Maya Reyes')).toHaveAccessibleName('Maya Reyes, 1 appointment');

  // Dragged to another doctor, half an hour later.
  const [from, target] = [await visit.boundingBox(), await column('Jonas Lindqvist').boundingBox()];
  await drag(page, visit, { x: (target?.x ?? 0) + (target?.width ?? 0) / 2, y: (from?.y ?? 0) + 8 + 2 * 26 });
  const moved = page.getByRole('link', { name: /^O'Story, Orla 10:00 AM to 10:30 AM, with Jonas Lindqvist/ });
  await expect(moved).toBeVisible();
  await expect(page.getByText(/ moved to \d+:\d\d [AP]M/)).toBeVisible();

  // The patient gets the new time by mail, with an updated calendar entry.
  const outbox = await someone({ url });
  const mail = outbox.page.getByRole('article', { name: /^New time for your video visit with Demo Clinic/ });
  await expect(async () => {
    await outbox.page.goto('/dev/outbox');
    await expect(mail.first()).toBeVisible({ timeout: 1000 });
  }).toPass();
  await expect(mail.first()).toContainText('orla@example.test');
  await expect(mail.first()).toContainText('10:00 AM Eastern');
  await expect(mail.first()).toContainText('Jonas Lindqvist');
  await expect(mail.first()).toContainText('SEQUENCE:1');

  // Dragging it onto a taken slot reverts it.
  const rival = await admin<{ data: { patientId: number }[] }>('GET', '/api/patients?top=1&skip=0&filter=Tanaka');
  const doctors = await admin<{ data: { userId: number; lastName: string }[] }>('GET', '/api/doctors');
  const reyes = doctors.data.find(({ lastName }) => lastName === 'Reyes')?.userId ?? 0;
  const blank = await admin<{ startDate: string }>('GET', `/api/appointments/0?date=${date}&time=1000&doctor=${reyes}`);
  await admin('POST', '/api/appointments', {
    appointmentId: 0,
    version: 0,
    startDate: blank.startDate,
    doctorId: reyes,
    cancelled: false,
    patientId: rival.data[0]?.patientId,
    cancellationNotes: '',
    externalId: '',
    welcomeMessage: '',
  });
  const taken = page.getByRole('link', { name: /^Tanaka, .* 10:00 AM .* with Maya Reyes/ });
  await expect(taken).toBeVisible();
  const there = await taken.boundingBox();
  await drag(page, moved, { x: (there?.x ?? 0) + 60, y: (there?.y ?? 0) + 8 });
  await page.getByRole('alertdialog').getByRole('button', { name: 'Pick another time' }).click();
  await expect(moved).toBeVisible();

  // After the patient's cancellation the slot is free again.
  await patient.page.getByRole('link', { name: 'Go to my visit' }).click();
  await patient.page.getByRole('link', { name: 'Move or cancel' }).click();
  await expect(patient.page.getByRole('region', { name: 'Your visit' })).toContainText('10:00 AM');
  await patient.page.getByRole('button', { name: 'Cancel visit' }).click();
  const yes = patient.page.getByRole('button', { name: 'Yes, cancel it' });
  // As red as the staff's.
  await expect(yes).toHaveClass(/rs-button-danger-primary/);
  await yes.click();
  await expect(patient.page.getByRole('heading', { name: 'Your visit is cancelled' })).toBeVisible();
  await expect(moved).toHaveCount(0);
  const lindqvist = doctors.data.find(({ lastName }) => lastName === 'Lindqvist')?.userId ?? 0;
  const slots = await admin<{ data: { startDate: string; free: boolean }[] }>(
    'GET',
    `/api/schedule/slots?doctorId=${lindqvist}&date=${date}`,
  );
  expect(slots.data).toContainEqual({ startDate: blank.startDate, free: true });
});
