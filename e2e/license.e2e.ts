import { type Api, apiAs } from './support/api.ts';
import { type Demo, demoPassword } from './support/server.ts';
import { expect, expectAccessibleEverywhere, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectMediaOf, watchCalls } from './support/visit.ts';

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

type Company = Record<string, string | boolean | undefined>;

/** Changes the demo clinic as a Super. Returns what it was before. */
async function change(root: Api, values: Company): Promise<Company> {
  const { data } = await root<{ data: { companyId: number }[] }>(
    'GET',
    '/api/companies?top=1&skip=0&filter=Demo%20Clinic',
  );
  const company = await root<Company>('GET', `/api/companies/${data[0]?.companyId}`);
  await root('PUT', '/api/companies', { ...company, ...values });
  return company;
}

/** Runs `act` while the demo clinic's license has expired and names an address to write to. */
async function whileExpired(demo: Demo, act: () => Promise<void>): Promise<void> {
  const root = await apiAs(demo, 'super@demo.test');
  const before = await change(root, { expirationDate: day(-3), supportEmail: 'help@roomside.test' });
  try {
    await act();
  } finally {
    await change(root, { expirationDate: before['expirationDate'], supportEmail: before['supportEmail'] });
  }
}

test('expired license: staff see what happened, patients are asked to call, and a running visit goes on', async ({
  someone,
  demo,
  allow,
}) => {
  // The refused calls.
  allow(/403/);
  const [running, next] = [await buildAppointmentInRoom(demo), await buildAppointmentInRoom(demo, { patient: 1 })];
  const [{ page: doctor }, { page: patient }, { page: late }, { page: front }] = [
    await someone(),
    await someone(),
    await someone(),
    await someone(),
  ];
  for (const page of [doctor, patient]) await watchCalls(page);
  await signIn(doctor, 'doctor@demo.test');
  await signIn(front, 'staff@demo.test');
  await front.getByRole('link', { name: 'Patients' }).click();
  await expect(front.getByRole('heading', { name: 'Patients' })).toBeVisible();
  await patient.goto(`/#/link/${running.accessCode}`);
  await doctor.goto(`/#/appointment/${running.uid}`);
  await expectMediaOf(doctor, 1);

  await whileExpired(demo, async () => {
    // Also a page that is open says so.
    await expect(front.getByRole('heading', { name: 'License expired' })).toBeVisible();
    await expect(front.getByText('To renew it, write to help@roomside.test.')).toBeVisible();
    await expect(front.getByRole('link', { name: 'Schedule' })).toHaveCount(0);
    await expect(front.getByRole('link', { name: /^Waiting Room/ })).toHaveCount(0);
    await front.getByRole('link', { name: 'My Account' }).click();
    await expect(front.getByLabel('First name')).toHaveValue('Sam');
    await late.goto(`/#/link/${next.accessCode}`);
    await expect(late.getByText('This clinic can’t take visits at the moment. Please call the clinic.')).toBeVisible();
    await expectMediaOf(doctor, 1);
    await expectMediaOf(patient, 1);
  });
});

test('expired license: the page is accessible, and an administrator takes the clinic’s data with them', async ({
  someone,
  demo,
  allow,
}) => {
  // The refused calls.
  allow(/403/);
  const [{ page: front }, { page: admin }] = [await someone(), await someone()];
  await whileExpired(demo, async () => {
    await signIn(front, 'staff@demo.test');
    await expectAccessibleEverywhere(front);
    await signIn(admin, 'admin@demo.test');
    await expectAccessibleEverywhere(admin);
    await admin.getByRole('link', { name: 'Download the clinic’s data' }).click();
    await expect(admin).toHaveURL(/#\/admin\/data$/);
    await admin.getByRole('button', { name: 'Export all data' }).click();
    await admin.getByRole('alertdialog').getByRole('button', { name: 'Export all data' }).click();
    await admin.getByLabel('Current password').fill(demoPassword);
    await admin.keyboard.press('Enter');
    await expect(admin.getByText(/The export is ready/)).toBeVisible({ timeout: 60_000 });
    await expect(admin.getByRole('combobox', { name: 'Recordings' })).toHaveCount(0);
    const download = admin.waitForEvent('download');
    await admin.getByRole('button', { name: 'Download' }).click();
    await (await download).path();
  });
});

test('disabled company: people in a room leave it with words, and cannot sign in again', async ({
  someone,
  demo,
  allow,
}) => {
  allow(/401|403|WebSocket/);
  const visit = await buildAppointmentInRoom(demo);
  const [{ page: doctor }, { page: patient }] = [await someone(), await someone()];
  for (const page of [doctor, patient]) await watchCalls(page);
  await signIn(doctor, 'doctor@demo.test');
  await patient.goto(`/#/link/${visit.accessCode}`);
  await doctor.goto(`/#/appointment/${visit.uid}`);
  await expectMediaOf(doctor, 1);
  const root = await apiAs(demo, 'super@demo.test');
  await change(root, { disabled: true });
  try {
    for (const page of [doctor, patient]) {
      await expect(page.getByText('You’ve been signed out and have left the visit.')).toBeVisible();
    }
    await patient.goto(`/#/link/${visit.accessCode}`);
    await expect(patient.getByText('This clinic’s account is disabled. Please contact support.')).toBeVisible();
  } finally {
    await change(root, { disabled: false });
  }
});
