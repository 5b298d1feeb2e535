import { describe, expect, test, vi } from 'vitest';
import { accessToken, fakeServer } from './testing/server.ts';

type Claims = object | undefined;

/** A fresh tab of a browser with these sign-ins. */
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
  });
  const [guards, signIn] = await Promise.all([import('./guards.ts'), import('./api/sign-in.ts')]);
  return { ...guards, ...signIn, asked: server.asked };
}

const uid = '0123456789abcdef0123456789abcdef';
const doctor = { roles: 'D' };
const admin = { roles: 'A' };
const superAdmin = { roles: 'A', company: undefined };
const patient = { roles: 'P', appointment: uid };

describe('a guarded page', () => {
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

  test('is remembered and opened after the sign-in @ROUTE-9', async () => {
    const { guardPage, afterSignIn, startSession } = await tab({});
    await guardPage('/patient-edit/7?tab=notes');
    startSession('staff', accessToken(doctor));
    expect(afterSignIn()).toBe('/patient-edit/7?tab=notes');
    expect(afterSignIn()).toBe('/waiting-room');
  });
});

describe('a login page', () => {
  test.each([
    [{ staff: doctor }, '/waiting-room'],
    [{ staff: superAdmin }, '/admin/home'],
    [{}, undefined],
  ])('/login of %j leads to %s @ROUTE-9', async (cookies, expected) => {
    expect(await (await tab(cookies)).guardLogin()).toBe(expected);
  });

  test.each([
    [{ staff: doctor }, '/waiting-room'],
    [{ patient }, `/appointment/${uid}/pt`],
    [{}, undefined],
  ])('/link of %j leads to %s @ROUTE-9', async (cookies, expected) => {
    const { guardLink, asked } = await tab(cookies);
    expect(await guardLink()).toBe(expected);
    // Nobody else's phone asks anything before the form can be used.
    expect(asked).toHaveLength(Object.keys(cookies).length);
  });

  test('/link of a patient’s tab leaves the staff’s sign-in of this browser alone', async () => {
    const { guardLink, setTabKind } = await tab({ staff: doctor });
    setTabKind('patient');
    expect(await guardLink()).toBeUndefined();
  });
});
