import { apiAs } from './support/api.ts';
import { desktop, expect, expectToast, headingOf, signIn, signInByForm, test } from './support/story.ts';

test('administration of a clinic: its entries in order, each with its page; payment and scheduling ask no one to sign in first @ROUTE-6 @ADMIN-1', async ({
  someone,
  demo,
  allow,
}) => {
  // A signed-out person, and the license of no company, are refused by the calls.
  allow(/401|403|404/);
  const api = await apiAs(demo, 'admin@demo.test');
  const { companyId } = await api<{ companyId: number }>('GET', '/api/companies/0');
  const { data: users } = await api<{ data: { userId: number; lastName: string }[] }>(
    'GET',
    '/api/users?top=5&skip=0&filter=Reyes',
  );
  const userId = users[0]?.userId ?? 0;
  const { page } = await someone({ viewport: desktop });
  const heading = headingOf(page);

  // Without a guard: the page opens and asks to sign in; no redirect.
  for (const path of ['/#/admin/payment', '/#/admin/payment/1', '/#/admin/scheduling', '/#/admin/scheduling/edit/0']) {
    await page.goto(path);
    await expect(
      page.getByRole('link', { name: 'Sign in' }).or(page.getByText('Please sign in.')).first(),
    ).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`${path.slice(1)}$`));
  }
  await page.goto('/#/admin');
  await signInByForm(page, 'admin@demo.test');
  await expect(page).toHaveURL(/#\/admin\/home$/);
  const areas = page.getByRole('main').getByRole('list').first().getByRole('link');
  const own = ['Users', 'Scheduling Rules', 'Promo Codes', 'Import Patients (CSV)', 'Company Info'];
  await expect(
    areas.filter({
      hasText: new RegExp(`^(${own.map((name) => name.replace(/[()]/g, '\\$&')).join('|')}|Companies)$`),
    }),
  ).toHaveText(own);
  for (const [entry, path, title] of [
    ['Users', '/admin/user', 'Users'],
    ['Scheduling Rules', '/admin/scheduling', 'Scheduling Rules'],
    ['Promo Codes', '/admin/promo', 'Promo Codes'],
    ['Import Patients (CSV)', '/admin/csv-import', 'Import Patients from CSV'],
    ['Company Info', '/admin/company/edit', 'Demo Clinic'],
  ] as const) {
    await page.goto('/#/admin/home');
    await areas.filter({ hasText: entry }).click();
    await expect(page).toHaveURL(new RegExp(`#${path}$`));
    await expect(heading).toContainText(title);
  }
  for (const [path, title] of [
    [`/#/admin/user/${companyId}`, 'Users'],
    [`/#/admin/user/edit/${userId}`, 'User Editor'],
    [`/#/admin/user/edit/0/${companyId}`, 'User Editor'],
    ['/#/admin/promo/edit/0', 'New Promo Code'],
    ['/#/admin/scheduling/edit/0', 'Scheduling Rule Editor'],
    ['/#/admin/payment', 'Licens'],
  ] as const) {
    await page.goto(path);
    await expect(heading).toContainText(title);
  }

  // A Super has companies, and nothing that needs one.
  const { page: root } = await someone({ viewport: desktop });
  await signIn(root, 'super@demo.test');
  await root.goto('/#/admin/home');
  const theirs = root.getByRole('main').getByRole('list').first().getByRole('link');
  await expect(theirs.filter({ hasText: /^(Users|Companies|Promo Codes)$/ })).toHaveText([
    'Users',
    'Companies',
    'Promo Codes',
  ]);
  await expect(theirs.filter({ hasText: /Scheduling Rules|Import|Company Info/ })).toHaveCount(0);
  for (const [path, title] of [
    ['/#/admin/company', 'Companies'],
    ['/#/admin/company/edit/0', 'New company'],
    [`/#/admin/company/edit/${companyId}`, 'Demo Clinic'],
    [`/#/admin/payment/${companyId}`, 'Licens'],
  ] as const) {
    await root.goto(path);
    await expect(headingOf(root)).toContainText(title);
  }
});

test('company: its buttons lead to licenses and users, save, and go back @COMPANY-4 @COMPANY-6', async ({
  someone,
}) => {
  const { page } = await someone({ viewport: desktop });
  await signIn(page, 'super@demo.test');
  await page.getByRole('link', { name: 'Companies', exact: true }).click();
  await page.getByRole('link', { name: 'Add company' }).click();
  await page.getByLabel('Company name').fill('Buttons Clinic');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  await expect(page.getByRole('heading', { name: 'Buttons Clinic' })).toBeVisible();
  const id = /(\d+)$/.exec(page.url())?.[1] ?? '';

  await page.getByRole('link', { name: 'Manage Licenses' }).click();
  await expect(page).toHaveURL(new RegExp(`#/admin/payment/${id}$`));
  await expect(headingOf(page)).toContainText('Licens');
  await page.goBack();
  await page.getByRole('link', { name: 'Manage Users' }).click();
  await expect(page).toHaveURL(new RegExp(`#/admin/user/${id}$`));
  await expect(page.getByRole('heading', { name: 'Users', exact: true, level: 1 })).toBeVisible();
  await page.goBack();
  const main = page.getByRole('banner').or(page.getByRole('main'));
  await expect(main.getByRole('link', { name: 'Providers' })).toHaveAttribute('href', `#/admin/payment/${id}`);
  await expect(main.getByRole('link', { name: 'Users', exact: true })).toHaveAttribute('href', `#/admin/user/${id}`);
  await page.getByLabel('Company name').fill('Buttons & Co.');
  await save.click();
  await expectToast(page, 'The record has been saved.');
  await expect(headingOf(page)).toHaveText('Buttons & Co.');
  await page.goto('/#/admin/company');
  await page.getByRole('link', { name: 'Buttons & Co.' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/#\/admin\/company$/);

  // An administrator of a clinic: their own license and users.
  const { page: own } = await someone({ viewport: desktop });
  await signIn(own, 'admin@demo.test');
  await expect(own.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
  await own.goto('/#/admin/company/edit');
  await own.getByRole('link', { name: 'Manage Licenses' }).click();
  await expect(own).toHaveURL(/#\/admin\/payment$/);
  await own.goBack();
  await own.getByRole('link', { name: 'Manage Users' }).click();
  await expect(own).toHaveURL(/#\/admin\/user\/\d+$/);
  const users = new URL(own.url()).hash;
  await own.goBack();
  await own.getByRole('banner').getByRole('link', { name: 'Users', exact: true }).click();
  await expect(own).toHaveURL(new RegExp(`${users}$`));
  await own.goBack();
  await own.getByRole('banner').getByRole('link', { name: 'Providers' }).click();
  await expect(own).toHaveURL(/#\/admin\/payment$/);
  // The first page of a tab: there is none to go back to.
  const other = await own.context().newPage();
  await other.goto('/#/admin/company/edit');
  await other.getByRole('button', { name: 'Cancel' }).click();
  await expect(other).toHaveURL(/#\/admin\/home$/);
});
