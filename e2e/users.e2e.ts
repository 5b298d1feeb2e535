import type { Page } from '@playwright/test';
import { apiAs } from './support/api.ts';
import { createClinic } from './support/company.ts';
import { limitDuring, watchHub } from './support/machine.ts';
import { linkOf } from './support/outbox.ts';
import { buildRecordedVisit } from './support/recorded-visit.ts';
import {
  desktop,
  expect,
  expectAccessibleEverywhere,
  expectRowsOf,
  expectToast,
  signIn,
  test,
} from './support/story.ts';

const password = 'three blue ferries';

test('a colleague: is invited by mail, picks a password, gets another role and is disabled, each within a second @USERS-4 @USERS-5 @VALID-10', async ({
  someone,
  allow,
}) => {
  allow(/40[13]|WebSocket connection to .* failed/);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  // The rules' providers have been read before.
  const provider = page.getByRole('checkbox', { name: "Niamh O'Shea" });
  await page.getByRole('link', { name: 'Admin', exact: true }).click();
  await page.goto('/#/admin/scheduling/edit/0');
  await expect(page.getByRole('checkbox', { name: 'Maya Reyes' })).toBeVisible();
  await expect(provider).toHaveCount(0);
  await page.getByRole('link', { name: 'Admin', exact: true }).click();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('link', { name: 'Add user' }).click();
  await expect(page.getByRole('heading', { name: 'User Editor' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'New User' })).toBeVisible();
  await expect(page).toHaveURL(/#\/admin\/user\/edit\/0$/);
  await expect(page.getByText("The user will pick a password if it's not provided.")).toBeVisible();
  // Only existing users can be disabled.
  await expect(page.getByRole('switch', { name: 'Disabled' })).toHaveCount(0);
  await page.getByLabel('First name').fill('Niamh');
  await page.getByLabel('Last name').fill("O'Shea");
  await page.getByRole('textbox', { name: 'Email' }).fill('niamh@demo.test');
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Staff' }).click();
  await expect(page.getByLabel('NPI')).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Doctor' }).click();
  await page.getByLabel('NPI').fill('12345');
  await page.getByLabel('Self-pay fee').fill('95.5');
  await expect(page.getByText('Invalid')).toBeVisible();
  await page.getByLabel('NPI').fill('1234567893');
  await page.getByRole('combobox', { name: 'For patients of' }).click();
  await page.getByRole('option').first().click();
  await page.keyboard.press('Escape');
  await expectAccessibleEverywhere(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'An invitation is on its way to niamh@demo.test.');
  const row = page.getByRole('row').filter({ hasText: 'niamh@demo.test' });
  await expect(row).toContainText('Doctor');
  await expect(row).toContainText('Invited');
  await page.goto('/#/admin/scheduling/edit/0');
  await expect(provider).toBeVisible();
  await page.goBack();

  const { page: colleague } = await someone();
  await colleague.goto(`/${await linkOf(colleague, 'niamh@demo.test', /#\/reset\/[\w-]+/)}`);
  await colleague.getByLabel('New password').fill(password);
  await colleague.getByRole('button', { name: 'Save and sign in' }).click();
  await expect(colleague.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await expect(colleague.getByRole('link', { name: 'Admin', exact: true })).toHaveCount(0);

  await row.getByRole('link').first().click();
  await expect(page.getByRole('heading', { name: "Niamh O'Shea" })).toBeVisible();
  await expect(page.getByLabel('Self-pay fee')).toHaveValue('95.50');
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Administrator' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'Updated.');
  await expect(colleague.getByRole('link', { name: 'Admin', exact: true })).toBeVisible();

  await row.getByRole('link').first().click();
  await page.getByRole('switch', { name: 'Disabled' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'Updated.');
  await expect(colleague).toHaveURL(/#\/login$/);
  await expect(row).toContainText('Disabled');
});

test('Sign out on all devices: the user’s other browser is signed out within a second', async ({ someone, allow }) => {
  allow(/401|WebSocket connection to .* failed/);
  const { page: other } = await someone();
  const hub = watchHub(other);
  await signIn(other, 'doctor2@demo.test');
  await expect(other.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/user');
  await page.getByRole('searchbox').fill('doctor2@demo.test');
  const row = page.getByRole('row').filter({ hasText: '@demo.test' });
  await expect(row).toHaveCount(1);
  await row.getByRole('link').first().click();
  const signOut = { name: 'Sign out on all devices' };
  await page.getByRole('button', signOut).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('will be signed out on all devices, also during a visit.');
  await expect(question).not.toContainText('invitation');
  const end = async () => {
    const done = page.waitForResponse((response) => response.url().endsWith('/sign-out'));
    await question.getByRole('button', signOut).click();
    const response = await done;
    expect(response.status()).toBe(204);
    // Since the request was sent, by the browser's time: this process may learn of both late.
    return hub(response.request().timing().startTime);
  };
  const { result: ended, limit } = await limitDuring(page, 1_000, end());
  expect(ended).toBeLessThan(limit);
  await expect(other).toHaveURL(/#\/login$/);
  await expectToast(page, 'The user was signed out on all devices.');
});

test('Send the invitation again: says why the first one ended, the second link works, and the first one does not', async ({
  someone,
  allow,
}) => {
  allow(/401/);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/user/edit/0');
  await page.getByLabel('First name').fill('Iris');
  await page.getByLabel('Last name').fill('Invited');
  await page.getByRole('textbox', { name: 'Email' }).fill('iris@demo.test');
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Staff' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'An invitation is on its way to iris@demo.test.');
  const { page: colleague } = await someone();
  const link = /#\/reset\/[\w-]+/;
  const first = await linkOf(colleague, 'iris@demo.test', link);

  // The editor leads back to where the page was before, which is the waiting room or the list.
  await page.goto('/#/admin/user');
  await page.getByRole('searchbox').fill('iris@demo.test');
  const row = page.getByRole('row').filter({ hasText: 'iris@demo.test' });
  await expectRowsOf(page, 'iris@demo.test');
  await row.getByRole('link').first().click();
  await expect(page.getByText(/^No password yet\. The invitation was sent .* and is good for 7 days\.$/)).toBeVisible();
  const signOut = { name: 'Sign out on all devices' };
  await page.getByRole('button', signOut).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('The link of the open invitation stops working, too.');
  await question.getByRole('button', signOut).click();
  await expectToast(page, 'The user was signed out on all devices.');
  await expect(page.getByText(/^No password yet\. The invitation’s link stopped working /)).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);
  await page.getByRole('button', { name: 'Send the invitation again' }).click();
  await question.getByRole('button', { name: 'Send', exact: true }).click();
  await expectToast(page, 'The link is on its way to iris@demo.test.');
  await expect(page.getByText(/is good for 7 days\.$/)).toBeVisible();

  const pick = async (path: string) => {
    await colleague.goto(`/${path}`);
    await colleague.getByLabel('New password').fill(password);
    await colleague.getByRole('button', { name: 'Save and sign in' }).click();
  };
  let second = first;
  await expect
    .poll(async () => {
      second = await linkOf(colleague, 'iris@demo.test', link);
      return second;
    })
    .not.toBe(first);
  await pick(first);
  await expect(
    colleague
      .getByText(/link/i)
      .filter({ hasText: /used|expired|longer/i })
      .first(),
  ).toBeVisible();
  await pick(second);
  await expect(colleague.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
});

test('the last two administrators remove each other simultaneously: one of them stays', async ({
  demo,
  someone,
  allow,
}) => {
  // The refused removal, and the one who is signed out.
  allow(/40[139]|WebSocket connection to .* failed/);
  const { root, companyId, emails } = await createClinic(demo, ['A', 'A']);
  const readUsers = async () => {
    const path = `/api/users?top=10&skip=0&companyId=${companyId}`;
    return (await root<{ data: { userId: number; email: string; disabled: boolean }[] }>('GET', path)).data;
  };
  const both = await readUsers();
  const pages: { email: string; page: Page }[] = [];
  for (const email of emails) {
    const { page } = await someone();
    await signIn(page, email);
    await page.goto(`/#/admin/user/edit/${both.find((user) => user.email !== email)?.userId}`);
    await page.getByRole('switch', { name: 'Disabled' }).check();
    pages.push({ email, page });
  }
  await Promise.all(pages.map(({ page }) => page.getByRole('button', { name: 'Save', exact: true }).click()));
  const enabled = async () => (await readUsers()).filter(({ disabled }) => !disabled).map(({ email }) => email);
  await expect.poll(enabled).toHaveLength(1);
  const [left] = await enabled();
  for (const { page } of pages.filter(({ email }) => email !== left)) await expect(page).toHaveURL(/#\/login/);
  for (const { page } of pages.filter(({ email }) => email === left)) {
    await expect(page).not.toHaveURL(/user\/edit/);
    await page.goto('/#/admin/user');
    await expect(page.getByRole('row').filter({ hasText: left ?? '' })).toHaveCount(1);
  }
  expect(await enabled()).toEqual([left]);
});

test('save: ends after another page was opened, which stays; a refusal is shown there', async ({ someone, allow }) => {
  allow(/422/);
  const { page } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/user');
  /** Saves the new user, and opens the patients before the server has the call. */
  async function saveAndLeave(name: string, email: string) {
    const held = Promise.withResolvers<void>();
    await page.route('**/api/users', async (route) => {
      if (route.request().method() === 'PUT') await held.promise;
      await route.fallback();
    });
    await page.getByRole('link', { name: 'Add user' }).click();
    await page.getByLabel('First name').fill(name);
    await page.getByLabel('Last name').fill("O'Leary");
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Staff' }).click();
    const sent = page.waitForRequest((request) => request.method() === 'PUT' && request.url().endsWith('/api/users'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await sent;
    await page.getByRole('link', { name: 'Patients', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();
    held.resolve();
    await page.unroute('**/api/users');
  }
  await saveAndLeave('Una', 'una@demo.test');
  await expectToast(page, 'An invitation is on its way to una@demo.test.');
  await expect(page).toHaveURL(/#\/patient-list$/);
  await expect(page.getByRole('heading', { name: 'Patients' })).toBeVisible();

  await page.goto('/#/admin/user');
  await expect(page.getByRole('row').filter({ hasText: 'una@demo.test' })).toHaveCount(1);
  await saveAndLeave('Ulla', 'una@demo.test');
  await expectToast(page, 'Your changes weren’t saved. This email is already in use.');
  await expect(page).toHaveURL(/#\/patient-list$/);
  await page.goto('/#/admin/user');
  await expect(page.getByRole('row').filter({ hasText: 'una@demo.test' })).toContainText('Una');
});

test('list: has its columns, sorts, searches, pages and deletes; someone with records is disabled instead @USERS-1 @USERS-2 @USERS-3', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/409/);
  const api = await apiAs(demo, 'admin@demo.test');
  const names = ["D'Arcy", 'Quist', 'Berg', 'Iversen', 'Moe', 'Ness'];
  for (const [index, lastName] of names.entries())
    await api('PUT', '/api/users', {
      userId: 0,
      version: 0,
      firstName: 'Temp',
      lastName,
      email: `temp-${index}@demo.test`,
      phone: '',
      roleId: 'U',
      npi: '',
      selfPayFee: '',
      notificationType: 1,
      notifyForUsers: [],
      disabled: false,
    });
  const { page, context } = await someone();
  await signIn(page, 'admin@demo.test');
  await page.goto('/#/admin/user');
  await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible();
  const header = page.getByRole('columnheader');
  await expect(header).toHaveText(['First name', 'Last name', 'Email', 'Role', 'Created', 'Actions']);

  await page.getByRole('searchbox').fill('temp');
  const rows = page.getByRole('row').filter({ hasText: '@demo.test' });
  await expect(rows).toHaveCount(6);
  const lastNames = () => rows.evaluateAll((all) => all.map((row) => row.children[1]?.textContent));
  const sorted = ['Berg', "D'Arcy", 'Iversen', 'Moe', 'Ness', 'Quist'];
  await header.getByRole('button', { name: 'Last name' }).click();
  await expect.poll(lastNames).toEqual(sorted);
  await header.getByRole('button', { name: 'Last name' }).click();
  await expect.poll(lastNames).toEqual(sorted.toReversed());
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await expect(page.getByRole('option')).toHaveText(['5', '10', '20', '50']);
  await page.getByRole('option', { name: '5', exact: true }).click();
  await expect(page.getByText('1 – 5 of 6')).toBeVisible();
  await page.getByRole('button', { name: 'Go to next page' }).click();
  await expect.poll(lastNames).toEqual(['Berg']);
  await expectAccessibleEverywhere(page);
  await page.setViewportSize(desktop);

  await page.getByRole('button', { name: 'Delete Temp Berg' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Would you like to delete this record?');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, 'The user was deleted.');
  await expect(page.getByText('1 – 5 of 5')).toBeVisible();
  await page.getByRole('searchbox').fill('no such person');
  await expect(page.getByText('No users found')).toBeVisible();

  // A provider with appointments stays, and can be disabled in the same step.
  await page.getByRole('searchbox').fill('doctor2@demo.test');
  await page.getByRole('button', { name: /^Delete / }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Disable the user instead.');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
  await expectToast(page, 'The user was disabled and signed out everywhere.');
  await expect(rows).toContainText('Disabled');
  await rows.getByRole('link').first().click();
  await expect(page).toHaveURL(/#\/admin\/user\/edit\/\d+$/);
  await page.getByRole('switch', { name: 'Disabled' }).uncheck();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'Updated.');
  await expect(rows).not.toContainText('Disabled');

  // The editor as the first page of its tab leads to the list, and a user is made once.
  const tab = await context.newPage();
  await tab.goto('/#/admin/user/edit/0');
  await tab.getByLabel('First name').fill('Temp');
  await tab.getByLabel('Last name').fill('Solo');
  await tab.getByRole('textbox', { name: 'Email' }).fill('temp-solo@demo.test');
  await tab.getByRole('combobox', { name: 'Role' }).click();
  await tab.getByRole('option', { name: 'Staff' }).click();
  await tab.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(tab).toHaveURL(/#\/admin\/user$/);
  await expectToast(tab, 'An invitation is on its way to temp-solo@demo.test.');
});

test('a Super: sees the company of each user, one company’s users, and adds users to it @USERS-6', async ({
  someone,
}) => {
  const { page } = await someone();
  await signIn(page, 'super@demo.test');
  await page.goto('/#/admin/user');
  await expect(page.getByRole('columnheader').nth(2)).toHaveText('Company');
  const filter = page.getByRole('combobox', { name: 'Company' });
  await filter.fill('Demo');
  // The list is filtered a moment after the typing.
  const option = page.getByRole('option', { name: /Demo/ }).first();
  await expect(option).toBeVisible();
  const name = (await option.textContent()) ?? '';
  await option.click();
  await expect(page).toHaveURL(/#\/admin\/user\/\d+$/);
  const companyId = /(\d+)$/.exec(page.url())?.[1];
  const cells = page.getByRole('row').filter({ hasText: '@' }).locator('td:nth-child(3)');
  await expect.poll(async () => new Set(await cells.allTextContents())).toEqual(new Set([name]));
  await page.getByRole('link', { name: 'Add user' }).click();
  await expect(page).toHaveURL(new RegExp(`#/admin/user/edit/0/${companyId}$`));
  await expect(page.getByRole('region', { name: 'New User' })).toContainText(name);
  await page.getByLabel('First name').fill('Owen');
  await page.getByLabel('Last name').fill('Added');
  await page.getByRole('textbox', { name: 'Email' }).fill('owen-added@demo.test');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Required', { exact: true })).toBeVisible();
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Staff' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'An invitation is on its way to owen-added@demo.test.');
  await expect(page.getByRole('row').filter({ hasText: 'owen-added@demo.test' })).toContainText(name);
  await filter.click();
  await page.getByRole('option', { name: 'Roomside', exact: true }).click();
  await expect(page).toHaveURL(/#\/admin\/user\/0$/);
  await expect.poll(async () => new Set(await cells.allTextContents())).toEqual(new Set(['Roomside']));
});

test('user editor and My Account: both names are required, with 50 characters at most @VALID-6', async ({
  someone,
  demo,
}) => {
  for (const path of ['/#/admin/user/edit/0', '/#/user']) {
    const { page } = await someone();
    await signIn(page, 'admin@demo.test');
    await page.goto(path);
    for (const label of ['First name', 'Last name']) {
      const name = page.getByLabel(label);
      await expect(name).toBeVisible();
      await name.fill('');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(name).toHaveAccessibleDescription('Required');
      await name.pressSequentially('N'.repeat(51));
      await expect(name).toHaveValue('N'.repeat(50));
      await expect(name).not.toHaveAccessibleDescription('Required');
    }
  }
  // The server has the same limits, whatever a page sends.
  const api = await apiAs(demo, 'admin@demo.test');
  const user = { userId: 0, version: 0, email: 'names@demo.test', phone: '', roleId: 'U', npi: '', selfPayFee: '' };
  const rest = { notificationType: 1, notifyForUsers: [], disabled: false };
  for (const names of [
    { firstName: ' ', lastName: 'Lee' },
    { firstName: 'Ann', lastName: '' },
    { firstName: 'N'.repeat(51), lastName: 'Lee' },
    { firstName: 'Ann', lastName: 'N'.repeat(51) },
  ])
    await expect(api('PUT', '/api/users', { ...user, ...rest, ...names })).rejects.toThrow('422');
});

test('appointment form: leads to patients, a new provider, the room and the recordings; only an administrator reaches users @APPT-2 @ROLE-4', async ({
  someone,
  demo,
}) => {
  const { page } = await someone();
  await page.goto('/#/link');
  const visit = await buildRecordedVisit(demo, page, [[[0, 4]], [[0, 4]]]);
  await signIn(page, 'admin@demo.test');
  await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await page.goto('/#/appointment-edit/0/0');
  const form = page.getByRole('main');
  await expect(form.getByRole('link', { name: 'Add a patient' })).toHaveAttribute('href', '#/patient-edit/0');
  await expect(form.getByLabel('Fee', { exact: true })).toBeEditable();
  await form.getByRole('link', { name: 'Add a provider' }).click();
  await expect(page).toHaveURL(/#\/admin\/user\/0\/D$/);
  await expect(page.getByRole('combobox', { name: 'Role' })).toHaveText('Doctor');
  await expect(page.getByLabel('NPI')).toBeVisible();
  await expect(page.getByLabel('Self-pay fee')).toBeVisible();
  await expect(page.getByRole('switch', { name: 'Email this user' })).toBeVisible();
  await expect(page.getByRole('switch', { name: 'Disabled' })).toHaveCount(0);
  await page.goto('/#/admin/user/edit/0/1?role=D');
  await expect(page.getByRole('combobox', { name: 'Role' })).toHaveText('Doctor');

  await page.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  const hrefs = async () => page.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  await expect
    .poll(hrefs)
    .toEqual(
      expect.arrayContaining([
        `#/patient-edit/${visit.patientId}`,
        '#/admin/user/0/D',
        `#/appointment/${visit.uid}`,
        `#/recordings/${visit.appointmentId}`,
      ]),
    );

  const { page: doctor } = await someone();
  await signIn(doctor, 'doctor@demo.test');
  await expect(doctor.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await expect(doctor.getByRole('link', { name: 'Admin', exact: true })).toHaveCount(0);
  await doctor.goto('/#/admin/user');
  await expect(doctor).not.toHaveURL(/admin/);
  await doctor.goto(`/#/appointment-edit/${visit.patientId}/${visit.appointmentId}`);
  await expect(doctor.getByLabel('Fee', { exact: true })).not.toBeEditable();
  await expect(doctor.getByRole('link', { name: 'Add a provider' })).toHaveCount(0);
});
