import { type Api, apiAs } from './support/api.ts';
import { expect, expectAccessibleEverywhere, signIn, test } from './support/story.ts';
import { buildAppointmentInRoom, expectMediaOf, watchCalls } from './support/visit.ts';

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** Sets the end of the demo clinic's license, and the address of its support. Returns what the last call has replaced. */
async function setLicense(root: Api, expirationDate: string, supportEmail: string): Promise<Record<string, string>> {
  const { data } = await root<{ data: { companyId: number }[] }>(
    'GET',
    '/api/companies?top=1&skip=0&filter=Demo%20Clinic',
  );
  const company = await root<Record<string, string>>('GET', `/api/companies/${data[0]?.companyId}`);
  await root('PUT', '/api/companies', { ...company, expirationDate, supportEmail });
  return company;
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

  const root = await apiAs(demo, 'super@demo.test');
  const before = await setLicense(root, day(-3), 'help@roomside.test');
  try {
    await front.getByRole('link', { name: 'Schedule' }).click();
    await expect(front.getByRole('heading', { name: 'License expired' })).toBeVisible();
    await expect(front.getByText('To renew it, write to help@roomside.test.')).toBeVisible();
    await expect(front.getByRole('link', { name: 'Schedule' })).toHaveCount(0);
    await expectAccessibleEverywhere(front);
    await front.getByRole('link', { name: 'My Account' }).click();
    await expect(front.getByLabel('First Name')).toHaveValue('Sam');
    await late.goto(`/#/link/${next.accessCode}`);
    await expect(late.getByText('This clinic can’t take visits at the moment. Please call the clinic.')).toBeVisible();
    await expectMediaOf(doctor, 1);
    await expectMediaOf(patient, 1);
  } finally {
    await setLicense(root, before['expirationDate'] ?? '', before['supportEmail'] ?? '');
  }
});
