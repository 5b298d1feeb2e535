import { apiAs, dayAhead } from './support/api.ts';
import { createClinic } from './support/company.ts';
import { expect, expectAccessible, phone, signIn, test } from './support/story.ts';

interface TimeOffRow {
  timeOffId: number;
  version: number;
  userId: number | null;
  provider: unknown;
  firstDay: string;
  lastDay: string;
  reason: string;
  appointments: number;
}

test('a rule is made with a preview of its dates, saved, disabled and deleted @RULES-1 @RULES-2 @RULES-3 @RULES-4 @RULES-5 @RULES-6 @STATE-27 @ENTITY-12 @ENTITY-13 @VALID-28', async ({
  someone,
}) => {
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/scheduling');
  const table = page.getByRole('table', { name: 'Scheduling Rules' });
  await expect(table.getByRole('columnheader')).toHaveText([
    'Id',
    'Description',
    'From',
    'To',
    'Pattern',
    'Providers',
    'Created',
    'Actions',
  ]);
  await expect(table.getByRole('row', { name: /Tuesday evenings.*Every week on Tue/ })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'New rule' }).click();
  await expect(page.getByRole('heading', { name: 'Scheduling Rule Editor', level: 1 })).toBeVisible();
  // ENTITY-13: one time, from today, one empty time slot, every interval 1.
  await expect(page.getByRole('radio', { name: 'One Time' })).toBeChecked();
  const [year = '', month = '', day = ''] = dayAhead(0).split('-');
  await expect(page.getByRole('group', { name: 'Start date' }).getByRole('spinbutton')).toHaveText([month, day, year]);
  for (const name of [/^Start of slot 1/, /^End of slot 1/])
    await expect(page.getByRole('group', { name }).getByRole('spinbutton')).toHaveText(['hh', 'mm', 'aa']);
  await page.getByRole('radio', { name: 'Daily' }).check();
  await expect(page.getByRole('radio', { name: 'Every N days' })).toBeChecked();
  await expect(page.getByLabel('Repeat every (days)')).toHaveValue('1');
  await page.getByRole('radio', { name: 'Weekly' }).check();
  await expect(page.getByLabel('Repeat every (weeks)')).toHaveValue('1');
  await page.getByRole('radio', { name: 'Monthly' }).check();
  await expect(page.getByRole('radio', { name: 'Days by number' })).toBeChecked();
  await expect(page.getByRole('radio', { name: 'Every N months' })).toBeChecked();
  await expect(page.getByLabel('Repeat every (months)')).toHaveValue('1');
  await page.getByRole('radio', { name: 'One Time' }).check();
  // RULES-4: every type has the end date, which says where it has no effect.
  await expect(page.getByRole('group', { name: 'End date' })).toBeVisible();
  await expect(page.getByText('A one-time rule applies on its start date only.')).toBeVisible();
  await expect(page.getByRole('group', { name: /^Start of slot/ })).toHaveCount(1);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Please select at least one provider.').first()).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Description').fill('Saturday mornings');
  await page.getByRole('radio', { name: 'Weekly' }).check();
  await page.getByRole('checkbox', { name: 'Saturday' }).check();
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview.getByText('Every week on Sat')).toBeVisible();
  await expect(preview.getByRole('listitem')).toHaveCount(10);
  await expect(preview.getByRole('listitem').first()).toHaveText(/^Saturday, /);
  await page.getByLabel('Repeat every (weeks)').fill('2');
  await expect(preview.getByText('Every 2 weeks on Sat')).toBeVisible();
  // RULES-6: a disabled rule has no recurrence.
  await page.getByRole('switch', { name: 'Disabled' }).check();
  await expect(page.getByRole('radio', { name: 'Weekly' })).toBeHidden();
  await page.getByRole('switch', { name: 'Disabled' }).uncheck();
  // An hour without appointments, so that none is outside of the schedule after the change.
  const start = page.getByRole('group', { name: /^Start of slot 1/ });
  await start.getByRole('spinbutton', { name: 'Hours' }).click();
  await page.keyboard.type('0500a');
  await page
    .getByRole('group', { name: /^End of slot 1/ })
    .getByRole('spinbutton', { name: 'Hours' })
    .click();
  await page.keyboard.type('0600a');
  await page.getByRole('button', { name: 'Add a time slot' }).click();
  await expect(page.getByRole('group', { name: /^Start of slot/ })).toHaveCount(2);
  await page.getByRole('button', { name: 'Delete slot 2' }).click();
  await page.getByRole('checkbox', { name: 'Jonas Lindqvist' }).check();
  const [saved] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/api/rules')),
    page.getByRole('button', { name: 'Save' }).click(),
  ]);
  expect(saved.postDataJSON()).toMatchObject({ ruleId: 0, ruleType: 'W', createdByUser: null, changes: null });

  // STATE-27: back to the list. RULES-5: so does All Rules.
  await page.getByRole('link', { name: 'Saturday mornings' }).click();
  await page.getByRole('link', { name: 'All Rules' }).click();
  await expect(page).toHaveURL(/#\/admin\/scheduling$/);
  const row = table.getByRole('row', { name: /Saturday mornings.*Every 2 weeks on Sat.*Jonas L\./ });
  await expect(row).toBeVisible();
  await row.getByRole('link', { name: 'Saturday mornings' }).click();
  await expect(page.getByRole('heading', { name: 'Saturday mornings', level: 1 })).toBeVisible();
  await page.getByRole('switch', { name: 'Disabled' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  const disabled = table.getByRole('link', { name: 'Saturday mornings (disabled)' });
  await expect(disabled).toHaveCSS('text-decoration-line', 'line-through');
  await disabled.click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('Would you like to delete this rule?')).toBeVisible();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(table).toBeVisible();
  await expect(table.getByRole('link', { name: /Saturday mornings/ })).toHaveCount(0);
});

