import { describe, expect, test, vi } from 'vitest';
import { accessToken, fakeServer } from './testing/server.ts';

type Claims = object | undefined;

/** A new tab of a browser with these sign-ins. */
async function tab(cookies: { staff?: Claims; patient?: Claims }) {
  vi.resetModules();
  sessionStorage.clear();
  localStorage.clear();
  for (const kind of Object.keys(cookies)) localStorage.setItem(`sign-in:${kind}`, '1');
  const server = fakeServer({
    'POST /api/auth/refresh': ({ body }) => {
      const claims = cookies[(body as { kind: 'staff' | 'patient' }).kind];
      return claims ? { signedIn: true, accessToken: accessToken(claims) } : { signedIn: false };
    },
    'GET /api/my-appointments': () => ({ data: [{ appointmentUid: nextUid }], now: '' }),
  });
  const [guards, signIn] = await Promise.all([import('./guards.ts'), import('./api/sign-in.ts')]);
  return { ...guards, ...signIn, asked: server.asked };
}

const uid = '0123456789abcdef0123456789abcdef';
/** The patient's next visit differs from the one of the code. */
const nextUid = 'fedcba9876543210fedcba9876543210';
const doctor = { roles: 'D' };
const admin = { roles: 'A' };
const superAdmin = { roles: 'A', company: undefined };
const patient = { roles: 'P', appointment: uid };

describe('guarded page', () => {
  test.each([
    ['/patient-list', {}, '/login'],
    [`/appointment/${uid}/pt`, {}, '/link'],
    [`/appointment/${uid}/pt`, { staff: doctor }, '/link'],
    [`/appointment/${uid}/pt`, { patient }, undefined],
    [`/appointment/${uid}`, { staff: doctor }, undefined],
    ['/patient-list', { patient }, '/login'],
    ['/admin/home', { staff: doctor }, '/waiting-room'],
    ['/admin/home', { staff: admin }, undefined],
    ['/admin/company', { staff: superAdmin }, undefined],
  ])('%s of %j leads to %s @ROUTE-9', async (path, cookies, expected) => {
    expect(await (await tab(cookies)).guardPage(path)).toBe(expected);
  });

  test('page of the patient’s side, opened by staff: the tab stays staff’s until a page of that side opens @ROUTE-8', async () => {
    const { guardPage, settleTab, currentSignIn } = await tab({ staff: doctor, patient });
    await guardPage('/waiting-room');
    await guardPage('/patient');
    expect(currentSignIn()).toMatchObject({ kind: 'staff', status: 'in' });
    settleTab('/patient');
    expect(currentSignIn()).toMatchObject({ kind: 'patient', status: 'in' });
  });

  test('page of both kinds: is staff’s again after a page of the patient’s side without a sign-in @ROUTE-9', async () => {
    const { guardPage, guardLink, settleTab, currentSignIn } = await tab({ staff: doctor });
    await guardPage('/waiting-room');
    expect(await guardPage('/patient')).toBe('/link');
    expect(await guardLink()).toBeUndefined();
    settleTab('/link');
    expect(currentSignIn().kind).toBe('patient');
    expect(await guardPage('/waiting-room')).toBeUndefined();
    settleTab('/waiting-room');
    expect(currentSignIn()).toMatchObject({ kind: 'staff', status: 'in' });
  });

  test('page of both kinds: is not opened for staff after the patient was signed out', async () => {
    const { guardPage, settleTab, startSignIn, signOut, setTabKind } = await tab({ staff: doctor });
    await guardPage('/waiting-room');
    setTabKind('patient');
    startSignIn('patient', accessToken(patient));
    settleTab('/waiting-room');
    await signOut();
    expect(await guardPage('/waiting-room')).toBe('/link');
  });

  test('page requested by one person: is not opened for the next one', async () => {
    const { guardPage, afterSignIn, startSignIn, signOut } = await tab({});
    startSignIn('staff', accessToken({ ...doctor, sub: '7' }));
    await signOut();
    await guardPage('/patient-edit/7');
    startSignIn('staff', accessToken({ ...doctor, sub: '8' }));
    expect(afterSignIn()).toBe('/waiting-room');
  });

  test('is remembered and opened after the sign-in @ROUTE-9', async () => {
    const { guardPage, afterSignIn, startSignIn } = await tab({});
    await guardPage('/patient-edit/7?tab=notes');
    startSignIn('staff', accessToken(doctor));
    expect(afterSignIn()).toBe('/patient-edit/7?tab=notes');
    expect(afterSignIn()).toBe('/waiting-room');
  });
});

describe('patient’s code after the page of a visit @ROUTE-9', () => {
  test.each([
    [`/appointment/${nextUid}/pt`, `/appointment/${uid}/pt`],
    [`/patient-payment/${nextUid}`, `/appointment/${uid}/pt`],
    [`/appointment/${uid.toUpperCase()}/pt`, `/appointment/${uid.toUpperCase()}/pt`],
    [`/patient-payment/${uid}`, `/patient-payment/${uid}`],
    ['/patient', '/patient'],
  ])('%s: a code of one visit opens %s', async (path, opened) => {
    const { guardPage, afterSignIn, startSignIn } = await tab({});
    expect(await guardPage(path)).toBe('/link');
    startSignIn('patient', accessToken(patient));
    expect(afterSignIn()).toBe(opened);
  });
});

describe('login page', () => {
  test.each([
    [{ staff: doctor }, '/waiting-room'],
    [{ staff: superAdmin }, '/admin/home'],
    [{}, undefined],
  ])('/login of %j leads to %s @ROUTE-9', async (cookies, expected) => {
    expect(await (await tab(cookies)).guardLogin()).toBe(expected);
  });

  test.each([
    [{ staff: doctor }, '/waiting-room'],
    [{ patient }, `/appointment/${nextUid}/pt`],
    [{}, undefined],
  ])('/link of %j leads to %s @ROUTE-9', async (cookies, expected) => {
    const { guardLink, asked } = await tab(cookies);
    expect(await guardLink()).toBe(expected);
    // Phones without a sign-in send no request before the form can be used.
    expect(asked.filter(({ path }) => path === '/api/auth/refresh')).toHaveLength(Object.keys(cookies).length);
  });

  test('/link in a patient’s tab: leaves the staff’s sign-in of this browser alone', async () => {
    const { guardLink, setTabKind } = await tab({ staff: doctor });
    setTabKind('patient');
    expect(await guardLink()).toBeUndefined();
  });
});
