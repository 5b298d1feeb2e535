import { apiAs, bookAppointment } from './support/api.ts';
import { createClinic } from './support/company.ts';
import { limitDuring, watchHub } from './support/machine.ts';
import { expect, expectAccessibleEverywhere, expectToast, signIn, signInByForm, test } from './support/story.ts';
import { expectMediaOf, watchCalls } from './support/visit.ts';

test('doctor who is disabled during a visit: is signed out within a second, and the patient sees that they are not there and stays', async ({
  someone,
  demo,
  allow,
}) => {
  // What the doctor's page asks until it knows, and the sign-in that is refused.
  allow(/401|403|WebSocket/);
  const { emails } = await createClinic(demo, ['A', 'D']);
  const [adminEmail = '', doctorEmail = ''] = emails;
  const api = await apiAs(demo, adminEmail);
  const { data } = await api<{ data: { userId: number; email: string; version: number }[] }>(
    'GET',
    '/api/users?top=10&skip=0',
  );
  const doctorId = data.find(({ email }) => email === doctorEmail)?.userId ?? 0;
  const user = await api<Record<string, unknown>>('GET', `/api/users/${doctorId}`);
  const { company: _c, created: _at, isExternal: _ex, hasPassword: _has, invitedAt: _in, ...body } = user;
  await api('PUT', '/api/users', { ...body, firstName: 'Dara', lastName: 'Gone' });
  await api('POST', '/api/patients', {
    patientId: 0,
    version: 0,
    firstName: 'Mia',
    lastName: 'Stays',
    doB: '1980-01-05',
    externalId: '',
    email: 'mia@patients.test',
    patientPhones: [],
  });
  const visit = await bookAppointment(api, { doctor: 'Gone', patient: 'Stays' });

  const [{ page: doctor }, { page: patient }, { page: admin }] = [await someone(), await someone(), await someone()];
  const hubOfDoctor = watchHub(doctor);
  for (const page of [doctor, patient]) await watchCalls(page);
  await signIn(doctor, doctorEmail);
  await patient.goto(`/#/link/${visit.accessCode}`);
  await doctor.goto(`/#/appointment/${visit.appointmentUid}`);
  await expectMediaOf(doctor, 1);
  await expectMediaOf(patient, 1);

  await signIn(admin, adminEmail);
  await admin.goto(`/#/admin/user/edit/${doctorId}`);
  await admin.getByRole('switch', { name: 'Disabled' }).check();
  const saved = admin.waitForResponse((response) => response.request().method() === 'PUT');
  // The hub may close before this process reads the answer.
  const from = Date.now();
  await admin.getByRole('button', { name: 'Save', exact: true }).click();
  expect((await saved).status()).toBe(200);
  const answered = Date.now() - from;
  const { result: ended, limit } = await limitDuring(patient, 1_000, hubOfDoctor(from));
  expect(ended - answered).toBeLessThan(limit);
  await Promise.all([
    expect(doctor).toHaveURL(/#\/login$/),
    expect(doctor.getByText('You’ve been signed out and have left the visit.')).toBeVisible(),
    expectToast(patient, 'Dara Gone has left.'),
  ]);
  // No camera of the former visit is left open.
  await expect(doctor.locator('video')).toHaveCount(0);
  await expect(patient.getByText('Your provider will be with you soon, please do not close this window')).toBeVisible();
  await expectAccessibleEverywhere(patient);

  await doctor.goto(`/#/appointment/${visit.appointmentUid}`);
  await expect(doctor).toHaveURL(/#\/login/);
  await signInByForm(doctor, doctorEmail);
  await expect(doctor.getByRole('alert')).toBeVisible();

  // A colleague takes over.
  await watchCalls(admin);
  await admin.reload();
  await admin.goto(`/#/appointment/${visit.appointmentUid}`);
  await expectMediaOf(patient, 1);
});