test('rules: are daily or monthly, end at midnight, and are listed by page, search and column @RULES-1 @RULES-4 @STATE-27', async ({
  someone,
  demo,
}) => {
  const { emails } = await createClinic(demo, ['A', 'D']);
  const [admin = ''] = emails;
  const api = await apiAs(demo, admin);
  const { data: doctors } = await api<{ data: { userId: number }[] }>('GET', '/api/doctors');
  const others = ['Alpha', 'Bravo', 'Charlie', 'Delta', 'Echo'];
  for (const description of others)
    await api('POST', '/api/rules', {
      ruleId: 0,
      version: 0,
      description,
      disabled: false,
      ruleType: 'S',
      activeStartDate: dayAhead(1),
      activeEndDate: null,
      dailyType: 1,
      everyNday: 1,
      everyNweek: 1,
      everyNmonth: 1,
      weekMask: 0,
      monthMask: 0,
      yearMask: 0,
      weekMonthMask: 0,
      monthlyType1: 1,
      monthlyType2: 1,
      apptRulesTimes: [{ startTime: '09:00', endTime: '12:00' }],
      apptRulesPhysicians: [{ physicianId: doctors[0]?.userId }],
    });
  const { page } = await someone();
  await signIn(page, admin);
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  // STATE-27: an id below 0 is a new rule too.
  await page.goto('/#/admin/scheduling/edit/-3');
  await page.getByLabel('Description').fill('Night shift');
  await page.getByRole('checkbox', { name: 'Ada Key' }).first().check();
  const slot = async (which: 'Start' | 'End', time: string) => {
    await page
      .getByRole('group', { name: new RegExp(`^${which} of slot 1`) })
      .getByRole('spinbutton', { name: 'Hours' })
      .click();
    await page.keyboard.type(time);
  };
  await slot('Start', '0900p');
  await slot('End', '1200a');
  const preview = page.getByRole('region', { name: 'Preview' });
  const radio = (name: string) => page.getByRole('radio', { name, exact: true });
  const box = (name: string) => page.getByRole('checkbox', { name, exact: true });

  await radio('Daily').check();
  await page.getByLabel('Repeat every (days)').fill('3');
  await expect(preview).toContainText('Every 3 days');
  await radio('Every weekday (Monday to Friday)').check();
  await expect(preview).toContainText('Every weekday');
  await expect(page.getByLabel('Repeat every (days)')).toHaveCount(0);
  // What is wrong in a field that is hidden does not stop the rule.
  await radio('Weekly').check();
  await page.getByLabel('Repeat every (weeks)').fill('');
  await radio('Monthly').check();
  const days = page.getByRole('group', { name: 'Days of the month' });
  await expect(days.getByRole('checkbox')).toHaveCount(32);
  await box('15').check();
  await box('Last day').check();
  await page.getByLabel('Repeat every (months)').fill('2');
  await expect(preview).toContainText('Every 2 months on the 15th and the last day');
  const [created] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/api/rules')),
    page.getByRole('button', { name: 'Save' }).click(),
  ]);
  expect(created.postDataJSON()).toMatchObject({
    ruleId: 0,
    ruleType: 'M',
    monthlyType1: 1,
    monthlyType2: 1,
    everyNmonth: 2,
    everyNweek: 1,
    dailyType: 2,
    monthMask: 2 ** 32 + 2 ** 14,
    apptRulesTimes: [{ startTime: '21:00', endTime: '24:00' }],
  });
  const table = page.getByRole('table', { name: 'Scheduling Rules' });
  await expect(table).toContainText('Every 2 months on the 15th and the last day');

  // The other kind of month; the midnight that was stored can be typed again.
  await table.getByRole('link', { name: 'Night shift' }).click();
  await expect(box('Last day')).toBeChecked();
  await expect(box('15')).toBeChecked();
  await expect(box('14')).not.toBeChecked();
  await slot('End', '1100p');
  await slot('End', '1200a');
  await radio('Days of the week').check();
  await expect(page.getByRole('group', { name: 'Weeks of the month' }).getByRole('checkbox')).toHaveCount(5);
  await box('Last').check();
  await box('Friday').check();
  await radio('Months of the year').check();
  await expect(page.getByRole('group', { name: 'Months', exact: true }).getByRole('checkbox')).toHaveCount(12);
  await box('Jan').check();
  await box('Jul').check();
  await expect(preview).toContainText('The last Fri of Jan and Jul');
  await expectAccessible(page);
  const [saved] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/api/rules')),
    page.getByRole('button', { name: 'Save' }).click(),
  ]);
  expect(saved.postDataJSON()).toMatchObject({
    monthlyType1: 2,
    monthlyType2: 2,
    weekMonthMask: 2 ** 5,
    weekMask: 2 ** 5,
    yearMask: 1 + 2 ** 6,
    apptRulesTimes: [{ startTime: '21:00', endTime: '24:00' }],
  });
  const row = table.getByRole('row', { name: /Night shift/ });
  await expect(row).toContainText('The last Fri of Jan and Jul');

  // The list.
  const names = () => table.getByRole('link').allTextContents();
  const all = [...others, 'Night shift'];
  const byName = table.getByRole('columnheader').getByRole('button', { name: 'Description' });
  await byName.click();
  await expect.poll(names).toEqual(all);
  await byName.click();
  await expect.poll(names).toEqual(all.toReversed());
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await expect(page.getByRole('option')).toHaveText(['5', '10', '20', '50']);
  await page.getByRole('option', { name: '5', exact: true }).click();
  await expect(page.getByText('1 – 5 of 6')).toBeVisible();
  await page.getByRole('button', { name: 'Go to next page' }).click();
  await expect.poll(names).toEqual(['Alpha']);
  await page.getByRole('button', { name: 'Delete Alpha' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('1 – 5 of 5')).toBeVisible();
  await page.getByRole('searchbox').fill('night');
  await expect.poll(names).toEqual(['Night shift']);
  await row.getByRole('link').click();
  await expect(page).toHaveURL(/#\/admin\/scheduling\/edit\/\d+$/);
});

