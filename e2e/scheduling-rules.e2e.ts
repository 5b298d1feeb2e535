import { apiAs } from './support/api.ts';
import { expect, expectAccessible, phone, signIn, test } from './support/story.ts';

test('a rule is made with a preview of its dates, saved, disabled and deleted @RULES-1 @RULES-2 @RULES-3 @RULES-4 @RULES-5 @RULES-6 @STATE-27 @ENTITY-12 @ENTITY-13 @VALID-28', async ({
  someone,
}) => {
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/scheduling');
  const table = page.getByRole('table', { name: 'Scheduling Rules' });
  for (const header of ['Id', 'Description', 'From', 'To', 'Pattern', 'Providers', 'Created'])
    await expect(table.getByRole('columnheader', { name: header, exact: true })).toBeVisible();
  await expect(table.getByRole('row', { name: /Tuesday evenings.*Every week on Tue/ })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'New rule' }).click();
  await expect(page.getByRole('heading', { name: 'Scheduling Rule Editor', level: 1 })).toBeVisible();
  // ENTITY-13: one time, from today, one empty time slot.
  await expect(page.getByRole('radio', { name: 'One Time' })).toBeChecked();
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
  await expect(preview.getByRole('listitem').first()).toHaveText(/^Sat, /);
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

  // STATE-27: back to the list.
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

test('doctor: reaches the rules without the admin area, and changes only their own', async ({ someone }) => {
  const { page } = await someone({ viewport: phone });
  await signIn(page, 'doctor@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/admin/scheduling');
  await page.getByRole('link', { name: 'Office hours' }).click();
  await expect(page.getByText('Only administrators can change this rule')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await expectAccessible(page);
  // The rest of the administration is not accessible.
  await page.goto('/#/admin/home');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
});

test('leave: lists the booked appointments on its days, and can be deleted', async ({ someone, demo }) => {
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
  const own = page.getByRole('listitem').filter({ hasText: 'Parental leave' });
  await expect(own.getByRole('button', { name: /\d+ visits?/ })).toBeVisible();
  await own.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(own).toHaveCount(0);
  const { data } = await admin<{ data: { reason: string }[] }>('GET', '/api/time-off');
  expect(data.map(({ reason }) => reason)).not.toContain('Parental leave');
});

test('company settings: are saved, and show errors @COMPANY-7 @VALID-14 @VALID-20', async ({ someone }) => {
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

test('support email and SMS phone set by a Super: wrong ones are Invalid @VALID-18 @VALID-20', async ({
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
  await page.getByLabel('Front end URL').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(phoneField).toHaveAccessibleDescription(/^Invalid/);
  await expect(email).toHaveAccessibleDescription('Invalid');
  await expect(page.getByLabel('Front end URL')).toHaveAccessibleDescription(/^Required/);
  await phoneField.fill('1125550100');
  await expect(phoneField).not.toHaveAccessibleDescription(/Invalid/);
});