test('doctor: reaches the rules without the admin area, and changes only their own', async ({ someone }) => {
  const { page } = await someone({ viewport: phone });
  await signIn(page, 'doctor@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/scheduling');
  // Its card is opened by its heading.
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Office hours' })
    .click({ position: { x: 16, y: 16 } });
  await expect(page.getByText('Only administrators can change this rule')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await expectAccessible(page);
  // The rest of the administration is not accessible.
  await page.goto('/#/admin/home');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
});

test('leave: lists the booked appointments on its days, is changed by two people, and can be deleted', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/409/);
  const admin = await apiAs(demo, 'admin@demo.test');
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/scheduling/time-off');
  await expect(page.getByText('Conference')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New closure or leave' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Who is away').click();
  await page.getByRole('option', { name: 'Maya Reyes' }).click();
  const last = new Date(Date.now() + 6 * 86_400_000);
  await dialog.getByRole('group', { name: 'Last day' }).getByRole('spinbutton', { name: 'Month' }).click();
  await page.keyboard.type(
    `${String(last.getMonth() + 1).padStart(2, '0')}${String(last.getDate()).padStart(2, '0')}${last.getFullYear()}`,
  );
  await dialog.getByLabel('Reason').fill('Parental leave');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const affected = page.getByRole('dialog', { name: /booked visits? falls? on these days/ });
  await expect(affected.getByRole('link').first()).toHaveAttribute('href', /#\/appointment-edit\/\d+\/\d+/);
  await expectAccessible(page);
  await affected.getByRole('button', { name: 'Close' }).click();
  const own = page.getByRole('listitem').filter({ hasText: /(Parental|Family) leave/ });
  await expect(own.getByRole('button', { name: /\d+ visits?/ })).toBeVisible();

  // Someone else saves it while it is edited: the list is read again, and the dialog offers both.
  await own.getByRole('button', { name: /^Edit/ }).click();
  await dialog.getByLabel('Reason').fill('Family leave');
  const { data: before } = await admin<{ data: TimeOffRow[] }>('GET', '/api/time-off');
  const stored = before.find(({ reason }) => reason === 'Parental leave');
  if (!stored) throw new Error('The leave is not listed.');
  const { provider: _, appointments: __, ...fields } = stored;
  // Days later than today: late in the day it has no visits any more.
  const lastDay = new Date(Date.parse(fields.lastDay) - 86_400_000).toISOString().slice(0, 10);
  await admin('POST', '/api/time-off', { ...fields, lastDay, reason: 'Parental leave, moved' });
  await expect(page.getByText('Parental leave, moved')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Reason is now “Parental leave, moved”');
  await expectAccessible(page);
  await expect(dialog.getByLabel('Reason')).toHaveValue('Family leave');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect(own).toContainText('Family leave');
  const { data: after } = await admin<{ data: TimeOffRow[] }>('GET', '/api/time-off');
  expect(after.find(({ timeOffId }) => timeOffId === stored.timeOffId)).toMatchObject({
    firstDay: fields.firstDay,
    lastDay,
    reason: 'Family leave',
  });
  await own.getByRole('button', { name: /^Delete/ }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Maya Reyes, ');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(own).toHaveCount(0);
  const { data } = await admin<{ data: TimeOffRow[] }>('GET', '/api/time-off');
  expect(data.map(({ timeOffId }) => timeOffId)).not.toContain(stored.timeOffId);
});

test('company settings: are saved, and show errors @COMPANY-7 @VALID-13 @VALID-14 @VALID-20', async ({ someone }) => {
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/home');
  await page.getByRole('link', { name: 'Company Info' }).click();
  await expect(page.getByRole('heading', { name: 'Demo Clinic', level: 1 })).toBeVisible();
  await expectAccessible(page);
  const link = await page.getByLabel('Patient scheduling link').inputValue();
  expect(link).toMatch(/^http:\/\/localhost:\d+\/#\/patient\/book\/[0-9a-f]{32}$/);
  await expect(page.getByRole('textbox', { name: 'Providers' })).toHaveAttribute('readonly', '');
  await page.getByLabel('Remind before (minutes)').fill('1');
  await page.getByLabel('Company name').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  const remind = page.getByLabel('Remind before (minutes)');
  await expect(remind).toHaveAccessibleDescription(/^Invalid/);
  await expect(page.getByLabel('Company name')).toHaveAccessibleDescription('Required');
  const limit = page.getByLabel('Visit limit (minutes)');
  const minutes = await limit.inputValue();
  for (const field of [remind, limit]) {
    await field.fill('');
    await expect(field).toHaveAccessibleDescription(/^Required/);
  }
  await limit.fill(minutes);
  // With booking by link off, the link is shown with a note.
  await page.getByRole('switch', { name: 'Patients can book by link' }).uncheck();
  await expect(page.getByLabel('Patient scheduling link')).toHaveValue(link);
  await expect(page.getByText('Booking by link is off.')).toBeVisible();
  await page.getByRole('switch', { name: 'Patients can book by link' }).check();
  await expect(page.getByText('Booking by link is off.')).toBeHidden();
  await page.getByLabel('Company name').fill('Demo Clinic');
  await page.getByLabel('Remind before (minutes)').fill('45');
  await page.getByRole('button', { name: 'Save' }).click();
  const saved = page.getByText('The record has been saved.');
  await expect(saved).toBeVisible();
  // No success message beside an error, or on another page.
  await remind.fill('1');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(remind).toHaveAccessibleDescription(/^Invalid/);
  await expect(saved).toHaveCount(0);
  await remind.fill('45');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(saved).toBeVisible();
  await page.getByRole('link', { name: 'Patients', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Patients', level: 1 })).toBeVisible();
  await expect(saved).toHaveCount(0);
  await page.goBack();
  await expect(remind).toHaveValue('45');
});

test('providers, support email and SMS phone set by a Super: empty ones are Required, wrong ones Invalid @VALID-14 @VALID-18 @VALID-20', async ({
  someone,
  demo,
}) => {
  const admin = await apiAs(demo, 'admin@demo.test');
  const { companyId } = await admin<{ companyId: number }>('GET', '/api/companies/0');
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await expect(page).toHaveURL(/#\/admin\/home$/);
  await page.goto(`/#/admin/company/edit/${companyId}`);
  const phoneField = page.getByLabel('SMS phone');
  const email = page.getByLabel('Support email');
  await expect(email).toHaveAttribute('maxlength', '100');
  await phoneField.fill('112555010');
  await email.fill('help');
  const providers = page.getByRole('textbox', { name: 'Providers' });
  await providers.fill('');
  await providers.pressSequentially('1a2.345');
  await expect(providers).toHaveValue('1234');
  await providers.fill('');
  await page.getByLabel('Front end URL').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(providers).toHaveAccessibleDescription(/^Required/);
  await expect(phoneField).toHaveAccessibleDescription(/^Invalid/);
  await expect(email).toHaveAccessibleDescription('Invalid');
  await expect(page.getByLabel('Front end URL')).toHaveAccessibleDescription(/^Required/);
  await phoneField.fill('1125550100');
  await expect(phoneField).not.toHaveAccessibleDescription(/Invalid/);
});
